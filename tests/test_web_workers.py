"""Workers do the jobs, side by side; what must stop is stopped, what dies is replaced."""

import asyncio
import os
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from discreet.web import jobs as module
from discreet.web.jobs import KEPT, Jobs, Pool
from discreet.web.loading import NO_DATA, Data

COMMAND = (sys.executable, "-P", str(Path(__file__).with_name("web_worker.py")))
MEMORY = 4 << 30
PATIENCE = 120


def processes_of(pool):
    """The ids of the worker processes that are up."""
    return [worker.process.pid for worker in pool._workers]


@asynccontextmanager
async def working(folder, *, many=1, command=COMMAND):
    pool = Pool(MEMORY, many=many, command=command)
    pool.start()
    try:
        yield Jobs(pool, folder), pool
    finally:
        await pool.close()
        assert processes_of(pool) == []


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One worker for many tests: what runs a test with its jobs and its pool, in the loop that the pool lives in."""
    folder = tmp_path_factory.mktemp("jobs")
    with asyncio.Runner() as runner:
        pool = Pool(MEMORY, many=1, command=COMMAND)

        async def begin():
            pool.start()

        runner.run(begin())
        yield lambda test: runner.run(test(Jobs(pool, folder), pool))
        runner.run(pool.close())


async def ended(job):
    """Return how a job ended, in many short waits: a machine that stands still for minutes uses up one of them."""
    for _ in range(PATIENCE * 20):
        if (outcome := await job.wait(0.05)) is not None:
            return outcome
    raise TimeoutError(job.stage)


async def under_way(job):
    """Wait until a job is at work."""
    for _ in range(PATIENCE * 20):
        if job.stage in {"telling", "sleeping"}:
            return
        await asyncio.sleep(0.05)
    raise TimeoutError(job.stage)


def test_a_job_before_the_workers_are_up_waits_for_them(tmp_path):
    async def test():
        async with working(tmp_path) as (jobs, _):
            job = jobs.ask("tells", {"seconds": 0.01}, NO_DATA)
            assert job.progress["stage"] == "starting"
            assert (await ended(job)).status == 200

    asyncio.run(test())


def test_asking_again_joins_what_is_under_way_and_what_is_done(shared):
    async def test(jobs, _):
        first = jobs.ask("tells", {"seconds": 0.2}, NO_DATA)
        assert jobs.ask("tells", {"seconds": 0.2}, NO_DATA) is first
        assert jobs.ask("tells", {"seconds": 0.1}, NO_DATA) is not first
        await ended(first)
        assert jobs.ask("tells", {"seconds": 0.2}, NO_DATA) is first

    shared(test)


def test_progress_tells_how_long_it_will_take(shared):
    async def test(jobs, _):
        job = jobs.ask("tells", {"seconds": 2}, NO_DATA)
        await under_way(job)
        assert await job.wait(0.5) is None
        told = job.progress
        assert 0 < told["done"] < 1
        assert told["found"] == pytest.approx(told["done"] * 200, abs=2)
        assert 0 < told["seconds_left"] < 30
        assert list(told) == ["job", "verb", "stage", "done", "found", "seconds", "seconds_left"]
        jobs.stop(job)

    shared(test)


def test_a_job_that_listens_stops_and_its_worker_stays(shared):
    async def test(jobs, pool):
        job = jobs.ask("tells", {"seconds": 60}, NO_DATA)
        await under_way(job)
        before = processes_of(pool)
        assert jobs.stop(job)
        assert (await ended(job)).status == 409
        assert not jobs.stop(job)
        after = await ended(jobs.ask("tells", {"seconds": 0.01}, NO_DATA))
        assert [after.facts["process"]] == before == processes_of(pool)

    shared(test)


def test_a_job_that_does_not_listen_is_killed_and_its_worker_replaced(shared):
    async def test(jobs, pool):
        job = jobs.ask("sleeps", {"seconds": 600}, NO_DATA)
        await under_way(job)
        before = processes_of(pool)
        jobs.stop(job)
        assert job.outcome.status == 409
        after = await ended(jobs.ask("tells", {"seconds": 0.01}, NO_DATA))
        assert after.status == 200
        assert after.facts["process"] not in before

    shared(test)


def test_fleeting_jobs_that_nobody_asks_about_end_and_their_worker_is_free(shared, monkeypatch):
    monkeypatch.setattr(module, "UNASKED", 0)

    async def test(jobs, _):
        every = [jobs.ask("sleeps", {"seconds": seconds}, NO_DATA, fleeting=True) for seconds in (600, 601)]
        await under_way(every[0])
        assert [await jobs.wait(job, 0) for job in every] == [None, None]
        assert [(await ended(job)).status for job in every] == [409, 409]
        assert (await ended(jobs.ask("tells", {"seconds": 0.01}, NO_DATA))).status == 200

    shared(test)


def test_a_fleeting_job_goes_on_while_a_request_waits_for_it(shared, monkeypatch):
    monkeypatch.setattr(module, "UNASKED", 0)

    async def test(jobs, _):
        job = jobs.ask("tells", {"seconds": 0.3}, NO_DATA, fleeting=True)
        waiting = asyncio.create_task(jobs.wait(job, PATIENCE))
        await under_way(job)
        assert await jobs.wait(job, 0) is None
        assert (await waiting).status == 200

    shared(test)


def test_a_fleeting_job_that_is_asked_about_again_in_time_goes_on(shared):
    async def test(jobs, _):
        job = jobs.ask("tells", {"seconds": 0.3}, NO_DATA, fleeting=True)
        assert await jobs.wait(job, 0) is None
        leave = job.leave
        assert (await jobs.wait(job, PATIENCE)).status == 200
        assert leave.cancelled()

    shared(test)


def test_other_jobs_go_on_though_nobody_asks_about_them(shared, monkeypatch):
    monkeypatch.setattr(module, "UNASKED", 0)

    async def test(jobs, _):
        job = jobs.ask("tells", {"seconds": 0.4}, NO_DATA)
        assert await jobs.wait(job, 0) is None
        assert (await ended(job)).status == 200

    shared(test)


def test_a_job_that_waits_is_forgotten_when_it_is_stopped(shared):
    async def test(jobs, pool):
        first, second = (jobs.ask("tells", {"seconds": seconds}, NO_DATA) for seconds in (0.5, 600))
        await under_way(first)
        assert second.stage == "waiting"
        before = processes_of(pool)
        jobs.stop(second)
        assert (await ended(first)).status == 200
        assert (await ended(jobs.ask("tells", {"seconds": 0.01}, NO_DATA))).facts["process"] in before

    shared(test)


def test_what_was_stopped_begins_anew_when_it_is_asked_again(shared):
    async def test(jobs, _):
        job = jobs.ask("tells", {"seconds": 0.3}, NO_DATA)
        jobs.stop(job)
        again = jobs.ask("tells", {"seconds": 0.3}, NO_DATA)
        assert again is not job
        assert again.id == job.id
        assert (await ended(again)).status == 200

    shared(test)


def test_a_worker_that_is_killed_from_outside_is_replaced(shared):
    async def test(jobs, pool):
        job = jobs.ask("sleeps", {"seconds": 600}, NO_DATA)
        await under_way(job)
        os.kill(processes_of(pool)[0], signal.SIGKILL)
        found = await ended(job)
        assert found.status == 503
        assert "memory" in found.facts["error"]
        assert (await ended(jobs.ask("tells", {"seconds": 0.01}, NO_DATA))).status == 200

    shared(test)


@pytest.mark.parametrize(
    ("how", "status"), [("error", 500), ("memory", 503), ("hunger", 503), ("exit", 503), ("number", 500)]
)
def test_whatever_fails_is_a_sentence_that_tells_nothing_of_the_data(shared, how, status):
    async def test(jobs, _):
        found = await ended(jobs.ask("fails", {"how": how}, NO_DATA))
        assert found.status == status
        assert found.facts["error"].endswith(".")
        assert "label" not in found.facts["error"]

    shared(test)


def test_what_libraries_print_is_no_answer(shared):
    async def test(jobs, _):
        assert (await ended(jobs.ask("fails", {"how": "print"}, NO_DATA))).status == 200

    shared(test)


def test_long_work_never_takes_the_last_worker(tmp_path):
    async def test():
        async with working(tmp_path, many=2) as (jobs, _):
            long, other = (jobs.ask("sleeps", {"seconds": seconds}, NO_DATA, long=True) for seconds in (600, 601))
            await under_way(long)
            for seconds in (0.01, 0.02):
                assert (await ended(jobs.ask("tells", {"seconds": seconds}, NO_DATA))).status == 200
            assert other.stage == "waiting"

    asyncio.run(test())


def test_a_job_goes_to_the_idle_worker_that_has_its_data(tmp_path):
    async def test():
        async with working(tmp_path, many=2) as (jobs, _):

            async def process(seconds, data):
                found = await ended(jobs.ask("tells", {"seconds": seconds}, Data(data, data, None, {})))
                return found.facts["process"]

            one, other = await asyncio.gather(process(2, "a"), process(2, "b"))
            assert one != other
            assert [await process(0.01, "a"), await process(0.01, "b"), await process(0.02, "a")] == [one, other, one]

    asyncio.run(test())


def test_workers_that_do_not_come_up_are_given_up(tmp_path):
    async def test():
        for command in ((sys.executable, "-c", "raise SystemExit"), (str(tmp_path / "missing"),)):
            async with working(tmp_path, many=2, command=command) as (jobs, _):
                found = await ended(jobs.ask("tells", {"seconds": 1}, NO_DATA))
                assert found.status == 503
                assert (await ended(jobs.ask("tells", {"seconds": 2}, NO_DATA))).status == 503

    asyncio.run(test())


def test_a_worker_whose_server_is_gone_ends():
    async def test():
        process = await asyncio.create_subprocess_exec(
            *COMMAND, str(MEMORY), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        assert await process.stdout.readline()
        data = b'{"id": "", "file": "", "path": null, "options": {}}'
        told = b'{"job": 1, "handler": "sleeps", "arguments": {"seconds": 600}, "data": %b, "place": "x"}\n' % data
        process.stdin.write(told)
        await process.stdout.readline()
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
        assert await process.stdout.read() == b""

    asyncio.run(test())


class Idle:
    """Workers that end every job at once, with a file."""

    def put(self, job):
        job.place.mkdir(parents=True)
        (job.place / "file").write_text("kept")
        job.end((200, {}))

    def stop(self, job):
        pass


def test_the_last_jobs_are_kept_with_their_files_and_no_others(tmp_path):
    async def test():
        jobs = Jobs(Idle(), tmp_path)
        every = [jobs.ask("audit", {"k": k}, NO_DATA) for k in range(KEPT + 10)]
        kept = [job for job in every if jobs.get(job.id) is job]
        assert kept == every[-len(kept) :]
        assert KEPT <= len(kept) <= KEPT + 1
        assert set(tmp_path.iterdir()) == {job.place for job in kept}

    asyncio.run(test())


def test_the_id_of_a_job_tells_nothing_to_those_without_the_secret(tmp_path):
    asked = ("query", {"query": "a label"}, NO_DATA)

    async def test():
        return [Jobs(Idle(), tmp_path / str(number)).ask(*asked).id for number in range(2)]

    one, other = asyncio.run(test())
    assert one != other
    assert len(one) == 32
