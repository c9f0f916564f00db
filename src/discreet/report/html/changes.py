"""What a page tells beside the sums of one list: changes since older releases, and what attributes leave."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel
from discreet.judging.audit import Audit
from discreet.judging.finding import find_terms
from discreet.publications.rules.bounded import Bounded
from discreet.publications.series.change import Change, Changes
from discreet.report.html.lists import Listing
from discreet.report.html.page import COMPLETE, List, list_of
from discreet.report.people import changed_in_words
from discreet.report.shown import Group, Shown, shown_bounded, summed, titled
from discreet.report.wording import Source, older_name
from discreet.runtime import html
from discreet.runtime.html import Html
from discreet.runtime.text import printable

FEWEST: Final = 3
"""Of the changes since each release so many are shown, however many releases there are: as many as a text shows."""
CHANGED: Final = (
    "Whoever has the older release can subtract its counts from these. What is left is about people who came or left "
    "since."
)
TOGETHER: Final = (
    "Whoever has these older releases can subtract the sum of their counts from these. What is left is about people in "
    "none of them."
)
LEFT: Final = (
    "No row has two values of an attribute. So the supports of its values can be subtracted from the whole, and what "
    "is left are the people with none of them. Such remainders can be subtracted from each other, too."
)


def since(audit: Audit, against: Sequence[Source], explain: int) -> list[Group]:
    """Return the smallest changes since each older release, or since several together, where there are any."""
    found = [changes for changes in audit.changes if changes.small]
    most = shown_of_each(len(found), explain)
    return [_group(changes, audit.patterns, against, most) for changes in found]


def left(audit: Audit, explain: int) -> Group | None:
    """Return the smallest rests of attributes, if there are any."""
    rests = audit.evidence.remainders
    if not rests:
        return None
    title = titled(len(rests), explain, "rest", " of attributes", which="smallest")
    return Group(title, LEFT, [shown_bounded(one) for one in rests[:explain]])


def beside_lists(audit: Audit, against: Sequence[Source], explain: int, room: int) -> tuple[list[List], list[List]]:
    """Return the changes, and the rests, that are not all shown, as lists that share the room."""
    found = [changes for changes in audit.changes if changes.small]
    most = shown_of_each(len(found), explain)
    longer = [changes for changes in found if changes.small > most]
    rests = audit.evidence.remainders if len(audit.evidence.remainders) > explain else ()
    each = room // max(1, len(longer) + bool(rests))
    return [_all_changes(changes, against, each) for changes in longer], [_all_rests(rests, each)] * bool(rests)


def shown_of_each(many: int, explain: int) -> int:
    """Return how many changes since each of many releases are shown: all of them share what is to be explained.

    >>> shown_of_each(1, 100), shown_of_each(4, 100), shown_of_each(63, 100), shown_of_each(63, 1)
    (100, 25, 3, 1)
    """
    return min(explain, max(FEWEST, explain // max(1, many)))


def _all_changes(changes: Changes, against: Sequence[Source], room: int) -> List:
    name = f"all-changes-{'-'.join(map(str, changes.numbers))}"
    many = f"All {changes.small:,}" if changes.small == len(changes) else f"{len(changes):,} of {changes.small:,}"
    title = f"{many} small changes since {printable(older_name(changes.numbers, against))}"
    caption = "People more (+) or fewer (-) than before"
    told = {"caption": caption, "head": ["people", "have", "but not"], "elsewhere": COMPLETE}
    return list_of(name, title, Listing.of_findings(changes.listed), room, is_signed=True, **told)


def _all_rests(rests: Sequence[Bounded], room: int) -> List:
    told = {"caption": "Rests of attributes", "head": ["people", "have", "but not"], "elsewhere": COMPLETE}
    listing = Listing.of_findings([Channel(one.base, one.top, one.high) for one in rests])
    return list_of("all-rests", f"{len(rests):,} rests of attributes", listing, room, **told)


def _group(changes: Changes, new: Patterns, against: Sequence[Source], most: int) -> Group:
    name = printable(older_name(changes.numbers, against))
    title = titled(changes.small, most, "small change", f" since {name}", which="smallest")
    found = [_shown(one, changes, new) for one in islice(changes, most)]
    return Group(title, TOGETHER if len(changes.numbers) > 1 else CHANGED, found)


def _shown(one: Change, changes: Changes, new: Patterns) -> Shown:
    """Return a change with the sums that tell its counts; where several releases are added up, with that of now."""
    is_one = len(changes.olds) == 1
    counts = [("now", new, one.after), *(("before", old, one.before) for old in changes.olds if is_one)]
    sums = [
        (f"{when}: {summed(find_terms(one, changes, patterns, count))}", f"{count:,}")
        for when, patterns, count in counts
        if count
    ]
    total = (f"{one.after:,} now − {one.before:,} before", f"{one.count:,}".replace("-", "−"))
    words = changed_in_words(one, html.name, "before" if is_one else "in them together")
    return Shown(Html(words), [total, *sums])
