"""Query on Spark: the rows of a frame that make a formula true."""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from operator import and_, or_
from typing import Final, Unpack

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql
from pyspark.sql.types import StringType

from discreet.data.labels import Label
from discreet.data.query import Name, parse
from discreet.data.transactions import as_itemset
from discreet.spark.frames import Shape, label_type, rows_of

PAIRS: Final[Mapping[str, Callable[[Column, Column], Column]]] = {"&": and_, "|": or_}


def query(frame: DataFrame, wanted: str | Iterable[Label], **shape: Unpack[Shape]) -> DataFrame:
    """Return the rows that hold every item of an itemset, or make a query true, with their ids where they have some.

    They are those that ``Transactions.rows`` numbers; nothing is computed before Spark is asked for them. A query is
    text, as ``Transactions.support`` takes it. What no row is called by is held by none.
    """
    rows = rows_of(frame, shape)
    is_text = isinstance(label_type(rows), StringType)
    if not isinstance(wanted, str):
        return rows.filter(
            reduce(and_, (_held(label, is_text=is_text) for label in as_itemset(wanted)), sql.lit(col=True))
        )
    stack: list[Column] = []
    for step in parse(wanted).steps:
        if isinstance(step, Name):
            stack.append(_held(step.text if is_text else _number(step), is_text=is_text))
        elif step == "~":
            stack.append(~stack.pop())
        else:
            stack.append(PAIRS[step](stack.pop(), stack.pop()))
    return rows.filter(stack.pop())


def _held(label: Label, *, is_text: bool) -> Column:
    """Return whether a row holds an item: none does that is of another type than the items."""
    fits = isinstance(label, str) if is_text else isinstance(label, int) and -(2**63) <= label < 2**63
    return sql.array_contains("items", sql.lit(label)) if fits else sql.lit(col=False)


def _number(name: Name) -> int | None:
    """Return the whole number that a name stands for, also in quotes: the one that is written so."""
    try:
        number = int(name.text)
    except ValueError:
        return None
    return number if str(number) == name.text else None
