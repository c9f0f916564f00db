"""No public file of "withhold" differs by a byte if rows differ in nothing but what is withheld: random pairs."""

import os
from collections import Counter
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import oracle
from test_public import FORMATS

from discreet import block, write_release
from discreet.report import folder_html

PAIRS = 100 if os.environ.get("CI") else 200
NOW = datetime(2024, 5, 17, tzinfo=UTC)
ASKED = [{}, {"max_length": 2}, {"against": "derive"}, {"policy": "acro"}, {"keep_n": True}]


def random_rows(rng):
    """Rows of three to five items, some of which go together, so that many cells are small."""
    items, n = "abcde"[: rng.randint(3, 5)], rng.randint(20, 60)
    likely = {item: rng.choice([0.3, 0.5, 0.8]) for item in items}
    rows = [{item for item in items if rng.random() < likely[item]} for _ in range(n)]
    return [frozenset(row | {"b"} if "a" in row and rng.random() < 0.9 else row) for row in rows]


def shift(rows, itemset, beside, times):
    """Return rows in which only the supports of ``itemset`` and its supersets differ; None if there are none.

    Rows with an even number of the itemset's items missing are added, and those with an odd number taken away, or the
    other way round; ``beside`` are the other items that all of them hold.
    """
    counts = Counter(rows)
    for part in oracle.subsets(itemset):
        counts[part | beside] += times * (-1) ** len(itemset - part)
    return None if min(counts.values()) < 0 else sorted(counts.elements(), key=sorted)


def told(release):
    """What is published of a release."""
    return release.patterns.n, {frozenset(one): held for one, held in release.patterns}


def pairs(rng):
    """Yield pairs of releases of different rows that publish the same."""
    for asked in cycle(ASKED):
        rows, sigma, k = random_rows(rng), rng.randint(3, 8), rng.choice([3, 5])
        question = {"min_support": sigma, "k": max(k, 10 * ("policy" in asked)), "method": "withhold", **asked}
        release = block(rows, **question)
        everything = sorted(frozenset().union(*rows))
        hidden = [one for one in oracle.subsets(everything) if len(one) > 1 and one not in told(release)[1]]
        for itemset in rng.sample(sorted(hidden, key=sorted), min(3, len(hidden))):
            beside = frozenset(item for item in everything if item not in itemset and rng.random() < 0.5)
            others = [shift(rows, itemset, beside, times) for times in (-2, -1, 1, 2)]
            releases = (block(other, **question) for other in others if other is not None)
            yield from ((release, other) for other in releases if told(other) == told(release) and told(release)[1])


def public_files(release, form):
    """Every public file of a release, by its name; its public page, and the page that its folder gives."""
    with TemporaryDirectory() as top:
        place = Path(top, "release")
        write_release(release, place, format=form)
        files = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
        return {**files, "page": release.to_html(timestamp=NOW), "of the folder": folder_html(place, timestamp=NOW)}


def test_public_files_do_not_differ_if_only_what_is_withheld_does(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)  # these folders need not outlive a crash
    many = frequent = gaps = 0
    last, forms = None, cycle(FORMATS)
    found = islice(pairs(Random(20)), PAIRS)  # noqa: S311 - no secret
    for one, other in found:
        if one is not last:
            last, form = one, next(forms)
            expected = public_files(one, form)
        assert public_files(other, form) == expected
        many += 1
        frequent += {*one.original} != {*other.original}
        gaps += one.costs != other.costs
    assert many == PAIRS
    # In most pairs, itemsets that would be published without blocking differ, and so does what the owner is told.
    assert frequent > PAIRS / 2
    assert gaps > PAIRS / 10
