"""Itemsets in PMML, as arules writes them: shares of a stated number of transactions."""

from io import BytesIO

import oracle
import pytest
from click.testing import CliRunner
from hypothesis import given
from strategies import databases

from discreet import InputError, audit, mine, read_patterns
from discreet.cli import main


def as_pmml(family, n, *, state_n=True, rules=""):
    """A family of itemsets as an association model without rules."""
    items = sorted({item for itemset in family for item in itemset})
    named = "".join(f'<Item id="{at}" value="{item}"/>' for at, item in enumerate(items))
    listed = "".join(
        f'<Itemset id="s{at}" support="{support / n!r}">'
        + "".join(f'<ItemRef itemRef="{items.index(item)}"/>' for item in sorted(itemset))
        + "</Itemset>"
        for at, (itemset, support) in enumerate(family.items())
    )
    stated = f' numberOfTransactions="{n}"' * state_n
    return f'<PMML version="4.4"><AssociationModel{stated}>{named}{listed}{rules}</AssociationModel></PMML>'.encode()


@given(databases().filter(bool))
def test_itemsets_are_read_with_exact_counts(rows):
    texts = [frozenset(f"item {item}" for item in row) for row in rows]
    family = {itemset: support for itemset, support in oracle.frequent(texts, 1).items() if itemset}
    found = read_patterns(BytesIO(as_pmml(family, len(rows))), format="pmml")
    assert dict(found) == {**family, frozenset(): len(rows)}


def test_a_model_of_itemsets_is_judged(tmp_path):
    path, rows = tmp_path / "itemsets.pmml", [["a", "b"]] * 48 + [["a"]] * 2 + [["b"]] * 20 + [["c"]] * 30
    path.write_bytes(as_pmml({one: many for one, many in mine(rows, min_support=10, kind="frequent") if one}, 100))
    assert audit(read_patterns(path), k=10).verdict == "WITHHOLD"
    assert CliRunner().invoke(main, ["audit", str(path), "-k", "10"]).exit_code == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (as_pmml({frozenset("a"): 3}, 10, state_n=False), "say it with n="),
        (as_pmml({frozenset("a"): 3}, 10).replace(b'support="0.3"', b""), "has no support"),
        (as_pmml({frozenset("a"): 3}, 10).replace(b"0.3", b"0.33"), "which is no count of 10 rows"),
    ],
)
def test_what_is_missing_is_said(data, words):
    with pytest.raises(InputError, match=words):
        read_patterns(BytesIO(data), format="pmml")
