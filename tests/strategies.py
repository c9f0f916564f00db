"""Random values to test laws on."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import combinations
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


few_rows = partial(databases, max_rows=6)
"""Databases in which items often come together: an item may be closed by several others."""


@st.composite
def heavy_databases(draw):
    """A few rows, each there up to three hundred times."""
    rows = draw(few_rows())
    return [row for row in rows for _ in range(draw(st.integers(1, 300)))]


@st.composite
def mined_databases(draw, source=databases):
    """Rows, a minimum support, and the count it stands for: any count, or exactly what an itemset has."""
    rows = draw(source())
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


small_databases = partial(databases, max_rows=20, max_items=6)
"""Databases small enough to list all channels, of which 6 items can open 3 ** 6."""


@st.composite
def detected_databases(draw, source=small_databases):
    """Rows, a minimum support and a k: either the larger one, often the same, and now and then above n."""
    rows = draw(source())
    _, _, count = draw(mined_databases(lambda: st.just(rows)))
    k = draw(st.integers(2, 5) | st.integers(1, len(rows) + 2) | st.sampled_from([count, count + 1]))
    return rows, count, k


SHAPES = {
    "sparse": (200, 40, 0.02, 0.25),
    "two words": (300, 70, 0.3, 0.9),
    "three words": (150, 130, 0.3, 0.8),
    "five words": (250, 300, 0.01, 0.2),
}
"""Rows, items, and how many of the rows hold the rarest and the commonest item."""


@st.composite
def large_databases(draw):
    """Rows over many items, and a count that only some pairs of items reach; some rows and some items have twins."""
    n, many, rarest, commonest = SHAPES[draw(st.sampled_from(sorted(SHAPES)))]
    random = Random(draw(st.integers(0, 2**32)))  # noqa: S311 - no secret
    shares = [random.uniform(rarest, commonest) for _ in range(many)]
    rows = [{item for item, share in enumerate(shares) if random.random() < share} for _ in range(n)]
    twins = random.sample(range(many), 3)
    for row in rows:
        row.update(many + twin for twin in twins if twin in row)
    rows += random.choices(rows, k=n // 4)
    pairs = Counter(pair for row in rows for pair in combinations(row, 2)).most_common()
    return rows, pairs[draw(st.sampled_from([30, 300, 700]))][1]


@st.composite
def wide_databases(draw):
    """A few rows, most repeated, over more items than a word has bits; and a count that only some pairs reach."""
    random = Random(draw(st.integers(0, 2**32)))  # noqa: S311 - no secret
    many, everywhere = draw(st.sampled_from([60, 70, 140])), draw(st.booleans())
    shares = [random.uniform(0.02, 0.3) for _ in range(many)]
    rows = [{item for item, share in enumerate(shares) if random.random() < share} for _ in range(40)]
    for row in rows:
        row.update(many + item for item in row & {0, 1, 2})
        row.update({2 * many} if everywhere else ())
    rows = random.choices(rows, k=120)
    pairs = Counter(pair for row in rows for pair in combinations(row, 2)).most_common()
    return rows, pairs[draw(st.sampled_from([20, 80, 150]))][1]


@st.composite
def crowded_databases(draw):
    """Nearly every set of up to 7 items is a row, each a few times: no database has more cells."""
    items = LABELS["letters"][: draw(st.integers(2, 7))]
    random = Random(draw(st.integers(0, 2**32)))  # noqa: S311 - no secret
    often, rest = draw(st.integers(1, 3)), draw(st.sampled_from([0, 0.01, 0.1]))
    rows = [frozenset(items[bit] for bit in range(len(items)) if code >> bit & 1) for code in range(2 ** len(items))]
    return [row for row in rows for _ in range(random.randint(0, 1) if random.random() < rest else often)]
