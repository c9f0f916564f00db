"""Codebooks: small tables beside the data, and names for the codes in rows and patterns."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from discreet.data.itemsets import Itemsets, Label
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option
from discreet.io import encodings, notation
from discreet.io.files import Place, load, naming
from discreet.io.options import RowOptions
from discreet.io.sniff import sniff_text
from discreet.runtime.text import count_of

PAIR: Final = 2


def read_labels(place: Place) -> dict[str, str]:
    r"""Return the names of codes: a text table whose first column is the code, and the second its name.

    >>> from io import BytesIO
    >>> read_labels(BytesIO(b"code;name\n250;diabetes\n401;hypertension\n"))["250"]
    'diabetes'
    """
    with naming(place):
        pairs = [tuple(fields[:PAIR]) for fields in read_fields(place)]
        if any(len(pair) < PAIR for pair in pairs):
            raise InputError("a line has no second field; each line is a code and its name, with a separator between")
        names = {code: name for code, name in pairs if name}
    if len(names) < len({*pairs}) - sum(not name for _, name in pairs):
        raise InputError("a code has several names; give each one name")
    return names


def read_fields(place: Place) -> list[list[str]]:
    r"""Return the fields of each line of a small text table beside the data, without blanks around them.

    >>> from io import BytesIO
    >>> read_fields(BytesIO(b"sep=;\npatient; ward\n\n7;north\n"))
    [['patient', 'ward'], ['7', 'north']]
    """
    data = load(place)
    layout = sniff_text(data, RowOptions(), "table")
    text = encodings.to_utf8(data, layout.options.encoding or encodings.UTF_8)
    lines = notation.open_text(text.removeprefix(layout.mark).removeprefix(layout.before))
    records = notation.read_records(lines, notation.as_separator(layout.options.separator))
    return [list(map(str.strip, record)) for record in records if record]


def rename(rows: Transactions, names: Mapping[str, str]) -> Transactions:
    """Return rows with names for their codes; codes without one stay, and a name that two codes have is refused.

    >>> [sorted(row) for row in rename(Transactions([[250, 401], [250]]), {"250": "diabetes"})]
    [['401', 'diabetes'], ['diabetes']]
    """
    labels = name_codes(rows.labels, names)
    itemsets = Itemsets(rows.offsets - rows.offsets[0], rows.itemsets.entries.copy())  # they are sorted in place
    renamed = notation.Coded.of(itemsets, labels, rows.ids).transactions()
    left, reading = sum(str(one) not in names for one in rows.labels), rows.reading
    if reading is not None and left:
        reading = replace(reading, notes=(*reading.notes, f"{count_of(left, 'item')} without a name"))
    new, schema = dict(zip(rows.labels, labels, strict=True)), rows.schema
    if schema is not None:
        values = (frozenset(new[value] for value in one.values if value in new) for one in schema.attributes)
        pairs = zip(schema.attributes, values, strict=True)
        schema = replace(schema, attributes=tuple(one._replace(values=some) for one, some in pairs))
    return renamed.describe(people=rows.people, reading=reading, schema=schema)


def name_codes(codes: Iterable[Label], names: Mapping[str, str]) -> list[str]:
    """Return the name of each code, or the code itself as text."""
    labels = [names.get(str(code), str(code)) for code in codes]
    twice = [label for label, many in Counter(labels).items() if many > 1]
    if twice:
        problem = f"{len(twice):,} names stand for several codes of the data; make them differ in the file of "
        raise InputError(problem, Option("labels"))
    return labels
