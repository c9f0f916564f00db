"""Known numbers of the public files, as published and recounted: all without the empty itemset."""

import os
from functools import cache

import pytest

from discreet import InputError, datasets, mine

GOLDEN = [
    ("mushroom", "10%", "frequent", 574_431),
    ("mushroom", "10%", "closed", 4_885),
    ("mushroom", "10%", "maximal", 547),
    ("mushroom", "15%", "closed", 2_261),
    ("mushroom", "15%", "maximal", 321),
    ("mushroom", "25%", "frequent", 5_545),
    ("mushroom", "25%", "closed", 688),
    ("mushroom", "25%", "maximal", 105),
    ("chess", "75%", "frequent", 20_993),
    ("chess", "75%", "closed", 11_525),
    ("chess", "75%", "maximal", 489),
    ("chess", "80%", "frequent", 8_227),
    ("chess", "80%", "closed", 5_083),
    ("chess", "80%", "maximal", 226),
    ("retail", 353, "frequent", 831),
    ("retail", 353, "maximal", 424),
]


@cache
def load(name):
    """Return a data set, or skip the test where it is not at hand."""
    if not os.environ.get("DISCREET_DATA"):
        pytest.skip("DISCREET_DATA names no folder of data sets")
    try:
        return datasets.load(name)
    except InputError as error:
        if "not on this machine" not in str(error):
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize(("name", "min_support", "kind", "expected"), GOLDEN)
def test_public_files_have_the_known_number_of_itemsets(name, min_support, kind, expected):
    patterns = mine(load(name), min_support=min_support, kind=kind)
    assert len(patterns) - ([] in patterns) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("mushroom", (8124, 119)), ("chess", (3196, 75)), ("retail", (88162, 16470))]
)
def test_public_files_have_the_known_number_of_rows_and_items(name, expected):
    rows = load(name)
    assert (len(rows), len(rows.labels)) == expected
