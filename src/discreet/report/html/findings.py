"""Findings on a page: who each is about, the sums that reveal them, a drawing; and all of them as packed lists."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from discreet.data.itemsets import Itemset, Label, sort_labels
from discreet.disclosure.channels import Channel, Channels, Difference, Term, format_sum
from discreet.disclosure.implications import Implications
from discreet.disclosure.people import PeopleCell, PeopleCells
from discreet.judging.audit import Audit
from discreet.judging.finding import AuditFinding, FindingGroup, find_terms, join_names
from discreet.publications.counts.revealed import Revealed
from discreet.publications.rules.bounded import Bounded
from discreet.publications.rules.intervals import format_limits
from discreet.publications.series import Change, Changes
from discreet.publications.trees.leaves import Few
from discreet.report.deciding import draw_people, explain_dots, say_path, subtract
from discreet.report.findings import Source, describe, older_name
from discreet.report.html.lists import Listing, packed
from discreet.report.html.page import COMPLETE, ORDERS, List
from discreet.report.text import LONGEST_SUM, SHOWN_OF_LONGER
from discreet.runtime import html
from discreet.runtime.html import Html
from discreet.runtime.text import count_of, printable

FEWEST: Final = 3  # changes shown since each release, however many releases there are: as many as text shows
HEAD: Final = ("people", "have", "but not")
DRAWN: Final = 12  # findings of a kind that are drawn; nobody looks at a hundred pictures, so the others are folded
NOUNS: Final = {
    "channel": ("finding", "", "worst"),
    "difference": ("difference", "", "worst"),
    "people": ("group", " of rows of fewer than {k:,} people", "worst"),
    "bounds": ("sum", " within limits", "worst"),
    "leaf": ("count", " below {k:,}", "worst"),
    "cell": ("count", " below {k:,} that can be worked out", "smallest"),
    "count": ("count", " below {k:,} that is shown", "smallest"),
    "implication": ("implication", "", "shortest"),
    "change": ("small change", " since {since}", "smallest"),
    "remainder": ("remainder", " of attributes", "smallest"),
}
"""The noun of each kind of finding, what follows it, and which findings come first."""
MEANINGS: Final = {
    "channel": "Each is a group of people that no itemset names: the supports of several itemsets give their number.",
    "people": "Each is a group of rows that the counts reveal. The rows may be many, but they belong to few people.",
    "difference": "Each is the difference of two published supports, one of an itemset that contains the other.",
    "bounds": "Each is a sum of supports within limits. Wherever they lie in these, the sum reveals so few people.",
    "cell": "Each is masked, left out or not in the table at all, and still follows from the counts that are shown.",
    "count": "Each stands in the table as it is.",
    "leaf": "Each is a group of people who meet all these conditions, and they are few.",
    "implication": "A reader learns this about each of these people, whoever they are.",
    "change": "Anyone who has the older release can subtract its counts, which leaves the people who came or left.",
    "remainder": "No row has two values of an attribute: the total minus those listed leaves the people with none.",
}
TOGETHER: Final = "Anyone who has these older releases can subtract their counts, which leaves people in none of them."


class Shown(NamedTuple):
    """A finding: its words, lines such as sums with their results, and a drawing if there is one."""

    words: str
    lines: Sequence[tuple[str, str]] = ()
    svg: str = ""


class Group(NamedTuple):
    """Findings of one kind: how many there are, what they are, the first of them, and ``more`` to unfold."""

    title: str
    about: str
    found: Sequence[Shown]
    more: Sequence[Shown] = ()


def show_groups(audit: Audit, kinds: Iterable[str], explain: int, against: Sequence[Source] = ()) -> list[Group]:
    """Return the first findings of some kinds, in words, with sums and drawings."""
    groups = [group for kind in kinds for group in audit.groups if group.kind == kind]
    return [_show_group(audit, group, _limit_for(audit, group, explain), against) for group in groups]


def _limit_for(audit: Audit, group: FindingGroup, explain: int) -> int:
    """Return how many findings of a group are shown: the changes since several releases share ``explain``."""
    alike = sum(one.kind == "change" for one in audit.groups) if group.kind == "change" else 1
    return min(explain, max(FEWEST, explain // alike))


def _show_group(audit: Audit, group: FindingGroup, most: int, against: Sequence[Source]) -> Group:
    (noun, of, first), about = NOUNS[group.kind], MEANINGS[group.kind]
    since = _name_older(group, against)
    title = f"{count_of(group.total, noun)}{of.format(k=audit.k, since=since)}"
    title += f": the {first} {'is' if most == 1 else f'{most:,} are'} shown" * (group.total > most > 0)
    if isinstance(group.values, Changes) and len(group.values.numbers) > 1:
        about = TOGETHER
    elif group.kind in {"bounds", "leaf"} and group.total > most:
        about = f"{about} {COMPLETE}"
    shown = [_show(audit, group, finding) for finding in group.worst(most)]
    worst = group.worst(min(most, DRAWN))
    drawn = [
        one._replace(svg=draw_people(subtract(finding, audit))) for one, finding in zip(shown, worst, strict=False)
    ]
    if any(one.svg for one in drawn):
        about = f"{about} {explain_dots(audit)}"
    return Group(title, about, drawn, shown[DRAWN:])


def _show(audit: Audit, group: FindingGroup, finding: AuditFinding) -> Shown:
    value = finding.value
    if isinstance(value, Change) and isinstance(group.values, Changes):
        return _show_change(audit, group.values, finding, value)
    if isinstance(value, Few | Revealed):
        path = say_path(finding.who) or "any row"
        lines = dict.fromkeys(value.explain()) if isinstance(value, Revealed) else [path]
        return Shown(html.text(describe(finding)), [(line, "") for line in lines])
    words = Html(describe(finding, html.name))
    if isinstance(value, PeopleCell):
        return Shown(words, _add_up(value, finding.terms, value.size))
    if isinstance(value, Channel | Difference):
        return Shown(words, _add_up(value, finding.terms, f"{value.count:,}"))
    if isinstance(value, Bounded):
        limits = [format_limits(*limits) for _, limits in finding.limited_terms]
        return Shown(words, [(show_terms(finding.terms, limits), format_limits(value.low, value.high))])
    return Shown(words)


def _add_up(group: Channel | Difference, terms: Sequence[Term], result: str) -> list[tuple[str, str]]:
    """Return a sum, and the items that it does not name although the finding is about them."""
    cancelled = group.top.difference(*(term.itemset for term in terms))
    why = f"{join_names([*map(_name, sort_labels(cancelled))])} {'is' if len(cancelled) == 1 else 'are'} not in it:"
    more = [(Html(f"{why} the counts with {'it' if len(cancelled) == 1 else 'them'} cancel out."), "")]
    return [(show_terms(terms), result), *(more if cancelled else [])]


def _show_change(audit: Audit, changes: Changes, finding: AuditFinding, change: Change) -> Shown:
    """Return a change with the sums of its counts; of several older releases together, only the sum of now."""
    is_one = len(changes.olds) == 1
    before = [("before", old, change.before) for old in changes.olds if is_one]
    counts = [("now", audit.patterns, change.after), *before]
    terms = [(when, find_terms(change, changes, patterns, count), count) for when, patterns, count in counts if count]
    sums = [(Html(f"{when}: {show_terms(supports)}"), f"{count:,}") for when, supports, count in terms]
    total = (f"{change.after:,} now − {change.before:,} before", f"{change.count:,}".replace("-", "−"))
    return Shown(Html(describe(finding, html.name, than="before" if is_one else "in them together")), [total, *sums])


def show_terms(terms: Sequence[Term], supports: Sequence[str] = ()) -> Html:
    """Return a sum of supports, or of what stands for them, with their itemsets; a long one is cut.

    >>> show_terms([Term(1, frozenset("a"), 50), Term(-1, frozenset("a-b"), 48)])
    '50 (<bdi>a</bdi>) − 48 (<bdi>-</bdi>, <bdi>a</bdi>, <bdi>b</bdi>)'
    """
    first = terms if len(terms) <= LONGEST_SUM else terms[:SHOWN_OF_LONGER]
    numbers = supports or [f"{term.support:,}" for term in first]
    texts = [f"{number} ({_list_labels(term.itemset)})" for term, number in zip(first, numbers, strict=False)]
    rest = f" … ({len(terms):,} supports; all are in discreet report --csv)" if len(first) < len(terms) else ""
    return Html(f"{format_sum(first, texts)}{rest}")


def _list_labels(itemset: Itemset) -> str:
    names = [_name(label) for label in islice(sort_labels(itemset), html.MOST_LABELS)]
    more = f", … {len(itemset) - len(names):,} more" if len(names) < len(itemset) else ""
    return f"{', '.join(names) or 'everyone'}{more}"


def _name(label: Label) -> str:
    return f"<bdi>{html.text(html.show_label(label, 24))}</bdi>"  # which is not broken at its hyphens


def _name_older(group: FindingGroup, against: Sequence[Source]) -> str:
    return printable(older_name(group.values.numbers, against)) if isinstance(group.values, Changes) else ""


def list_all(audit: Audit, room: int) -> Iterator[List]:
    """Yield all channels, differences and implications as lists; implications may take a third of the room."""
    each = room // 3 * (2 if audit.people is None else 1)  # the groups of few people take as much as the channels
    for group in audit.groups:
        title = f"All {count_of(len(group), NOUNS[group.kind][0])}"
        match group.values:
            case PeopleCells() as cells:
                text = packed(Listing.of_channels(cells), each)
                title = f"All {count_of(len(cells), 'group')} of fewer than {cells.k:,} people"
                yield List("all-people", title, "Groups of rows", HEAD, text)
            case Channels() as channels:
                text = packed(Listing.of_channels(channels), each)
                yield List("all-channels", title, f"Groups of fewer than {channels.k:,} people", HEAD, text)
            case Implications() as implications:
                caption, orders = "Nobody has these items without that one", (ORDERS[2], ORDERS[3])
                text = packed(Listing.of_implications(implications), room // 3)
                yield List("all-implications", title, caption, HEAD, text, orders=orders)
            case _ if group.kind == "difference":
                text = packed(Listing.of_findings(audit.differences), each)
                yield List("all-differences", title, "Differences", (*HEAD[:2], "but not all of"), text)


def list_longer(audit: Audit, kind: str, explain: int, room: int, against: Sequence[Source] = ()) -> list[List]:
    """Return the groups of changes, or of remainders, that are not all shown, as lists; they share the room."""
    longer = [group for group in audit.groups if group.total > _limit_for(audit, group, explain)]
    each = room // max(1, sum(group.kind in {"change", "remainder"} for group in longer))
    return [_list_group(group, against, each) for group in longer if group.kind == kind]


def _list_group(group: FindingGroup, against: Sequence[Source], room: int) -> List:
    if isinstance(group.values, Changes):
        name = f"all-changes-{'-'.join(map(str, group.values.numbers))}"
        many = f"All {group.total:,}" if group.total == len(group) else f"{len(group):,} of {group.total:,}"
        title = f"{many} small changes since {_name_older(group, against)}"
        text = packed(Listing.of_findings(group.values.listed), room)
        return List(name, title, "People more (+) or fewer (-) than before", HEAD, text, is_signed=True)
    found = [Channel(one.who.has, one.who.has.union(*one.who.lacks), one.high) for one in group]
    title, text = f"{len(group):,} remainders of attributes", packed(Listing.of_findings(found), room)
    return List("all-remainders", title, "Remainders of attributes", HEAD, text)
