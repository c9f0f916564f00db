"""The app compiles all kernels while nobody waits: in a process that rests while there is work."""

import asyncio
import gc
import sys

import pytest

from discreet import kernels
from discreet.web import warming
from discreet.web.state import State
from discreet.web.warming import Warming

ECHO = (sys.executable, "-c", "import sys\nfor line in sys.stdin: print(line, end='', flush=True)")
SLOW = (*ECHO[:2], f"import time; {ECHO[2].replace('print', 'time.sleep(0.1); print')}")
BROKEN = (sys.executable, "-c", "")


@pytest.fixture(autouse=True)
def cold(monkeypatch, tmp_path):
    """Nothing is compiled, nobody waits long, and the stamp goes to a folder of its own; no process is left."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(kernels.Pace, "patience", kernels.COLD)
    monkeypatch.setattr(warming, "QUIET", 0.0)
    monkeypatch.setattr(warming, "TICK", 0.01)
    yield
    gc.collect()  # a process that is left is a warning, and so an error


async def until(holds):
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - nothing tells it
            await asyncio.sleep(0.01)


def test_all_jobs_are_done_and_later_processes_know():
    async def run():
        one = Warming(lambda: True, command=ECHO)
        one.start()
        before = one.facts
        await until(lambda: not one.facts["preparing"])
        await one.close()
        return before, one.facts

    assert asyncio.run(run()) == ({"preparing": True, "done": 0.0}, {"preparing": False, "done": 1.0})
    assert kernels.is_warm()
    assert not kernels.is_cold()


def test_it_begins_when_nobody_waits_and_rests_while_somebody_does():
    idle = []

    async def run():
        one = Warming(lambda: bool(idle), command=SLOW)
        one.start()
        await asyncio.sleep(0.1)
        seen = [one.done]
        idle.append(1)
        await until(lambda: one.done > 0)
        idle.clear()
        await asyncio.sleep(0.3)  # what was done at that moment may still come in
        seen.append(one.done)
        await asyncio.sleep(0.3)
        seen.append(one.done)
        idle.append(1)
        await until(lambda: one.done == 1)
        await one.close()
        return seen

    begun, resting, later = asyncio.run(run())
    assert (begun, resting) == (0.0, later)
    assert resting < 1


@pytest.mark.parametrize("command", [BROKEN, ("/no/such/program",)])
def test_if_it_cannot_compile_it_gives_up_in_silence(command):
    async def run():
        one = Warming(lambda: True, command=command)
        one.start()
        await until(lambda: not one.facts["preparing"])
        await one.close()
        return one.facts

    assert asyncio.run(run()) == {"preparing": False, "done": None}
    assert not kernels.is_warm()


@pytest.mark.parametrize("patience", [kernels.ALWAYS, kernels.NEVER, kernels.WARM])
def test_nothing_is_compiled_where_that_is_done_or_not_wanted(patience, monkeypatch):
    monkeypatch.setattr(kernels.Pace, "patience", patience)

    async def run():
        one = Warming(lambda: True, command=BROKEN)
        one.start()
        await one.close()
        return one.facts

    assert asyncio.run(run()) == {"preparing": False, "done": None}


def test_a_server_that_ends_ends_it_too():
    async def run():
        state = State(many=0, warms=True)
        state.open()
        await asyncio.sleep(0.05)
        await state.close()
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(run()) == set()
