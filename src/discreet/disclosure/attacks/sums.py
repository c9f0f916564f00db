"""Plain: groups of fewer than k rows that sums of published supports reveal, as in ``detect``."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice
from typing import Final, TypeAlias

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.lattice import Cells, Family, avoid
from discreet.disclosure.attacks.bitmaps import as_bytes, as_lines, as_numbers, as_words, pack, unpack
from discreet.disclosure.attacks.certificate import LONGEST, CellSum, Certificate, Claim, Sum
from discreet.disclosure.attacks.derive import SearchTask, list_known
from discreet.disclosure.attacks.facts import Codes, Facts, Relation
from discreet.disclosure.attacks.finding import Finding, Searched, Undecided
from discreet.disclosure.attacks.formula import Mark, Pattern, subsets
from discreet.disclosure.attacks.totals import Totals, too_many
from discreet.disclosure.channels import Channels, as_bits, places
from discreet.errors import BudgetError

Pair: TypeAlias = tuple[Codes, Codes]  # an itemset that rows hold, and a larger one that they do not hold whole

SUM: Final = CellSum()  # the pattern's own sum of supports
MOST_STEPS: Final = 20_000_000  # pairs of itemsets to join: some seconds
MOST_MEETINGS: Final = 1_000_000_000  # comparisons of wider with listed itemsets: some seconds as well
LONGEST_ADDED: Final = 12  # items that a pattern adds to its base: its cells grow as a power of two
MOST_CELLS: Final = 1 << 20  # of all differences together


def infer(task: SearchTask) -> Searched:
    """Return the groups of 1 to k − 1 rows that sums of supports reveal: cells, then differences.

    >>> from discreet import mine
    >>> print(*infer(SearchTask(Facts.of(mine([["a", "b"], ["a", "b"], ["a"]], min_support=2)), k=2)).findings)
    a ∧ ¬b: 1 row
    """
    return _infer_cells(task).join(infer_differences(task))


def _infer_cells(task: SearchTask) -> Searched:
    """Return the maximal channels, over the largest itemsets with known supports; a schema says which are 0."""
    facts = task.facts
    if facts.low[0] != facts.high[0]:
        return Searched([])
    families, undecided = list[Family](), list[Undecided]()
    try:
        families.append(known_family(facts, task.itemsets))
        wide = widen_family(families[0], facts.schema) if facts.schema else None
        families += [] if wide is None else [wide]
    except BudgetError as error:
        undecided.append(Undecided(1, "publication", str(error)))
    cells = [(family, family.cells(task.k)) for family in families]
    claims = islice(chain.from_iterable(_claim_cells(*each, facts) for each in cells), task.findings)
    findings = [Finding(Certificate(claim), "plain", facts) for claim in claims]
    more = sum(each.counts.size for _, each in cells) - len(findings)
    if more:
        undecided.append(Undecided(more, "findings", "so many are not listed"))
    return Searched(findings, undecided)


def _claim_cells(family: Family, cells: Cells, facts: Facts) -> Iterator[Claim]:
    """Yield the claims about small cells of a family's tops."""
    for at in np.argsort(cells.tops, kind="stable").tolist():
        base = frozenset(cells.bases[at].tolist())
        top = family.top_itemsets[int(cells.tops[at])].tolist()
        lacked = {item for item in top if item not in base and not facts.excludes(base | {item})}
        if facts.absent == 0 and len(lacked) > LONGEST:  # most of them occur in no row with the base
            lacked = {item for item in lacked if facts.limits(base | {item})[1]}
        count = int(cells.counts[at])
        yield Claim(Pattern.conjunction(base, lacked), count, count, SUM, SUM)


def known_family(facts: Facts, most: int) -> Family:
    """Return the itemsets with known supports as a lattice; missing ones too if their support is 0.

    More than ``most`` are a BudgetError.
    """
    own = facts.itemsets.weigh(facts.low) if facts.inherited else list_known(facts, most)
    tops = np.flatnonzero(kernels.lattice.find_maximal(*own.flat, len(facts.labels)))
    # If two lists are incomplete, the older one may lack an item that all rows of a top hold.
    partial = facts.absent is None and any(isinstance(label, Mark) for label in facts.labels)
    family = Family(Itemsets(*own.flat), own.weights, tops, facts.labels, facts.n, not facts.inherited, partial)
    if facts.absent != 0:
        return family
    is_whole = facts.inherited or len(own) == len(facts)
    return family.complete(facts.max_length) if is_whole else _add_zeros(family, facts)


def _add_zeros(family: Family, facts: Facts) -> Family:
    """Add the largest itemsets whose parts are all known, or within no listed one and so 0.

    They lack an item of each smallest part that is neither. Too many of them are a BudgetError.
    """
    tops = avoid(range(len(facts.labels)), _find_unknown(family, facts))
    wide = [top for top in tops if not facts.is_below(frozenset(top))]
    return family.widen(Itemsets.of(wide), partial=True) if wide else family


def _find_unknown(family: Family, facts: Facts) -> list[Codes]:
    """Return the smallest itemsets whose supports are unknown: within listed ones, or beyond the length of a cut."""
    known = {frozenset(codes.tolist()) for codes in family.itemsets}
    longer = {itemset | {item} for itemset in known for item in range(len(facts.labels))} - known
    parts = (one for one in longer if all(one - {item} in known for item in one))
    is_open = (one for one in parts if (facts.is_below(one) or facts.missing(one)) and not facts.excludes(one))
    return sorted(is_open, key=sorted)


def widen_family(family: Family, schema: Iterable[Codes], largest: Sequence[int] | None = None) -> Family | None:
    """Return the family with wider itemsets as its tops, the largest ones, or None if there are none.

    Each part of a wider itemset is listed, or has two items of a group of the schema and so support 0. Hence all its
    cells are known. Too many of them are a BudgetError. ``largest`` are they, as ``find_largest`` finds them.

    >>> from discreet import Patterns
    >>> from discreet.data.lattice import build_family
    >>> listed = build_family(Patterns.from_itemsets([([], 90), (["f"], 40), (["m"], 48)], n=90))
    >>> wide = widen_family(listed, [frozenset([0, 1])])
    >>> [sorted(wide.labelled(top)) for top in wide.tops], wide.cells(limit=5).counts.tolist()
    ([['f', 'm']], [2])
    """
    many = len(family.labels)
    listed = pack(family.top_itemsets, many)
    found = find_largest(listed, map(as_bits, schema), many) if largest is None else largest
    known = set(listed)
    wider = [one for one in found if one not in known]
    if not wider:
        return None
    if len(wider) * family.items.size > MOST_MEETINGS:
        raise too_many()
    wide, new = family.widen(unpack(wider, many), partial=True), set(wider)
    return replace(wide, tops=wide.tops[[top in new for top in pack(wide.top_itemsets, many)]])


def find_remainders(family: Family, schema: Iterable[Codes], k: int) -> Channels:
    """Return the cells of 1 to k − 1 rows that only a reader of the schema can add up, under wider itemsets.

    >>> from discreet import Patterns
    >>> from discreet.data.lattice import build_family
    >>> listed = build_family(Patterns.from_itemsets([([], 90), (["f"], 40), (["m"], 48)], n=90))
    >>> print(*find_remainders(listed, [frozenset([0, 1])], 5))
    ¬f ∧ ¬m: 2 rows
    """
    groups = tuple(schema)
    totals = find_totals(family, groups)
    wide, more = widen_family(family, groups, totals.largest), [*totals.find_cells(k)]
    known = replace(family, tops=family.tops[:0]) if wide is None else wide
    tops = list(dict.fromkeys(cell.top for cell in more))
    place = {top: at for at, top in enumerate(tops, start=known.tops.size)}
    beyond = Cells(
        np.array([place[cell.top] for cell in more], dtype=np.int32),
        Itemsets.of(places(cell.base) for cell in more),
        np.array([cell.rows for cell in more], dtype=np.int64),
    )
    every = Itemsets.concat([known.top_itemsets, Itemsets.of(map(places, tops))])
    return Channels.from_cells(Cells.concat([known.cells(k), beyond]), every, family.labels, n=family.n, k=k)


def find_totals(family: Family, schema: Iterable[Codes]) -> Totals:
    """Return what follows because every row holds a value of some attributes."""
    return Totals(family, schema, find_largest)


def find_largest(tops: Sequence[int], groups: Iterable[int], many: int) -> list[int]:
    """Return the largest itemsets whose parts all lie within a top, or hold two items of a group.

    An itemset is a number with a bit for each of ``many`` items. A row holds at most one item of a group, so itemsets
    with one value each join into one: the other items that they share, with all their values. One pass over the groups
    is enough, as in Tison's method for prime implicants (1967).

    >>> [bin(one) for one in find_largest([0b101, 0b110], [0b011], 3)]
    ['0b111']
    """
    lines, steps = as_lines([*dict.fromkeys(tops)], many), 0
    used = np.flatnonzero(lines.any(axis=0))
    largest = as_words(lines[:, used])
    for group in as_words(as_lines([*groups], many)[:, used]):
        largest, more = kernels.joining.join(largest, group, MOST_STEPS - steps)
        steps += more
        if steps > MOST_STEPS:
            raise too_many()
        is_largest = kernels.lattice.find_maximal(*kernels.joining.list_items(largest), 64 * largest.shape[1])
        largest = largest[is_largest]
    found = np.zeros((len(largest), lines.shape[1]), dtype=np.uint8)
    found[:, used] = as_bytes(largest)[:, : used.size]
    return as_numbers(found)


def infer_differences(task: SearchTask) -> Searched:
    """Return the listed itemsets of 1 to k − 1 rows, and pairs that differ by so many, by their limits alone.

    In a complete list each difference is a sum of cells, which ``infer`` searches. Maximal itemsets, lists with gaps
    and limits leave cells open whose sum is known: if 5 of n = 7 rows hold a and b, 2 rows lack one of them.

    >>> facts = Facts.from_limits([(["a", "b"], 5, 5)], n=7)
    >>> print(*infer_differences(SearchTask(facts, k=5)).findings)
    ¬(a ∧ b): 2 rows
    """
    facts = task.facts
    if facts.inherited:
        return Searched([])
    summed = {frozenset(codes.tolist()) for codes in list_known(facts, task.itemsets)}
    related = (relation for relation in facts.relations if [times for _, times in relation.times] == [1, -1])
    leasts = {(one, other): least for ((one, _), (other, _)), least in related}
    findings: list[Finding] = []
    cells, long, more = 0, 0, 0
    for base, top in dict.fromkeys(_find_pairs(facts, leasts, task.k, task.findings + 1)):
        if top in summed:
            continue
        if len(top - base) > LONGEST_ADDED:
            long += 1
        elif len(findings) < task.findings and cells < MOST_CELLS:
            claim = Claim(_build_pattern(base, top), *_bound_difference(facts, leasts, base, top))
            findings.append(Finding(Certificate(claim), "plain", facts))
            cells += 1 << len(top - base)
        else:
            more += 1
    undecided = [(long, f"they are of more than {LONGEST_ADDED} items"), (more, "so many are not listed")]
    return Searched(findings, [Undecided(many, "differences", why) for many, why in undecided if many])


def _find_pairs(facts: Facts, leasts: Mapping[Pair, int], k: int, most: int) -> Iterator[Pair]:
    """Yield listed itemsets of 1 to k − 1 rows, each paired with itself, then pairs that surely differ by so many."""
    few = ((facts.low > 0) & (facts.high < k)).nonzero()[0]
    yield from ((itemset, itemset) for itemset in map(facts.itemset, few[:most].tolist()))
    listed, many = facts.itemsets.flat, max(1, len(facts.labels))
    trie = kernels.inversion.plant(*listed)
    pairs = kernels.closure.find_gaps(trie, *listed, facts.low, facts.high, many, k, most)
    yield from ((facts.itemset(base), facts.itemset(top)) for base, top in pairs.tolist())
    for base, top in (sorted(pair, key=len) for pair in leasts):
        low, high, _, _ = _bound_difference(facts, leasts, base, top)
        if 0 < low <= high < k:
            yield base, top


def _build_pattern(base: Codes, top: Codes) -> Pattern:
    """Return the pattern of the rows that hold ``base`` but not all of ``top``; ``top`` itself if both are equal."""
    if base == top:
        return Pattern.conjunction(top)
    return Pattern(top, frozenset(base | some for some in subsets(top - base)) - {top})


def _bound_difference(facts: Facts, leasts: Mapping[Pair, int], base: Codes, top: Codes) -> tuple[int, int, Sum, Sum]:
    """Return the limits of the rows of such a pattern, with proofs; ``leasts`` are differences that relations state."""
    (low, high), (less, more) = facts.listed[base], facts.listed[top]
    if base == top:
        itself = Sum(((top, Fraction(1)),))
        return low, high, itself, itself
    lower = upper = Sum(((base, Fraction(1)), (top, Fraction(-1))))
    low, high = low - more, high - less
    least, most = leasts.get((base, top), low), -leasts.get((top, base), -high)
    if least > low:
        low, lower = least, Sum(relations=((Relation(((base, 1), (top, -1)), least), Fraction(1)),))
    if most < high:
        high, upper = most, Sum(relations=((Relation(((top, 1), (base, -1)), -most), Fraction(-1)),))
    return low, high, lower, upper
