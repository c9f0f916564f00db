"""Random values to test laws on."""

from fractions import Fraction
from random import Random

from hypothesis import strategies as st

LABELS = {
    "letters": "abcdefgh",
    "integers": range(8),
    "mixed": ("bread", 3, ("age", 40), "milk", 7, b"raw", 2.5, -1),
}


@st.composite
def databases(draw, max_rows=30, max_items=8):
    """Up to 30 rows over up to 8 items: with repeated and empty rows, items in all rows, and sometimes no rows."""
    labels = LABELS[draw(st.sampled_from(sorted(LABELS)))][: draw(st.just(max_items) | st.integers(1, max_items))]
    n = draw(st.just(max_rows) | st.integers(0, max_rows))
    # A byte a row, a bit an item. Bytes from a seed as well: Hypothesis alone favours small and simple ones.
    seeded = st.integers(0, 2**32).map(lambda seed: Random(seed).randbytes(n))  # noqa: S311 - no secret
    rows = draw(st.binary(min_size=n, max_size=n) | seeded)
    if draw(st.booleans()):
        rows = (rows[: n // 3 + 1] * 3)[:n]
    everywhere = draw(st.just(0) | st.integers(0, 255))
    return [frozenset(label for bit, label in enumerate(labels) if (row | everywhere) >> bit & 1) for row in rows]


@st.composite
def mined_databases(draw):
    """Rows, a minimum support, and the count it stands for: any count, or exactly what an itemset has."""
    rows = draw(databases())
    n = len(rows)
    count = draw(st.integers(1, n + 1))
    if rows and draw(st.booleans()):
        met = draw(st.sampled_from(rows))
        count = sum(met <= row for row in rows)
    forms = [count, str(count)]
    if count <= n:
        forms.append(Fraction(count, n))
    return rows, draw(st.sampled_from(forms)), count


lengths = st.integers(0, 8)
"""The most items an itemset may have."""

shares = st.fractions(0, 1, max_denominator=1000).filter(bool)
"""Shares above 0 and at most 1."""
