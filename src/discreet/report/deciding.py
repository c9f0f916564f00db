"""The decisive finding: the one to show whoever has to decide, as a sentence, as a subtraction, and as dots."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final, NamedTuple

from discreet.data.itemsets import Itemset, sort_labels
from discreet.data.transactions import Merged, Transactions
from discreet.disclosure.channels import Channel, Difference
from discreet.disclosure.people import PeopleCell, are_visits
from discreet.judging.audit import Audit
from discreet.judging.finding import AuditFinding, Who, join_names
from discreet.publications.counts.revealed import Revealed
from discreet.publications.rules.bounded import Bounded
from discreet.publications.series import Change
from discreet.publications.trees.leaves import Few, Forest, Leaves
from discreet.report.findings import describe
from discreet.runtime import html
from discreet.runtime.html import Html

ORDER: Final = (
    *("cell", "count", "channel", "people", "difference", "bounds", "leaf"),
    *("change", "remainder", "implication"),
)
"""The kinds of findings as reports show them."""
MOST, MOST_FEW, COLUMNS, PITCH = 400, 200, 40, 10
"""Dots of a picture, those of the few among them, dots side by side, and how far these are apart."""
LONGEST: Final = 100  # letters of a condition
SINGULAR: Final = {"people": "person", "rows": "row", "have": "has", "do": "does"}


class Part(NamedTuple):
    """A number of a subtraction, and what it counts."""

    value: int
    words: str


class Decisive(NamedTuple):
    """A finding in a sentence, as ``numbers``: all, minus most, are the few; and as a picture of them.

    There are no numbers, and there is no picture, where the few are not what a single subtraction leaves.
    """

    finding: AuditFinding
    words: str
    numbers: tuple[Part, ...]
    svg: Html

    @property
    def facts(self) -> dict[str, Any]:
        """The finding, as JSON may hold it."""
        return {
            "kind": self.finding.kind,
            "words": self.words,
            "who": self.finding.who.in_words(),
            "low": self.finding.low,
            "high": self.finding.high,
            "sum": html.show_label(self.finding.explain(), html.LONGEST_TEXT),
            "numbers": [part._asdict() for part in self.numbers],
            "svg": str(self.svg),
        }


def decisive(audit: Audit) -> Decisive | None:
    """Return the worst finding of those that the verdict comes from; None if nothing was found.

    >>> from discreet import audit
    >>> found = decisive(audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10))
    >>> print(found.words, *(f"{value} {words}" for value, words in found.numbers), sep=chr(10))
    Exactly 2 people have a and b, but not c.
    50 people have a and b
    48 of them have c
    2 do not
    """
    every = [(group.check.verdict is not audit.verdict, ORDER.index(group.kind)) for group in audit.groups]
    if not every:
        return None
    return explain_finding(next(audit.groups[every.index(min(every))].worst(1)), audit)


def explain_finding(finding: AuditFinding, audit: Audit) -> Decisive:
    """Return any finding of an audit as the decisive one is shown."""
    numbers = subtract(finding, audit)
    return Decisive(finding, _say(finding), numbers, draw_people(numbers))


def _say(finding: AuditFinding) -> str:
    words = describe(finding)
    if isinstance(finding.value, Few):
        path = say_path(finding.who)
        words = f"{words.rstrip('.')}{f': {path}' if path else ''}."
    return html.show_label(words, html.LONGEST_TEXT)


def subtract(finding: AuditFinding, audit: Audit) -> tuple[Part, ...]:  # noqa: PLR0911 - one for each kind
    """Return who a finding is about as the rest of a subtraction: all, most of them, and the few; or nothing.

    >>> from discreet import audit
    >>> found = audit([["a", "b"]] * 9 + [["a"]] + [[]] * 2, min_support=5, k=3)
    >>> print(*(tuple(part) for one in found.findings for part in subtract(one, found)), sep=chr(10))
    (10, 'people have a')
    (9, 'of them have b')
    (1, 'does not')
    (12, 'people in all')
    (10, 'of them have at least one of a and b')
    (2, 'have none of them')
    """
    people = _name_people(audit)
    match finding.value:
        case Change() as change:
            return _compare(change, finding.who.in_words(), people)
        case Few(trees=trees) if isinstance(audit.candidate, Forest) and len(trees) <= 1:
            return _count_leaf(finding, audit.candidate[trees[0] - 1 if trees else 0])
        case PeopleCell(count=count, rows=rows) if rows != count:
            return ()
        case Channel() | Difference() | Bounded() if finding.who.lacks:
            return _leave(finding, people)
        case Channel() if finding.who.has:
            return _separate(finding, audit.patterns.n, people)
        case Revealed() as revealed:
            return _take_away(revealed)
    return ()


def explain_dots(audit: Audit) -> str:
    """Return what the dots of a picture are."""
    few = "row that is" if _name_people(audit) == "rows" else "person who is"
    return f"Each red dot is a {few} revealed; grey dots stand for the others."


def _name_people(audit: Audit) -> str:
    here = audit.rows if isinstance(audit.rows, Transactions | Merged) else None  # on Spark, no row is a visit
    return "rows" if are_visits(audit.patterns, here) else "people"


def _take_away(one: Revealed) -> tuple[Part, ...]:
    """Return a total of a table, its other parts together, and the count that is left; none if it takes more sums."""
    equations = one.equations
    if len(one.keys) > 1 or one.low != one.high:
        return ()
    cell = equations.keys.index(one.keys[0])
    offsets, rows = equations.users
    for row in rows[offsets[cell] : offsets[cell + 1]].tolist():
        (total, sign), *parts = equations.row(row)
        others = [part for part, factor in parts if part != cell and factor == -sign]
        is_plain = total != cell and len(others) == len(parts) - 1
        if is_plain and all(equations.low[part] == equations.high[part] for part in (total, *others)):
            whole = int(equations.low[total])
            told = str(equations.keys[others[0]]) if len(others) == 1 else f"of them in {len(others):,} other cells"
            words = (f"in all of {equations.keys[total]}" if equations.keys[total].values else "in all", told)
            named = [html.show_label(text, LONGEST) for text in (*words, str(one.keys[0]))]
            return Part(whole, named[0]), Part(whole - one.low, named[1]), Part(one.low, named[2])
    return ()


def _leave(finding: AuditFinding, people: str) -> tuple[Part, ...]:
    """Return how many have the base, how many of these have what the few lack, and the few."""
    # The first support in the sum of a cell is that of the base: all other itemsets in it contain the closure of that.
    (first, (whole, most)), *_ = finding.limited_terms
    few, base = finding.low, _join(finding.who.has)
    is_base = first.itemset == finding.who.has or not isinstance(finding.value, Bounded)
    if not is_base or (whole, few) != (most, finding.high):
        return ()
    lacks = [_join(one, " with ") for one in finding.who.lacks]
    rest, is_one = whole - few, len(lacks) == 1
    having = _all_of(*finding.who.lacks) if is_one else f"at least one of {join_names(lacks)}"
    return (
        Part(whole, f"{_agree(whole, people, 'have')} {base}" if base else f"{_agree(whole, people)} in all"),
        Part(rest, f"of them {_agree(rest, 'have')} {having}"),
        Part(few, f"{_agree(few, 'do')} not" if is_one else f"{_agree(few, 'have')} none of them"),
    )


def _separate(finding: AuditFinding, n: int, people: str) -> tuple[Part, ...]:
    """Return all, those without some itemset, and the few with it."""
    rest = n - finding.low
    return (
        Part(n, f"{_agree(n, people)} in all"),
        Part(rest, f"of them {_agree(rest, 'do')} not have {_all_of(finding.who.has)}"),
        Part(finding.low, _agree(finding.low, "do")),
    )


def _compare(change: Change, who: str, people: str) -> tuple[Part, ...]:
    """Return the larger count of a change, the smaller one, and by how much they differ."""
    before, after = change.before, change.after
    if after > before:
        now = f"{_agree(after, people)} now {_agree(after, 'have')} {who}" if who else f"{_agree(after, people)} now"
        return Part(after, now), Part(before, "before"), Part(after - before, "more than before")
    then = f"{_agree(before, people)} had {who} before" if who else f"{_agree(before, people)} before"
    return Part(before, then), Part(after, "now"), Part(before - after, "fewer than before")


def _count_leaf(finding: AuditFinding, tree: Leaves) -> tuple[Part, ...]:
    """Return all who reach a leaf, the others, and the few; a sample has fewer rows than its counts say."""
    few, who = finding.low, finding.who
    sizes = [leaf.rows for leaf in tree.leaves if leaf.path == who.conditions]
    if len(sizes) != 1 or finding.count is None or tree.is_sample or not who.outcome or few > sizes[0]:
        return ()
    whole, path = sizes[0], say_path(who)
    return (
        Part(whole, f"{_agree(whole, 'people')} {f'with {path}' if path else 'in all'}"),
        Part(whole - few, "others"),
        Part(few, html.show_label(who.outcome, LONGEST)),
    )


def say_path(who: Who) -> str:
    """Return the conditions of a leaf in words."""
    return " and ".join(html.show_label(condition, LONGEST) for condition in who.conditions)


def _all_of(itemset: Itemset) -> str:
    return f"{('', 'both ', 'all of ')[min(len(itemset), 3) - 1]}{_join(itemset)}"


def _join(itemset: Itemset, between: str = "") -> str:
    names = [html.show_label(label) for label in sort_labels(itemset)]
    return between.join(names) if between else join_names(names)


def _agree(many: int, *words: str) -> str:
    return " ".join(SINGULAR[word] if many == 1 else word for word in words)


def draw_people(numbers: Sequence[Part]) -> Html:
    """Return a subtraction as a picture: a dot for each person, the few in a colour of their own at the end.

    Where they are too many, a grey dot stands for several people, and the picture says for how many. It needs
    charts.css, and is empty if there is nothing to draw, or if the few are too many.

    >>> draw_people([Part(3, "in all"), Part(2, "of them"), Part(1, "not")]).count("<circle")
    1
    """
    if not numbers or numbers[-1].value > MOST_FEW:
        return Html()
    _, (rest, _), (few, _) = numbers
    each = max(1, -(-rest // (MOST - few)))
    grey = -(-rest // each)
    lines = (
        f"M{PITCH // 2} {start // COLUMNS * PITCH + PITCH // 2}H{min(COLUMNS, grey - start) * PITCH - PITCH // 2}.1"
        for start in range(0, grey, COLUMNS)
    )
    places = (divmod(at, COLUMNS) for at in range(grey, grey + few))
    dots = (f'<circle cx="{x * PITCH + PITCH // 2}" cy="{y * PITCH + PITCH // 2}" r="4.4"/>' for y, x in places)
    height = -(-(grey + few) // COLUMNS) * PITCH
    told = escape("; ".join(f"{value:,} {words}" for value, words in numbers))
    scale = f"<p>Each grey dot is about {each:,} people.</p>" if each > 1 else ""
    return Html(
        f'<div class="crowd"><svg role="img" aria-label="{told}" viewBox="0 0 {COLUMNS * PITCH} {height}">'
        f'<path class="many" d="{"".join(lines)}"/><g class="one">{"".join(dots)}</g></svg>{scale}</div>'
    )
