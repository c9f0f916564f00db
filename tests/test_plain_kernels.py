"""Kernels run as Python while the work is small, and are compiled when it is not: the results are the same."""

import os
import subprocess
import sys
from collections import defaultdict
from time import process_time

import pytest

from discreet import kernels
from discreet.mining.watch import Limits, Watch

AUDIT = """
import sys
from discreet import audit, kernels
from discreet.data.generate import clinic
found = audit(clinic(300, seed=1), min_support="5%", k=10)
print(found.verdict, found.channels.to_pandas().to_csv())
"""
NO_NUMBA = AUDIT + "sys.exit('numba' in sys.modules)"
SHORT = "from discreet import kernels; kernels.Pace.patience = kernels.Patience({}, {});" + AUDIT
COMPILED = "sys.exit('numba' not in sys.modules)"


def run(text, **variables):
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, "-c", text],
        check=False,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def compiled():
    return run(AUDIT + COMPILED, NUMBA_DISABLE_JIT="0")


def test_a_small_audit_does_without_numba(compiled):
    assert run(NO_NUMBA) == compiled
    assert run(NO_NUMBA, NUMBA_DISABLE_JIT="1") == compiled


@pytest.mark.parametrize("patience", [(0, 100), (1_000, 100), (10**9, 0), (10**9, 0.001)])
def test_kernels_are_compiled_from_any_point_on(patience, compiled):
    assert run(SHORT.format(*patience) + COMPILED) == compiled


def test_a_variable_that_is_empty_is_none():
    assert not run("import discreet.kernels, numba", NUMBA_DISABLE_JIT="")  # nor does Numba complain


AT_ONCE = """
import sys, threading
import numpy as np
from discreet import kernels
from discreet.kernels.compiled import jit
sys.setswitchinterval(1e-6)
arguments = np.array([0, 2, 3]), np.array([0, 1, 1]), np.arange(2)
kernels.cells.map_itemsets(*arguments)
for _ in range(30):
    kernel, start = jit(kernels.cells.map_itemsets.py_func), threading.Barrier(8)
    threads = [threading.Thread(target=lambda: (start.wait(), kernel(*arguments))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_that_call_a_new_kernel_at_once_all_get_its_results():
    run(AT_ONCE, NUMBA_DISABLE_JIT="0")


KEPT = """
from discreet import kernels
found = [kernels._patience(name) is kernels.WARM for name in ("formats.parse_fimi", "formats.no_kernel", "")]
print(*found)
"""


def test_what_was_compiled_before_need_only_be_loaded(tmp_path):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run(KEPT, **environment) == "False False False\n"
    reading = "import io, discreet; discreet.read(io.BytesIO(b'1 2\\n'), format='fimi')"
    run(reading, NUMBA_DISABLE_JIT="0", **environment)
    assert run(KEPT, **environment) == "True False False\n"
    for index in tmp_path.rglob("*.nbi"):
        os.utime(index, (0, 0))
    assert run(KEPT, **environment) == "False False False\n"


SEARCH = """
import sys
from discreet import kernels, mine
kernels.Pace.patience = kernels.Patience(10**9, 0.2)
rows = [[(i * j) % 37 for j in range(1, 31)] for i in range(1, 61)]
print(len(mine(rows, min_support=20)))
"""


def test_a_search_that_takes_too_long_is_begun_anew():
    assert run(SEARCH + COMPILED) == run(SEARCH + COMPILED, NUMBA_DISABLE_JIT="0")


def test_a_search_is_begun_anew_until_it_has_ended(monkeypatch):
    results = iter([None, None, ["found"]])
    monkeypatch.setattr(Watch, "_try", lambda *_: next(results))
    assert Watch(Limits(), 1).run(None, None) == ["found"]


def test_no_kernel_is_slow_twice(monkeypatch):
    monkeypatch.setattr(kernels.Pace, "patience", kernels.Patience(10**9, 0.0))
    monkeypatch.setattr(kernels.Pace, "spent", defaultdict(float))
    monkeypatch.setattr(kernels.Pace, "running", [("one", process_time())])
    assert [kernels.are_slow(), kernels.are_slow()] == [True, False]
    kernels.Pace.running.append(("two", process_time()))
    assert [kernels.are_slow(), kernels.are_slow()] == [True, False]


def test_a_kernel_that_has_just_begun_is_not_slow(monkeypatch):
    monkeypatch.setattr(kernels.Pace, "patience", kernels.COLD)
    monkeypatch.setattr(kernels.Pace, "running", [("one", process_time())])
    assert not kernels.are_slow()


INDEXES = """
import numpy as np
from discreet.kernels.compiled import hot, jit

def visit(table, line, column, out):
    out[0], out[-1] = table[line, column], out[-2]
    table[line, column] += np.int32(5)
    return table[1, -1]

found = []
for compile_ in (lambda function: function, jit, hot):
    table, out = np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(4)
    found.append((int(compile_(visit)(table, np.uint64(1), 0, out)), table.tolist(), out.tolist()))
assert found[0] == found[1] == found[2], found
"""
OUTSIDE = """
try:
    jit(visit)(table, np.int64(-1), 0, out)
except IndexError as error:
    print(error)
"""


def run_file(path, text, **variables):
    path.write_text(text)  # Numba keeps what it compiles beside a file
    return run(f"import runpy; runpy.run_path({str(path)!r})", NUMBA_DISABLE_JIT="0", **variables)


def test_compiled_kernels_find_the_entries_that_plain_ones_find(tmp_path):
    assert not run_file(tmp_path / "indexes.py", INDEXES)


def test_an_index_outside_its_array_is_found_where_bounds_are_checked(tmp_path):
    found = run_file(tmp_path / "indexes.py", INDEXES + OUTSIDE, NUMBA_BOUNDSCHECK="1")
    assert found == "an index lies outside its array\n"


@pytest.mark.parametrize(("steps", "spent"), [(kernels.COLD.entries, 0.0), (kernels.COLD.entries + 1, float("inf"))])
def test_a_kernel_that_is_expected_to_take_long_is_compiled_and_no_other(monkeypatch, steps, spent):
    monkeypatch.setattr(kernels.Pace, "patience", kernels.COLD)
    monkeypatch.setattr(kernels.Pace, "spent", defaultdict(float))
    kernels.expect(steps, "lattice.no_kernel")
    assert (kernels.Pace.spent["lattice.no_kernel"], kernels.Pace.patience) == (spent, kernels.COLD)
