"""The methods of ``block``: how each works, in words, and its functions."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from discreet.blocking import methods
from discreet.blocking.generalize import generalize, generalize_more
from discreet.blocking.optimal import minimize_distortion
from discreet.blocking.problem import Form
from discreet.blocking.repeats import repeat


class Blocker(NamedTuple):
    """A method of ``block``: how it works, in words, and its functions.

    ``resist`` is its form against an attacker who infers more than channels. ``merged`` are both forms with fewer rows,
    each for several channels. A method ``is_whole`` if it publishes the whole list of some rows; and ``is_search`` if
    it takes ``seconds`` and needs the rows themselves, not merged. ``with_schema`` is the form for readers who know a
    schema, against any attacker, where that is another one. If it ``fits_beside``, its releases can be made safe
    together with older ones. One that is ``by_hierarchy`` needs the parents of items. If it ``bounds_belief``, it goes
    on until readers believe in no small group beyond a bound.
    """

    how: str
    solve: Form
    resist: Form
    merged: tuple[Form, Form] | None = None
    is_whole: bool = True
    is_search: bool = False
    with_schema: Form | None = None
    fits_beside: bool = False
    by_hierarchy: bool = False
    bounds_belief: bool = False


METHODS: Final[Mapping[str, Blocker]] = {
    "suppress": Blocker(
        "rows singled out by inference channels are left out",
        methods.suppress,
        methods.suppress_more,
        bounds_belief=True,
    ),
    "add": Blocker(
        "rows are added to those that inference channels single out, until there are k or more of them",
        methods.add,
        methods.add_more,
        merged=(methods.add_merged, methods.add_merged_more),
        with_schema=repeat,
    ),
    "withhold": Blocker(
        "itemsets with an inference channel are left out, and the others have their exact supports",
        methods.withhold,
        methods.withhold_more,
        is_whole=False,
        fits_beside=True,
        bounds_belief=True,
    ),
    "generalize": Blocker(
        "values are replaced by their parents in the hierarchy, in all rows, and all supports are exact",
        generalize,
        generalize_more,
        by_hierarchy=True,
    ),
    "optimal": Blocker(
        "rows are left out and others added, so that supports change as little as could be found",
        minimize_distortion,
        minimize_distortion,
        is_search=True,
    ),
}
"""Every method by its name; a new one is a file and an entry here. They are compared in this order."""
BEST: Final = "best"  # the method that a comparison of all recommends


def describe(method: str) -> str | None:
    """Return what a method does, for readers who do not know it; None if it is unknown."""
    words = {name: blocker.how for name, blocker in METHODS.items()}
    return {BEST: "several methods are tried, and one that stays close to the rows is taken", **words}.get(method)
