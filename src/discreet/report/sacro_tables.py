"""The tables of a SACRO folder: what would be published, with flagged cells, and the findings, which must not leave."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from discreet.data.counts import Counts, State, name_values
from discreet.data.itemsets import Itemset, Label
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.facts import Facts, Limits
from discreet.disclosure.channels import Difference, Term, format_sum
from discreet.disclosure.people import PeopleCell
from discreet.io.formats.patterns import iterate_patterns
from discreet.io.notation import HEADER, WITHIN, iterate_codes, sort_pattern_codes
from discreet.judging.audit import Audit
from discreet.judging.finding import AuditFinding
from discreet.judging.policy import CheckName, Verdict
from discreet.publications.counts.equations import Key
from discreet.publications.counts.revealed import Revealed
from discreet.publications.rules.intervals import format_limits
from discreet.publications.rules.rule import Rules
from discreet.publications.series import Change, Changes
from discreet.publications.trees.leaves import Forest, Leaf, Leaves
from discreet.publications.trees.targets import name_value
from discreet.report.findings import cell_names, direction, joined, older_name, rows_that
from discreet.report.svg import Bar, bars_svg
from discreet.runtime.text import printable

SUMS: Final = 1_000  # worst findings whose sums are followed: each takes a pass over all itemsets
MOST_BARS: Final = 6  # sizes from k on that a picture tells apart
CHANGED: Final = ["before", "now", "more or fewer", "since"]  # columns that only changes have; their sum is that of now
Flagged: TypeAlias = dict[CheckName, list[list[int]]]
"""Flagged cells by the check that asks for it: line and column, from 0 on, without the header and the first column."""
Value = TypeVar("Value")


class Signs(NamedTuple):
    """The findings of a check, each with the older releases that it differs from, and the sums of the worst."""

    check: CheckName
    findings: list[tuple[AuditFinding, str]]
    sums: list[list[tuple[Term, Limits]]]


def gather(audit: Audit) -> list[Signs]:
    """Return all findings but implications, which are counts of 0, by the check that found them."""
    by_check: dict[CheckName, list[tuple[AuditFinding, str]]] = {}
    for group in audit.groups:
        if group.kind != "implication":
            since = older_name(group.values.numbers, ()) if isinstance(group.values, Changes) else ""
            by_check.setdefault(group.check.name, []).extend(zip(group, repeat(since), strict=False))
    sums = {check: [_terms(one, audit) for one, _ in findings[:SUMS]] for check, findings in by_check.items()}
    return [Signs(check, findings, sums[check]) for check, findings in by_check.items()]


def _terms(finding: AuditFinding, audit: Audit) -> list[tuple[Term, Limits]]:
    """Return the terms of a sum; a support that is not listed is that of a listed itemset, which is named."""
    terms = finding.limited_terms
    if finding.kind != "remainder" or not isinstance(audit.candidate, Patterns):
        return terms
    return [(term._replace(itemset=_closest(term.itemset, audit.evidence.listed)), limits) for term, limits in terms]


def list_findings(signs: Signs, names: Mapping[Label, str]) -> Iterator[list[str]]:
    """Yield the header, then each finding: in words, its base and top, how many rows, and the sum if we have it."""
    yield ["rows that", "base", "top", "count", "sum", *CHANGED * (signs.check is CheckName.DIFFERENCING)]
    for (one, since), terms in zip(signs.findings, chain(signs.sums, repeat([])), strict=False):
        itemsets = (joined(part, names) for part in (one.who.has, one.who.has.union(*one.who.lacks)))
        texts = (f"sup({joined(term.itemset, names)}) {_limits(*limits)}" for term, limits in terms)
        total = format_sum([term for term, _ in terms], texts) if terms else ""
        whose = f": {one.value.size}" if isinstance(one.value, PeopleCell) else ""
        cells = [f"{rows_that(one.who, names)}{whose}", *itemsets, _limits(one.low, one.high), total]
        if isinstance(one.value, Revealed):
            who = printable(f"{one.value.counted}: {one.value.who or 'everyone'}")
            cells = [who, "", "", _limits(one.low, one.high), printable(one.explain())]
        if isinstance(one.value, Change):
            cells += [str(one.value.before), str(one.value.after), direction(one.value), since]
        yield cells


def _limits(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


class Table(NamedTuple):
    """What would be published: its name, its lines, the header first, the cells that are flagged, and all counts."""

    name: str
    lines: Iterable[list[str]]
    flagged: Flagged
    sizes: Sequence[int]


def name_labels(audit: Audit) -> dict[Label, str]:
    """Return the text of each label of a candidate and of its findings."""
    rules = audit.candidate if isinstance(audit.candidate, Rules) else ()
    stated = chain(() if audit.facts is None else audit.facts.labels, *(rule.both for rule in rules))
    return cell_names({*audit.patterns.labels, *stated})


def tabulate(audit: Audit, signs: Sequence[Signs], names: Mapping[Label, str]) -> Table:
    """Return the candidate as a table in which the counts that give away too much are flagged.

    >>> from discreet import audit
    >>> result = audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10)
    >>> tabulate(result, gather(result), name_labels(result)).flagged
    {<CheckName.CHANNELS: 'inference channels'>: [[1, 0], [2, 0]]}
    """
    match audit.candidate:
        case Patterns():
            table = _list_itemsets(audit, signs, names)
        case Rules() as rules:
            table = _list_rules(rules, audit.k, signs, names)
        case Facts() as facts:
            table = _list_facts(facts, audit.k, signs, names)
        case Counts() as counts:
            table = _list_counts(counts, audit)
        case trees:
            table = _list_leaves(trees, audit)
    return table._replace(flagged={check: cells for check, cells in table.flagged.items() if cells})


def _list_itemsets(audit: Audit, signs: Sequence[Signs], names: Mapping[Label, str]) -> Table:
    listed, policy = sort_pattern_codes(audit.patterns), audit.policy
    supports, texts = listed.supports, [names[label] for label in listed.labels]
    low = (supports > 0) & (supports < policy.k)
    if policy.zeros is not Verdict.RELEASE:
        low |= supports == 0
    lines = {
        CheckName.LOW_COUNTS: np.flatnonzero(low).tolist(),
        CheckName.ROUNDING: np.flatnonzero(supports % (policy.round_to or 1)).tolist(),
        **{one.check: _find_lines(_summed(one), listed) for one in signs},
        CheckName.CLASS_DISCLOSURE: _find_lines(_implied(audit, listed), listed),
    }
    itemsets = ([WITHIN.join([texts[code] for code in one]), str(support)] for one, support in iterate_patterns(listed))
    cells = {check: [[at, 0] for at in ats] for check, ats in lines.items()}
    return Table("itemsets", chain([HEADER], itemsets), cells, supports.tolist())


def _find_lines(itemsets: Iterable[Itemset], listed: Patterns) -> list[int]:
    """Return the lines of those itemsets that have one: the empty itemset, whose support is n, need not be listed."""
    code = {label: number for number, label in enumerate(listed.labels)}
    wanted = {tuple(sorted(code[label] for label in itemset)) for itemset in itemsets}
    every = enumerate(iterate_codes(listed.itemsets))
    return [line for line, itemset in every if tuple(itemset) in wanted] if wanted else []


def _summed(signs: Signs) -> Iterator[Itemset]:
    """Yield the itemsets whose supports take part in sums: every base; both of a difference; all terms that we have."""
    for one, _ in signs.findings:
        yield one.who.has
        if isinstance(one.value, Difference):
            yield one.value.top
    yield from (term.itemset for terms in signs.sums for term, _ in terms)


def _implied(audit: Audit, listed: Patterns) -> Iterator[Itemset]:
    """Yield the itemsets whose supports reveal the shortest implications: base, and the closest to base with item."""
    for implication in islice(audit.implications or (), SUMS):
        yield implication.base
        yield _closest(implication.base | {implication.item}, listed)


def _closest(itemset: Itemset, listed: Patterns) -> Itemset:
    """Return the listed itemset whose support an itemset has: the closest of those that contain it."""
    code = {label: number for number, label in enumerate(listed.labels)}
    holding = np.flatnonzero(listed.itemsets.contain(code[label] for label in itemset))
    sizes = listed.itemsets.lengths[holding]
    return frozenset(listed.labelled(int(holding[np.lexsort((sizes, -listed.supports[holding]))[0]])))


def _list_facts(facts: Facts, k: int, signs: Sequence[Signs], names: Mapping[Label, str]) -> Table:
    """Return supports within limits, such as rounded ones."""
    labelled = [(frozenset(facts.labels[code] for code in one), limits) for one, limits in facts.listed.items()]
    itemsets = [one for one, _ in labelled]
    cells: Flagged = {CheckName.LOW_COUNTS: [[at, 0] for at, (_, (_, high)) in enumerate(labelled) if 0 < high < k]}
    cells |= {one.check: _flag(set(_summed(one)), itemsets, 0) for one in signs}
    lines = ([joined(one, names), _limits(*limits)] for one, limits in labelled)
    return Table("supports", chain([HEADER], lines), cells, [low for _, (low, _) in labelled])


def _flag(wanted: set[Itemset], itemsets: Sequence[Itemset], column: int) -> list[list[int]]:
    return [[at, column] for at, itemset in enumerate(itemsets) if itemset in wanted]


def _list_rules(rules: Rules, k: int, signs: Sequence[Signs], names: Mapping[Label, str]) -> Table:
    sides = [(rule.antecedent, rule.both) for rule in rules]
    low = [at for at, rule in enumerate(rules) if rule.support and 0 < rule.support[1] < k]
    cells: Flagged = {CheckName.LOW_COUNTS: [[at, 1] for at in low]}
    for one in signs:
        wanted = set(_summed(one))
        flagged = chain(_flag(wanted, [both for _, both in sides], 1), _flag(wanted, [held for held, _ in sides], 2))
        cells[one.check] = sorted(flagged)
    lines = (
        [
            *(joined(side, names) for side in (rule.antecedent, rule.consequent)),
            "" if rule.support is None else _limits(*rule.support),
            " to ".join(dict.fromkeys(f"{float(share):.9g}" for share in rule.confidence[:2])),
        ]
        for rule in rules
    )
    sizes = [rule.support[0] for rule in rules if rule.support]
    return Table("rules", chain([["antecedent", "consequent", "support", "confidence"]], lines), cells, sizes)


def _list_leaves(trees: Forest, audit: Audit) -> Table:
    """Return the leaves of trees: how many rows reach each, of each class, and their means."""
    leaves = [(number, tree, leaf) for number, tree in enumerate(trees, start=1) for leaf in tree.leaves]
    counts = [_count_classes(tree, leaf) for _, tree, leaf in leaves]
    means = [{f"mean{which}": name_value(mean.mean) for mean, which in _by_output(leaf.means)} for *_, leaf in leaves]
    columns = list(dict.fromkeys(chain.from_iterable((*of, *by) for of, by in zip(counts, means, strict=True))))
    cells: Flagged = {CheckName.LOW_COUNTS: [], CheckName.ROUNDING: [], CheckName.CLASS_DISCLOSURE: []}
    for at, ((_, tree, leaf), by_class) in enumerate(zip(leaves, counts, strict=True)):
        shown = [(2 + columns.index(name), count) for name, count in by_class.items()]
        rows = [(1, leaf.rows)] if tree.is_sample or not shown else []
        for column, count in (*rows, *shown):
            for check, is_flagged in (
                (CheckName.LOW_COUNTS, 0 < count < audit.k),
                (CheckName.ROUNDING, count % (audit.policy.round_to or 1) > 0),
                (CheckName.CLASS_DISCLOSURE, count == 0 and audit.policy.zeros is not Verdict.RELEASE),
            ):
                cells[check] += [[at, column]] * is_flagged
    lines = (
        [printable(" and ".join(leaf.path)) or "any row", str(number), str(leaf.rows)]
        + [str(of.get(name, by.get(name, ""))) for name in columns]
        for (number, _, leaf), of, by in zip(leaves, counts, means, strict=True)
    )
    sizes = [count for by_class in counts for count in by_class.values()] or [leaf.rows for *_, leaf in leaves]
    return Table("leaves", chain([["leaf", "tree", "rows", *columns]], lines), cells, sizes)


def _list_counts(counts: Counts, audit: Audit) -> Table:
    """Return the cells of tables of counts, each with its values; those that give away too much are flagged."""
    found = {one.keys[0]: one.kind for one in (*audit.evidence.cells, *audit.evidence.shown) if len(one.keys) == 1}
    cells: Flagged = {CheckName.LOW_COUNTS: [], CheckName.CELLS: [], CheckName.CLASS_DISCLOSURE: []}
    lines = list[list[str]]()
    for table in counts.tables:
        for cell in table.cells:
            kind, at = found.get(Key(table.counted, name_values(table.names, cell.at))), [len(lines), 1]
            is_zero = cell.high == 0 and audit.policy.zeros is not Verdict.RELEASE
            cells[CheckName.LOW_COUNTS] += [at] * (kind == "shown")
            cells[CheckName.CELLS] += [at] * (kind not in {None, "shown"})
            cells[CheckName.CLASS_DISCLOSURE] += [at] * is_zero
            values = (f"{name} {value}" for name, value in zip(table.names, cell.at, strict=True) if value is not None)
            shown = cell.mark or ("masked" if cell.state is State.MASKED else format_limits(cell.low, cell.high))
            lines.append([table.name, ", ".join(values) or "everyone", shown])
    sizes = [cell.low for cell in counts if cell.state <= State.LIMITS]
    texts = ([printable(text) for text in line] for line in lines)
    return Table("counts", chain([["table", "values", "count"]], texts), cells, sizes)


def draw_sizes(table: Table, k: int) -> bytes:
    """Return a picture of how many counts of a table are of each size; it shows nothing that the table does not.

    >>> draw_sizes(Table("itemsets", [], {}, [3, 12, 14, 120]), 10).count(b"<rect class")
    6
    """
    large = [size for size in table.sizes if size >= k] or [k]
    steps = [k * digit * 10**power for power in range(16) for digit in (1, 2, 5)]
    above = [step for step in steps if min(large) // 5 < step <= max(large)]
    edges = sorted({0, 1, k, *above[:MOST_BARS]})
    bars = list[Bar]()
    for low, high in zip(edges, [*edges[1:], None], strict=True):
        many = sum(low <= size and (high is None or size < high) for size in table.sizes)
        name = f"{low:,} or more" if high is None else str(low) if high == low + 1 else f"{low:,}–{high - 1:,}"
        bars.append(Bar(name, many, 0 < low < k))
    return bars_svg(f"How many of the counts are of each size; k = {k:,}", bars)


def _count_classes(tree: Leaves, leaf: Leaf) -> dict[str, int]:
    """Return how many rows of each class of each output reach a leaf."""
    return {
        printable(f"class {label}{which}"): count
        for (labels, which), counts in zip(_by_output(tree.classes), leaf.counts, strict=False)
        for label, count in zip(labels, counts, strict=True)
    }


def _by_output(values: Sequence[Value]) -> Iterator[tuple[Value, str]]:
    """Yield what each output of a tree has, with the name of that output if there are several."""
    for output, value in enumerate(values, start=1):
        yield value, f" of output {output}" * (len(values) > 1)
