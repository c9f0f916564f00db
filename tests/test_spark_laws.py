"""Laws on Spark: tests of the local verbs themselves, with the verb of Spark in its place, on a few of their examples.

The body of a law and what it draws stay as they are. All is done in the executors, and the first law of a verb on the
driver as well, where rows fit. Spark has no items of several types, so such rows are left out; and what it has no word
for (a strategy, threads, a method of detection) is not handed on.
"""

import sys
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import test_audit
import test_block
import test_detect
import test_hide
import test_laws
import test_merged
import test_query
import test_tradeoff
from hypothesis import HealthCheck, Phase, given, settings
from spark_session import MARKS, THREADS, frame_of

import discreet
import discreet.spark as far
from discreet import Merged, Patterns, Transactions
from discreet.data.itemsets import Weighted

pytestmark = MARKS
MASTER = THREADS

# The verbs, as the laws call them.


def frame(spark, rows):
    """Return a frame of rows, or of merged ones."""
    listed = [row for row, many in rows for _ in range(many)] if isinstance(rows, Merged) else rows
    arrays = [list(row) for row in listed]
    is_text = any(isinstance(item, str) for row in arrays for item in row)
    return frame_of(spark, arrays, "string" if is_text else "int64")


def mined(spark, budget, rows, _strategy, _threads, **options):
    return far.mine(frame(spark, rows), **options, budget=budget)


def detect(spark, budget, patterns, *, k, rows=None, method="auto"):
    """Return the channels from the rows: where there are none, there is nothing for Spark to do."""
    if rows is None:
        return discreet.detect(patterns, k=k, method=method)
    return far.detect(patterns, k=k, rows=frame(spark, rows), budget=budget)


def audit(spark, budget, source, **options):
    """Return the audit; transactions and patterns are what a law compares with."""
    if isinstance(source, Patterns | Transactions):
        return discreet.audit(source, **options)
    return far.audit(frame(spark, source), **options, budget=budget)


def tradeoff(spark, budget, rows, **options):
    """Return the grid; transactions are what a law compares with."""
    if isinstance(rows, Transactions):
        return discreet.tradeoff(rows, **options)
    return far.tradeoff(frame(spark, rows), **options, budget=budget)


def block(spark, budget, rows, **options):
    """Return the release as one of the rows themselves, of which merged ones on Spark know no numbers."""
    data = Transactions(rows)
    release = far.block(frame(spark, data), **options, budget=budget)
    labels, merged = release.rows.labels, [row for row, _ in release.rows]
    gone = {merged[number] for number in release.suppressed.tolist()}
    numbers = [number for number, row in enumerate(data) if row & frozenset(labels) in gone]
    offsets, items, weights = release.added.arrays
    codes = np.array([data.code[label] for label in labels], dtype=np.int32)
    added = Weighted(offsets, codes[items], weights)
    return replace(release, rows=data, suppressed=np.array(numbers, dtype=np.intp), added=added)


def hide(spark, _budget, rows, sensitive, *, reading, below=None, **options):
    assert reading == "static"
    found = far.hide(frame(spark, rows), sensitive, row="row", below=below, **options)
    lines = found.frame.orderBy("row").collect()
    return SimpleNamespace(
        transactions=Transactions(line["items"] for line in lines),
        sensitive=found.sensitive,
        before=found.before,
        after=found.after,
        below=below,
    )


class Asked:
    """Rows that queries are asked of."""

    def __init__(self, spark, _budget, rows):
        self.frame = frame(spark, rows)

    def rows(self, wanted):
        found = far.query(self.frame, wanted, row="row").select("row").collect()
        return np.sort(np.array([line["row"] for line in found], dtype=np.intp))

    def support(self, wanted):
        return far.query(self.frame, wanted, row="row").count()


VERBS = {
    "mined": mined,
    "detect": detect,
    "audit": audit,
    "tradeoff": tradeoff,
    "block": block,
    "hide": hide,
    "Transactions": Asked,
}
"""What stands in a law's module for the name of the local verb."""


# The laws.


class Law(NamedTuple):
    """A test, the name in its module that Spark answers to, and arguments that are not drawn."""

    verb: str
    test: object
    arguments: dict[str, object]
    ways: tuple[str, ...] = ("driver", "executors")


def each(verb, test, **arguments):
    """Return a law for each of several values of its one argument."""
    [(name, values)] = arguments.items()
    return [Law(verb, test, {name: value}) for value in values]


KINDS = ("frequent", "closed", "maximal")
SAFE = ("suppress", "add")
ALWAYS_THERE = ("executors",)
"""Hiding and queries are done in the executors, whatever the budget."""
CLOSED, STATIC = {"kind": "closed"}, {"reading": "static"}

LAWS = [
    Law("mined", test_laws.test_all_ways_of_mining_find_what_the_definition_says, {}),
    *each("mined", test_laws.test_all_ways_of_mining_find_what_the_definition_says_within_a_length, kind=KINDS),
    *each("mined", test_laws.test_all_ways_of_mining_find_what_the_definition_says_over_many_items, kind=KINDS[1:]),
    Law("mined", test_laws.test_all_ways_of_mining_find_what_the_definition_says_where_rows_are_repeated, CLOSED),
    Law("detect", test_detect.test_all_methods_find_the_maximal_channels_in_order, {"method": "projection"}),
    Law("detect", test_detect.test_all_methods_find_the_maximal_channels_of_short_itemsets, {"method": "projection"}),
    Law("detect", test_merged.test_merged_rows_have_the_channels_of_the_definition, {"method": "auto"}),
    Law("audit", test_audit.test_rows_are_released_if_and_only_if_no_channel_is_found, {}),
    Law("audit", test_audit.test_an_audit_tells_whether_the_tops_are_acyclic, {}),
    Law("audit", test_merged.test_as_many_rows_are_exposed_as_by_the_definition, {}),
    Law("audit", test_merged.test_an_audit_of_merged_rows_is_the_same_to_the_last_byte, {}),
    Law("tradeoff", test_tradeoff.test_the_grid_holds_what_each_release_would_tell, {}),
    Law("tradeoff", test_tradeoff.test_the_smallest_safe_support_is_that_of_the_definition, {}),
    Law("tradeoff", test_tradeoff.test_a_share_is_the_count_it_stands_for, {}),
    *each("block", test_block.test_no_channel_is_left, method=SAFE),
    *each("block", test_block.test_what_is_published_is_what_the_witness_has, method=SAFE),
    Law("block", test_block.test_the_distortion_is_that_of_all_frequent_itemsets, {"method": "suppress"}),
    Law("block", test_block.test_suppress_leaves_out_what_channels_single_out_round_after_round, {}),
    Law("block", test_block.test_add_has_k_copies_of_each_base_of_a_channel, {}),
    *(
        Law("hide", test, {"method": method, **STATIC}, ALWAYS_THERE)
        for method in test_hide.METHODS
        for test in (
            test_hide.test_rows_are_those_of_the_text_for_a_disclosure_of_each_itemset,
            test_hide.test_rows_are_those_of_the_text_below_a_minimum_support,
        )
    ),
    Law("hide", test_hide.test_what_is_left_is_at_most_what_may_be_disclosed, STATIC, ALWAYS_THERE),
    Law("hide", test_hide.test_repeated_itemsets_count_once_with_the_smaller_share, STATIC, ALWAYS_THERE),
    Law("Transactions", test_query.test_a_query_finds_exactly_the_rows_that_make_its_formula_true, {}, ALWAYS_THERE),
    Law("Transactions", test_query.test_de_morgan_holds, {}, ALWAYS_THERE),
    Law("Transactions", test_query.test_a_query_of_ands_alone_counts_the_itemset, {}, ALWAYS_THERE),
]


def rows_in(drawn):
    """Return the rows of what a law draws: they come first in a case."""
    return drawn[0] if isinstance(drawn, tuple) else drawn


def has_one_type(drawn):
    """Return whether Spark has a type for all items."""
    return {type(item) for row in rows_in(drawn) for item in row} in (set(), {str}, {int})


def is_rich(drawn):
    """Return whether there is much to be found: with so few examples, not all should be simple ones.

    Several rows differ, and what a case says beside them (a minimum support, k) is at most half of their number.
    """
    rows = rows_in(drawn)
    limits = [number for number in drawn[1:] if isinstance(number, int)] if isinstance(drawn, tuple) else []
    return has_one_type(drawn) and len(set(map(frozenset, rows))) > 4 and max(limits, default=0) <= len(rows) / 2


BUDGETS = {"driver": None, "executors": 0}
"""What leads there."""


def run(law, wanted):
    """Run a law on one example, in which the rows are as ``wanted``."""
    told = law.test.hypothesis
    drawn = {
        name: strategy.filter(wanted) if name in {"case", "rows"} else strategy
        for name, strategy in told._given_kwargs.items()
        if name not in law.arguments
    }
    # A smaller example of a failure would take minutes to find.
    one = settings(
        max_examples=1,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    one(given(**drawn)(told.inner_test))(**law.arguments)


def is_first(law):
    """Return whether a law is the first of its verb: the driver and no rows are alike for others."""
    return law is next(one for one in LAWS if one.verb == law.verb)


def called(law, way):
    """Return the id of a law."""
    return "-".join([law.test.__name__.removeprefix("test_"), *map(str, law.arguments.values()), way])


@pytest.mark.parametrize(
    ("law", "way"),
    [
        pytest.param(law, way, id=called(law, way))
        for law in LAWS
        for way in (law.ways if is_first(law) else ALWAYS_THERE)
    ],
)
def test_a_law_of_the_local_verbs_holds_on_spark(monkeypatch, spark, law, way):
    monkeypatch.setattr(sys.modules[law.test.__module__], law.verb, partial(VERBS[law.verb], spark, BUDGETS[way]))
    monkeypatch.setattr(test_laws, "STRATEGIES", ["auto"])
    if is_first(law) and way == "executors":
        run(law, has_one_type)  # the first example of all is the simplest: no rows, or rows without items
    run(law, is_rich)
