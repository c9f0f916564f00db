"""What the public is told: the same whatever was changed, so that knowing the method is of no use to a reader."""

import os
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import oracle
import pytest

from discreet import BudgetError, attack, block, write_release
from discreet.report import public_facts

LARGE = bool(os.environ.get("DISCREET_LARGE"))
ASKED = {
    "suppress": {"method": "suppress"},
    "add": {"method": "add"},
    "add, merged": {"method": "add", "merge": True},
    "withhold": {"method": "withhold"},
    "optimal": {"method": "optimal"},
    "optimal, n kept": {"method": "optimal", "keep_n": True},
    "best": {"method": "best"},
    "best, n kept": {"method": "best", "keep_n": True},
    "suppress against derive": {"method": "suppress", "against": "derive"},
    "add against derive": {"method": "add", "against": "derive"},
    "withhold against derive": {"method": "withhold", "against": "derive"},
    "optimal against derive": {"method": "optimal", "against": "derive"},
}
"""What a release is asked to be, beside the minimum support and k."""
PAIRS = 2000 // len(ASKED) + 1 if LARGE else 12 if os.environ.get("CI") else 25
FORMATS = ("json", "csv", "spmf", "borgelt", "parquet")


def published(release):
    """What is published of a release, as a key."""
    return (
        release.patterns.kind,
        release.patterns.n,
        frozenset((frozenset(one), held) for one, held in release.patterns),
    )


def public_bytes(release, form):
    """Every public file of a release, by its name, and its public page."""
    with TemporaryDirectory() as top:
        place = Path(top, "release")
        write_release(release, place, format=form)
        return {"page": release.to_html()} | {
            path.name: path.read_bytes() for path in place.iterdir() if path.is_file()
        }


def disguised(rows, sigma, rng):
    """The same rows in another order; some have items that are too rare to be published."""
    rows = [set(row) for row in rows]
    rng.shuffle(rows)
    for row in rows[: sigma - 1]:
        row |= {"!", "~", 7}
    return rows


def few_rows(rng):
    """Rows of two or three items, so few that many have the same release."""
    kinds = list(oracle.subsets("ab" if rng.random() < 0.8 else "abc"))
    return [kind for kind in kinds for _ in range(rng.choice([0, 1, 2, 3, 4, 5]))]


def blocked(rows, question):
    """The release of some rows; None if it is refused, or lists nothing."""
    with suppress(BudgetError):
        release = block(rows, **question)
        return release if len(release.patterns) else None


def pairs(asked, many, rng):
    """Yield pairs of releases of different rows that publish the same, for the same question."""
    for sigma, k in cycle([(4, 3), (3, 3), (3, 4), (2, 3)]):
        question, known = {"min_support": sigma, "k": k, **asked}, {}
        for _ in range(30):
            rows = few_rows(rng)
            if len(rows) < k:
                continue
            release = blocked(rows, question)
            if release is None:
                continue
            others = [known.setdefault(published(release), release)]
            if release.is_whole:
                others.append(block(disguised(map(frozenset, release.witness), sigma, rng), **question))
            for other in others:
                if other is release:
                    continue
                assert published(other) == published(release)
                yield release, other
                many -= 1
                if not many:
                    return


@pytest.mark.parametrize("name", ASKED)
def test_rows_that_publish_the_same_have_the_same_public_bytes(name, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)  # these folders need not outlive a crash
    changed = 0
    for number, (one, other) in enumerate(pairs(ASKED[name], PAIRS, Random(name))):  # noqa: S311 - no secret
        form = FORMATS[number % len(FORMATS)]
        assert public_bytes(one, form) == public_bytes(other, form)
        changed += one.distortion.changed != other.distortion.changed
    assert changed > PAIRS // 10


def originals(asked, sigma, k, most):
    """Each release of up to ``most`` rows of a and b, with all rows that it may come from, as a reader knows them."""
    found = {}
    for n in range(k, most + 1):
        for database in oracle.databases_of("ab", n):
            release = blocked(list(database.elements()), {"min_support": sigma, "k": k, **asked})
            if release is not None and release.patterns.n <= most:
                told = published(release), str(public_facts(release))
                found.setdefault(told, (release, []))[1].append(database)
    return found.values()


def left_alone(release, sigma):
    """All rows of a and b whose frequent itemsets are just those that a release tells the supports of."""
    told = frozenset(oracle.family_of(dict(release.patterns)).items())
    return oracle.releases("ab", release.patterns.n, sigma).get(told, [])


def whole(found):
    """Those of some releases that have a whole list and, if they are the best of several, may be published.

    Of safe rows whose whole list must be withheld all the same, such as one with supports below k, the best is another.
    """
    return (pair for pair in found if pair[0].is_whole and (pair[0].is_safe or not pair[0].compared))


SLOW = pytest.mark.skipif(not LARGE, reason="takes a minute: set DISCREET_LARGE to run it")
WHOLE = [
    *("suppress", "add", "add, merged"),
    *(pytest.param(name, marks=SLOW) for name in ("optimal", "optimal, n kept", "best", "best, n kept")),
]


@pytest.mark.parametrize("name", WHOLE)
def test_who_knows_the_method_infers_no_more_than_from_the_list(name):
    inferred = 0
    for release, databases in whole(originals({"against": "plain", **ASKED[name]}, sigma=2, k=3, most=8)):
        alone = left_alone(release, 2)
        assert alone
        assert all(database in databases for database in alone)
        is_inferred = oracle.is_anything_inferred(databases, "ab", 3)
        assert not is_inferred or attack(release.patterns, k=3, level="exact").findings
        inferred += is_inferred
    assert inferred


@pytest.mark.parametrize("name", WHOLE)
def test_who_knows_the_method_infers_nothing_where_the_exact_attacker_does_not(name):
    for _, databases in whole(originals({**ASKED[name], "against": "exact"}, sigma=2, k=3, most=7)):
        assert not oracle.is_anything_inferred(databases, "ab", 3)


def test_withholding_is_seen_only_where_no_rows_have_just_the_listed_itemsets():
    inferred = []
    for release, databases in originals(ASKED["withhold"], sigma=3, k=2, most=7):
        alone = left_alone(release, 3)
        assert all(database in databases for database in alone)
        is_inferred = oracle.is_anything_inferred(databases, "ab", 2)
        assert not (is_inferred and alone)
        inferred += [published(release)[1:]] * is_inferred
    assert (7, frozenset([(frozenset(), 7), (frozenset("a"), 5), (frozenset("b"), 5)])) in inferred
