"""Judging how data was read: signs that it is not what its owner meant, each of which a person must look at."""

from collections.abc import Iterable, Iterator

from discreet.data.counts import Counts
from discreet.data.itemsets import Itemsets, Label, sort_labels
from discreet.data.patterns import Patterns
from discreet.data.reading import ASKED, UNJUDGED, LeftOut, Reading, name_some
from discreet.data.transactions import Rows, Transactions
from discreet.errors import InputError, Message, Option
from discreet.io.joined import find_joined, find_single
from discreet.judging.policy import Check, CheckName
from discreet.publications.rules.rule import Rules
from discreet.runtime.text import count_of


def check_reading(patterns: Patterns, rows: Rows | None) -> Check | None:
    """Return a check that a person must look at, if the data may have been misread; None without such signs.

    An owner who names the shape of the data confirms its reading, so that nothing but its doubts are looked at.

    >>> listed = Patterns.from_itemsets([([], 40)], n=40)
    >>> print(check_reading(listed, None).sentence)
    Nothing would be published but the number of rows, 40.
    """
    doubts = _find_doubts(patterns.reading) if rows is None else find_doubts(rows)
    signs = [*_find_signs(patterns), *doubts]
    return CheckName.READING.review(len(signs), _join(signs)) if signs else None


def check_labels(labels: Iterable[Label], itemsets: Itemsets | None, max_length: int | None) -> list[Check]:
    """Return a check that a person must look at if a label of rules, or of ``itemsets``, may stand for several items.

    >>> [check.verdict.name for check in check_labels(["flu", "asthma", "flu, asthma"], None, None)]
    ['REVIEW']
    """
    doubts = find_joined(labels) or ([] if itemsets is None else find_single(itemsets, max_length))
    return [CheckName.READING.review(len(doubts), Message(*doubts, "."))] if doubts else []


def check_tables(counts: Counts, k: int) -> Iterator[Check]:
    """Yield checks that a person must look at, if tables of counts may have been misread, or if more would go out."""
    if signs := _list_table_doubts(counts, k):
        yield CheckName.READING.review(len(signs), _join(signs))
    if others := _list_others(counts):
        yield CheckName.OUTPUTS.review(len(others), _say_others(others))


def list_signs(source: object) -> list[Message]:
    """Return all that a person must look at because of how something was read, whatever it is.

    Which doubts matter may depend on k: these are all.

    >>> reading = Reading("counts", "long", left_out=(LeftOut("deaths", UNJUDGED),))
    >>> print(*list_signs(Counts((), reading)))
    deaths: not judged, but would go out with the counts; name all attributes with columns=, or leave columns out with \
drop=.
    """
    if isinstance(source, Counts):
        others = _list_others(source)
        return [*_list_table_doubts(source), *[Message(_say_others(others))] * bool(others)]
    if isinstance(source, Rules):
        labels = dict.fromkeys(label for rule in source for label in sort_labels(rule.both))
        return [Message(doubt, ".") for doubt in find_joined(labels)]
    reading = getattr(source, "reading", None)
    odd = source.odd if isinstance(source, Transactions) and not (reading and reading.confirmed) else ()
    return [*_find_doubts(reading), *odd]


def _list_table_doubts(counts: Counts, k: int | None = None) -> list[Message]:
    reading, signs = counts.reading, list[Message]()
    if reading is not None:
        signs += [Message(doubt, ".") for doubt in (reading.doubts if k is None else reading.list_doubts(k))]
        if unjudged := [one.column for one in reading.left_out if one.why == UNJUDGED]:
            what = f"{name_some(unjudged)}: not judged, but would go out with the counts; name all attributes with "
            signs.append(Message(what, Option("columns"), ", or leave columns out with ", Option("drop"), "."))
    if unread := sum(len(sheet.list_unread()) for sheet in counts.sheets if not sheet.is_cut):
        lines = count_of(unread, "line")
        signs.append(
            Message(f"{lines} with numbers could not be read and judged: leave such lines out, as block does.")
        )
    return signs


def _list_others(counts: Counts) -> list[LeftOut]:
    """Return what stands beside the tables and was not judged."""
    left_out = () if counts.reading is None else counts.reading.left_out
    return [one for one in left_out if one.why not in {ASKED, UNJUDGED}]


def _say_others(others: Iterable[LeftOut]) -> str:
    named = "; ".join(f"{one.column} ({one.why})" for one in others)
    return f"Not judged here, for a person to look at: {named}."


def refuse_doubts(rows: Rows) -> Rows:
    """Return rows whose reading is beyond doubt; nothing is released that was made of others."""
    if doubts := find_doubts(rows):
        raise InputError("nothing is released of rows that may have been misread: ", _join(doubts))
    return rows


def find_doubts(rows: Rows) -> list[Message]:
    """Return the doubts about how rows were read, and what is odd about them if their owner did not name the shape."""
    reading = rows.reading
    if reading is None or reading.confirmed:
        return _find_doubts(reading)
    odd, what = rows.odd, f"It was {str(reading).partition(':')[0]}; if that is meant, say so with "
    return [*_find_doubts(reading), *odd, *[Message(what, Option("format", reading.format), ".")] * bool(odd)]


def _find_doubts(reading: Reading | None) -> list[Message]:
    return [] if reading is None else [Message(doubt, ".") for doubt in reading.doubts]


def _join(signs: Iterable[Message]) -> Message:
    return Message(*[part for sign in signs for part in (" ", sign)][1:])


def _find_signs(patterns: Patterns) -> Iterator[Message]:
    """Yield what is odd about data however it was read."""
    many = len(patterns) - patterns.is_rooted
    if patterns.n and not many:
        yield Message(f"Nothing would be published but the number of rows, {patterns.n:,}.")
    elif many == 1:
        yield Message("A single itemset would be published.")
    if patterns.n == 1:
        yield Message("There is one row: a row must stand for a person.")
