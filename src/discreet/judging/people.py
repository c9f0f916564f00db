"""Judging by people: groups of many rows may belong to few people, each of whom has several rows."""

from dataclasses import replace
from typing import Final

import numpy as np

from discreet.data.schema import Groups
from discreet.data.transactions import Rows
from discreet.disclosure.detect import Question
from discreet.disclosure.people import PeopleCells, are_visits, find_people_cells
from discreet.errors import BudgetError, Command, InconsistencyError, Message, Option
from discreet.judging.checks import COARSEN
from discreet.judging.policy import Check, CheckName, Verdict
from discreet.runtime.text import count_of

VISITS: Final = CheckName.PEOPLE.review(
    0, "Counts are of visits, and people may have several: few people may be behind many rows."
)
PEOPLE: Final = {*COARSEN, CheckName.PEOPLE}  # where people are counted, MERGE is the advice on these
MERGE: Final = Message(
    *("Merge the rows of each person (leave ", Option("per"), " out), or raise ", Option("min_support"), ": "),
    *(Command("tradeoff"), " shows how far."),
)


def judge_people(
    question: Question, rows: Rows | None, schema: str | Groups | None = None
) -> tuple[list[Check], PeopleCells | None]:
    """Judge whether rows that the patterns in question reveal belong to k people or more; return the groups of fewer.

    Supports do not tell whose rows they count: without ``rows``, a person must look at patterns of visits. A reader
    who knows a ``schema``, or that of the patterns, finds more groups. If it is not known that people have several
    rows, there is no check.
    """
    if rows is None or rows.people is None:
        return [VISITS] * are_visits(question.patterns, rows), None
    try:
        behind = question if question.rows is rows else replace(question, rows=rows)
        cells = find_people_cells(behind, schema)
    except InconsistencyError:
        return [CheckName.PEOPLE.withhold(0, "The supports contradict each other, so people were not counted.")], None
    except BudgetError as error:
        return [CheckName.PEOPLE.withhold(0, f"People were not counted: {error}.")], None
    return [check_people(cells)], cells


def check_people(cells: PeopleCells) -> Check:
    """Judge the groups of rows of few people; those of few rows are channels as well."""
    if not len(cells):
        return CheckName.PEOPLE.release(f"Every group of rows that the counts reveal has {cells.k} people or more.")
    large = int(np.count_nonzero(cells.sizes >= cells.k))
    groups = f"{count_of(len(cells), 'group')} of rows of fewer than {cells.k} people"
    return CheckName.PEOPLE.withhold(len(cells), f"{groups}, {large:,} of them with {cells.k} rows or more.")


def name_uncounted(check: Check) -> Check:
    """Return a check of rows alone for rows whose people are known: what it passes, a person must look at."""
    if check.verdict is not Verdict.RELEASE:
        return check
    return check.name.review(check.found, f"{check.sentence} Whose rows they are was not counted.")
