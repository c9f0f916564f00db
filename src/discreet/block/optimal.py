"""Optimal: the least distortion."""

from discreet.block.problem import Answer, Problem
from discreet.errors import BudgetError


def answer(problem: Problem) -> Answer:
    raise BudgetError("not there yet")
