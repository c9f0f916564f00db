"""The watch over a search: progress, limits, threads that fail, and Ctrl-C.

The hard rows hold 2 ** 60 itemsets: whatever does not stop them never ends.
"""

from importlib import import_module
from time import sleep

import numpy as np
import oracle
import pytest

from discreet import BudgetError, InputError, kernels, mine
from discreet.mining.watch import BYTES_AN_ENTRY, RECORD, Limits, Naming, Watch

THREADS = pytest.mark.parametrize("threads", [1, 2])
KINDS = pytest.mark.parametrize("kind", ["frequent", "closed"])


def all_but_one(items):
    """Rows that each lack another item: every itemset but the whole is closed."""
    return [[item for item in range(items) if item != row] for row in range(items)]


HARD = all_but_one(60)


@THREADS
@KINDS
def test_progress_is_told_while_the_search_is_on_and_never_falls(kind, threads):
    calls = []
    with pytest.raises(BudgetError, match=r"max_patterns"):
        mine(
            HARD,
            min_support=1,
            kind=kind,
            threads=threads,
            max_patterns=3_000_000,
            progress=lambda done, found: calls.append((done, found)),
        )
    shares, numbers = zip(*calls, strict=True)
    assert len(calls) > 1
    assert list(shares) == sorted(shares)
    assert list(numbers) == sorted(numbers)
    assert 0 <= shares[0] <= shares[-1] < 1
    assert numbers[-1] > 0


@THREADS
@KINDS
def test_what_progress_raises_ends_the_search(kind, threads):
    def stop(_done, _found):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mine(HARD, min_support=1, kind=kind, threads=threads, progress=stop)


@THREADS
@KINDS
def test_a_search_without_end_stops_at_a_limit_of_memory(kind, threads):
    with pytest.raises(BudgetError, match=r"itemsets found so far take more than the allowed 10\.0 MiB of memory"):
        mine(HARD, min_support=1, kind=kind, threads=threads, memory=10 << 20)


@THREADS
@pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
def test_itemsets_may_take_as_much_memory_as_allowed_and_no_byte_more(kind, threads):
    rows = all_but_one(12)
    family = oracle.KINDS[kind](rows, 1)
    needed = BYTES_AN_ENTRY * sum(len(itemset) + RECORD for itemset in family)
    assert dict(mine(rows, min_support=1, kind=kind, threads=threads, memory=needed)) == family
    with pytest.raises(BudgetError, match=r"of memory"):
        mine(rows, min_support=1, kind=kind, threads=threads, memory=needed - 1)


def test_rows_that_are_too_large_to_be_searched_are_refused_before_the_search():
    rows = [range(row * 2_000, row * 2_000 + 2_000) for row in range(70)]
    with pytest.raises(BudgetError, match=r"the rows may need .* to be searched; memory is limited to 1\.0 GiB"):
        mine(rows, min_support=1, memory=1 << 30)


def test_a_few_rows_may_be_very_long():
    rows = [range(2_000), range(2_000, 4_000)]
    assert dict(mine(rows, min_support=1)) == oracle_of_two(rows)


def oracle_of_two(rows):
    """The closed itemsets of two rows that share no item."""
    return {frozenset(): 2} | {frozenset(row): 1 for row in rows}


def test_more_entries_than_can_be_numbered_are_refused(monkeypatch):
    rows = [["a", "b"], ["a"], ["c"]]
    # By its full name: in the package, the name of the function hides that of the module.
    monkeypatch.setattr(import_module("discreet.mining.search"), "MOST", 3 + 2 * 4)
    assert len(mine(rows, min_support=2)) == 2
    with pytest.raises(InputError, match=r"3 rows with 4 entries of frequent items; .* raise min_support"):
        mine(rows, min_support=1)


def test_a_thread_that_fails_ends_the_others():
    def run(start, _stop, control):
        if start == 0:
            raise MemoryError
        while not control[kernels.shapes.STOP]:
            sleep(0.01)
        return np.zeros(0, np.int32)

    with pytest.raises(MemoryError):
        Watch(Limits(threads=2), 1).run(run, np.ones(10, np.int64))


@pytest.mark.parametrize(("threads", "places"), [(1, 1), (1, 9), (2, 1), (2, 9), (2, 1000), (7, 100)])
@pytest.mark.parametrize("bits", [False, True])
def test_each_place_is_searched_once_and_found_in_order(threads, places, bits):
    def run(start, stop, control):
        control[kernels.shapes.FOUND] += stop - start
        return np.array([[1, place + 5, place] for place in range(start, stop)], np.int32).ravel()

    watch = Watch(Limits(threads=threads), 1)
    found = watch.unpack([(watch.run(run, np.ones(places, np.int64)), Naming(np.arange(places), bits=bits))])
    expected = [[place] for place in range(places)]
    assert ([itemset.tolist() for itemset in found], found.weights.tolist()) == (
        expected,
        list(range(5, places + 5)),
    )
