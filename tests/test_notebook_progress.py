"""Long calls show a bar in a notebook, and nowhere else; it goes when they end."""

import subprocess
import sys
from asyncio import get_running_loop
from importlib import import_module
from threading import Event
from threading import enumerate as threads
from time import monotonic
from types import ModuleType, SimpleNamespace
from xml.etree import ElementTree as ET

import pytest
from test_watch import HARD

from discreet import BudgetError, audit, block, compare, hide, hide_file, mine, tradeoff
from discreet.hiding.comparison import compare_hiding
from discreet.runtime import resources

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50


class Kernel:
    """What a notebook shows: the last of each place, and all that was shown."""

    def __init__(self):
        self.places, self.seen, self.shown = {}, [], Event()
        self.shell = SimpleNamespace(kernel=object())

    def display(self, data, *, raw, display_id):
        assert raw
        assert display_id not in self.places
        self._put(data, display_id)

    def update_display(self, data, *, raw, display_id):
        assert raw
        assert display_id in self.places
        self._put(data, display_id)

    def _put(self, data, display_id):
        self.places[display_id] = data
        self.seen.append(data)
        self.shown.set()

    @property
    def words(self):
        return [data["text/plain"] for data in self.seen]


@pytest.fixture
def kernel(monkeypatch):
    """A kernel that shows a bar at once, and looks often."""
    found = Kernel()
    module, display = ModuleType("IPython"), ModuleType("IPython.display")
    module.get_ipython = lambda: found.shell
    display.display, display.update_display = found.display, found.update_display
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(resources, "DELAY", 0.0)
    monkeypatch.setattr(resources, "TICK", 0.001)
    yield found
    assert all(data == resources.NOTHING for data in found.places.values())


def told(kernel, tell, done, found):
    """Tell, and wait until it is shown."""
    tell(done, found)
    many = len(kernel.seen)
    while len(kernel.seen) < many + 2:
        kernel.shown.clear()
        assert kernel.shown.wait(10)
    return kernel.seen[-1]


def test_a_bar_shows_what_goes_on_and_how_long_it_takes(kernel):
    with resources.watching(None, then="blocking") as tell:
        first = told(kernel, tell, 0.0, 0)
        half = told(kernel, tell, 0.5, 12345)
        after = told(kernel, tell, 1.0, 54321)
    assert first["text/plain"] == "mining: 1 s so far"
    assert half["text/plain"] == "50% mining: 12,345 found, about 1 s left"
    assert after["text/plain"] == "blocking: 54,321 found, 1 s so far"
    values = [ET.fromstring(data["text/html"]).find("progress").get("value") for data in (first, half, after)]  # noqa: S314 - our own
    assert values == [None, "0.500", None]
    assert kernel.seen[-1] == resources.NOTHING


@pytest.mark.parametrize(
    ("done", "words"), [(0.1, "about 9 min left"), (0.5, "about 1 min left"), (0.0, "1 min so far")]
)
def test_the_rest_takes_as_long_as_what_is_done(kernel, monkeypatch, done, words):
    now = iter([0.0])
    monkeypatch.setattr(resources, "monotonic", lambda: next(now, 60.0 - 0.5))
    with resources.watching(None) as tell:
        assert told(kernel, tell, done, 0)["text/plain"].endswith(words)


def test_a_short_call_shows_nothing(kernel, monkeypatch):
    monkeypatch.setattr(resources, "DELAY", 60.0)
    mine(ROWS, min_support=1)
    assert kernel.seen == []


def test_a_call_within_another_one_shows_no_bar_of_its_own(kernel):
    with resources.watching(None, what="outer") as tell:
        with resources.watching(None, what="inner") as inner:
            inner(0.5, 7)
            told(kernel, tell, 0.25, 3)
        told(kernel, tell, 0.75, 3)
    assert len(kernel.places) == 1
    assert not any("inner" in words for words in kernel.words)


def test_what_the_caller_gives_is_told_instead(kernel):
    calls = []
    mine(ROWS, min_support=1, progress=lambda done, found: calls.append((done, found)))
    assert calls[-1][0] == 1.0
    assert kernel.seen == []


def waiting(kernel, monkeypatch, place):
    """Let work wait in the middle until a bar is seen."""
    path, name = place.rsplit(".", 1)
    module = import_module(path)
    before = getattr(module, name)

    def after(*arguments, **options):
        kernel.shown.clear()
        assert kernel.shown.wait(10)
        return before(*arguments, **options)

    monkeypatch.setattr(module, name, after)


CALLS = {
    "mine": (lambda _: mine(ROWS, min_support=10), "discreet.mining.search", "mining"),
    "audit": (
        lambda _: audit(ROWS, min_support=10, k=10),
        "discreet.judging.audit.judge_itemsets",
        "looking for channels",
    ),
    "block": (lambda _: block(ROWS, min_support=10, k=10, method="add"), "discreet.blocking.block.solve", "blocking"),
    "compare": (
        lambda _: compare(ROWS, min_support=10, k=10),
        "discreet.blocking.block.compare_methods",
        "comparing methods",
    ),
    "tradeoff": (
        lambda _: tradeoff(ROWS, min_supports=[10], ks=[5]),
        "discreet.judging.tradeoff.find_safe",
        "counting channels",
    ),
    "hide": (lambda _: hide(ROWS, [["a", "b"]]), "discreet.hiding.problem.check_solution", "hiding"),
    "compare_hiding": (
        lambda _: compare_hiding(ROWS, [["a", "b"]], min_supports=[10], methods=["iga"]),
        "discreet.hiding.hide.hide",
        "comparing methods",
    ),
}


@pytest.mark.parametrize(("call", "place", "words"), CALLS.values(), ids=CALLS)
def test_long_calls_show_one_bar(kernel, monkeypatch, call, place, words):
    waiting(kernel, monkeypatch, place)
    call(None)
    assert len(kernel.places) == 1
    assert any(words in shown for shown in kernel.words)


def test_hiding_in_one_scan_shows_a_bar(kernel, monkeypatch, tmp_path):
    (tmp_path / "rows.dat").write_bytes(b"1 2\n3\n")
    waiting(kernel, monkeypatch, "discreet.hiding.stream.save")
    hide_file(tmp_path / "rows.dat", tmp_path / "new.dat", [[1, 2]])
    assert any("hiding" in shown for shown in kernel.words)


@pytest.mark.parametrize("error", [BudgetError, KeyboardInterrupt])
def test_the_bar_goes_when_a_call_fails_or_is_interrupted(kernel, error):
    before = set(threads())

    def fail():
        with resources.watching(None) as tell:
            told(kernel, tell, 0.5, 12)
            raise error("no more")

    with pytest.raises(error):
        fail()
    assert kernel.seen[-1] == resources.NOTHING
    assert set(threads()) <= before  # those of other tests may have ended
    with resources.watching(None) as tell:
        assert told(kernel, tell, 0.5, 12)


def test_a_search_that_reaches_a_limit_takes_its_bar_along(kernel):
    with pytest.raises(BudgetError):
        mine(HARD, min_support=1, max_patterns=1_000_000)
    assert any("mining" in words for words in kernel.words)


def test_a_terminal_shows_nothing(kernel):
    kernel.shell = SimpleNamespace()  # IPython in a terminal has no kernel
    mine(ROWS, min_support=1)
    kernel.shell = None  # IPython is loaded, but runs nothing
    mine(ROWS, min_support=1)
    assert kernel.seen == []


def test_a_script_loads_nothing_for_notebooks():
    code = (
        "import sys, discreet\n"
        "discreet.mine([['a', 'b']] * 3, min_support=1)\n"
        "assert 'IPython' not in sys.modules and 'ipykernel' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


CELL = """
from discreet import BudgetError, mine
from discreet.runtime import resources
rows = [[item for item in range(60) if item != row] for row in range(60)]
resources.DELAY = resources.TICK = 0.02
print("before")
try:
    mine(rows, min_support=1, max_patterns=2_000_000)
except BudgetError:
    print("stopped")
"""


def test_a_real_kernel_shows_the_bar_below_the_cell_and_takes_it_away(tmp_path, monkeypatch):
    import kernel as kernels

    kernels.apart(tmp_path, monkeypatch)
    client = kernels.Client(kernels.notebook(CELL), tmp_path)
    (cell,) = client.execute()["cells"]
    shown = [(kind, content) for kind, content in client.seen if "display" in kind]
    assert [kind for kind, _ in shown[:2]] == ["display_data", "update_display_data"]
    assert "<progress" in shown[0][1]["data"]["text/html"]
    assert len({content["transient"]["display_id"] for _, content in shown}) == 1
    assert shown[-1][1]["data"] == resources.NOTHING
    texts = [output.get("text") or output["data"]["text/html"] for output in cell["outputs"]]
    assert texts == ["before\n", "", "stopped\n"]


def test_an_interrupt_stops_the_kernel_s_work_and_the_next_cell_runs(tmp_path, monkeypatch):
    import kernel as kernels

    kernels.apart(tmp_path, monkeypatch)

    class Interrupting(kernels.Client):
        def hear(self, message):
            # Again if the work goes on: an interrupt within Jupyter's own code may be written to stderr, and ignored.
            if message["msg_type"] == "update_display_data" and monotonic() > self.next:
                self.asked.append(get_running_loop().create_task(self.km.interrupt_kernel()))
                self.next = monotonic() + 3

    cells = kernels.notebook(
        CELL.replace("max_patterns=2_000_000", "").replace("BudgetError:", "ZeroDivisionError:"), "6 * 7"
    )
    for _ in range(3):  # an interrupt that meets Jupyter while it writes may also end as an error of the system
        client = Interrupting(cells, tmp_path)
        client.asked, client.next, client.allow_errors = [], 0, True
        first, second = client.execute()["cells"]
        outputs = [output for output in first["outputs"] if output.get("name") != "stderr"]
        names = [output.get("ename") for output in outputs]
        if names[2:] == ["KeyboardInterrupt"]:
            break
    assert names == [None, None, "KeyboardInterrupt"]
    assert outputs[1]["data"] == resources.NOTHING
    assert second["outputs"][0]["data"]["text/plain"] == "42"
