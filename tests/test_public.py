"""What the public is told: the same whatever was changed, so that knowing the method is of no use to a reader."""

import os
from collections import defaultdict
from itertools import cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import oracle
import pytest

from discreet import attack, block, write_release

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
PAIRS = 2000 // len(ASKED) + 1 if LARGE else 25
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


def pairs(asked, many, rng):
    """Yield pairs of releases of different rows that publish the same, for the same question."""
    for sigma, k in cycle([(4, 3), (3, 3), (3, 4), (2, 3)]):
        question, known = {"min_support": sigma, "k": k, **asked}, {}
        for _ in range(30):
            rows = few_rows(rng)
            if len(rows) < k:
                continue
            release = block(rows, **question)
            if not len(release.patterns):
                continue
            others = [known.setdefault(published(release), release)]
            if release.is_whole:
                others.append(block(disguised(map(frozenset, release.witness), sigma, rng), **question))
            for other in others:
                if other is not release:
                    assert published(other) == published(release)
                    yield release, other
                    many -= 1
                    if not many:
                        return


@pytest.mark.parametrize("name", ASKED)
def test_rows_that_publish_the_same_have_the_same_public_bytes(name):
    rng = Random(name)
    changed = 0
    for number, (one, other) in enumerate(pairs(ASKED[name], PAIRS, rng)):
        form = FORMATS[number % len(FORMATS)]
        assert public_bytes(one, form) == public_bytes(other, form)
        changed += one.distortion.changed != other.distortion.changed
    assert changed > PAIRS // 10
