"""Block: patterns that are safe to publish, with the least change."""

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from typing import Literal, TypeAlias, Unpack

from discreet.blocking.compare import METHODS, RIVALS, Comparison, compared, solved
from discreet.blocking.problem import Problem
from discreet.blocking.release.release import Release
from discreet.data.labels import Label
from discreet.data.merged import Merged, Rows, as_rows
from discreet.data.thresholds import Threshold
from discreet.data.transactions import Transactions
from discreet.disclosure.attacks.finding import Level, as_level
from discreet.errors import Option, OptionError
from discreet.judging.policy import Policy, as_policy
from discreet.mining.mine import Budget, mine
from discreet.mining.watch import Limits
from discreet.runtime.progress import watching
from discreet.runtime.resources import as_seconds

__all__ = ["Comparison", "Method", "block", "compare"]

Method: TypeAlias = Literal["best", "suppress", "add", "withhold", "optimal"]


def block(  # noqa: PLR0913 - all but one by their names, and each a choice of its own
    rows: Rows | Iterable[Iterable[Label]],
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    method: Method = "best",
    merge: bool = False,
    keep_n: bool = False,
    seconds: float = 60.0,
    against: Level = "plain",
    **budget: Unpack[Budget],
) -> Release:
    """Return patterns of ``rows`` that are safe to publish: no fact about 1 to k − 1 rows follows from them.

    The closed itemsets with ``min_support`` would be published, but for their inference channels. The minimum support
    becomes a count once, before anything is changed. ``method`` says how channels are blocked:

    - "suppress": rows that a channel singles out are left out, until there is no channel (ICDM 2005, corrected);
    - "add": k copies of the base of each channel are added; every itemset stays frequent. With ``merge=True`` fewer
      rows are looked for that serve several channels at once;
    - "withhold": only itemsets without a channel are published, with exact supports; that is not the whole list of any
      rows, and readers are not to take what is missing for rare;
    - "optimal": the least average distortion that can be found in ``seconds``, with a proof of how far it is from the
      best; with ``keep_n=True`` the number of rows stays as it is;
    - "best": all of these that fit but "withhold", and the one of the least average distortion.

    The release withstands whom it is ``against``: "plain" adds and subtracts supports, as a channel does; "derive" and
    "linear" infer more (``attack``). What they find is blocked too, until they find nothing. Against "exact", for up to
    12 items, no pattern of AND, OR and NOT over the published items then holds for 1 to k − 1 rows in every database
    that fits; where that is not decided in time, nothing is released.

    After each, detection runs on what would be published and finds nothing, and its supports are recounted, or
    nothing is released. The other options are those of ``mine``.

    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> release = block(rows, min_support=10, k=10, method="add")
    >>> [(sorted(itemset), support) for itemset, support in release.patterns]
    [([], 110), (['a', 'b'], 60), (['a', 'b', 'c'], 48)]
    """
    if method not in {"best", *METHODS}:
        raise OptionError(f"method is {str(method)[:40]!r}; it must be one of best, {', '.join(METHODS)}")
    if merge and method != "add":
        raise OptionError(Option("merge"), f" is for the method 'add', not for {method!r}; leave it out")
    if keep_n and method in {"suppress", "add"}:
        raise OptionError(
            f"the method {method!r} changes the number of rows; leave ", Option("keep_n"), " out, or use 'optimal'"
        )
    if isinstance(rows, Merged) and method in {"best", "optimal"}:
        raise OptionError(
            f"the method {method!r} needs the rows themselves, not merged ones; use suppress, add or withhold"
        )
    rule, wait, level = as_policy(policy, k), as_seconds(seconds), as_level(against)
    with watching(budget.get("progress"), then="blocking") as budget["progress"]:
        problem = mined(rows, min_support, rule.k, budget)
        problem = replace(problem, merge=merge, keep_n=keep_n, seconds=wait, against=level)
        return compared(problem, rule, RIVALS).best if method == "best" else solved(method, problem, rule)


def compare(
    rows: Transactions | Iterable[Iterable[Label]],
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    keep_n: bool = False,
    seconds: float = 60.0,
    against: Level = "plain",
    **budget: Unpack[Budget],
) -> Comparison:
    """Return what each method of ``block`` makes of ``rows``, side by side, and which is to be recommended.

    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> compare(rows, min_support=10, k=10).best.method
    'optimal'
    """
    if isinstance(rows, Merged):
        raise OptionError(
            "methods are compared on the rows themselves, not on merged ones; block by suppress, add or withhold"
        )
    rule, wait, level = as_policy(policy, k), as_seconds(seconds), as_level(against)
    with watching(budget.get("progress"), then="comparing methods") as budget["progress"]:
        problem = mined(rows, min_support, rule.k, budget)
        return compared(replace(problem, keep_n=keep_n, seconds=wait, against=level), rule)


def mined(rows: Rows | Iterable[Iterable[Label]], min_support: Threshold, k: int, budget: Budget) -> Problem:
    """Return what the methods are asked: the rows, mined."""
    data = as_rows(rows)
    patterns = mine(data, min_support=min_support, kind="closed", **budget)
    limits = Limits(budget.get("threads"), budget.get("max_patterns"), budget.get("memory"), budget.get("progress"))
    return Problem(data, patterns, k, limits)
