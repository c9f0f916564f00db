"""Clinic: a table of patients that nobody is in, for demonstrations and documentation."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.data.generate.parameters import generator, whole
from discreet.data.labels import ordered
from discreet.data.transactions import Transactions


class Finding(NamedTuple):
    """Something written in a patient's file: by itself with chance ``alone``, and once more by each cause."""

    label: str
    alone: float
    causes: Mapping[str, float]


ONE_OF: Final[tuple[Mapping[str, float], ...]] = (
    {"female": 0.53, "male": 0.47},
    {
        "age 18-29": 0.1,
        "age 30-39": 0.11,
        "age 40-49": 0.14,
        "age 50-59": 0.18,
        "age 60-69": 0.2,
        "age 70-79": 0.16,
        "age 80+": 0.11,
    },
    {"never smoked": 0.55, "former smoker": 0.27, "smoker": 0.18},
)
"""Each patient has one of each, with these chances."""

FINDINGS: Final = (
    Finding("obesity", 0.2, {"age 50-59": 0.12, "age 60-69": 0.12}),
    Finding(
        "hypertension",
        0.04,
        {"age 50-59": 0.25, "age 60-69": 0.45, "age 70-79": 0.6, "age 80+": 0.65, "obesity": 0.35},
    ),
    Finding("diabetes type 2", 0.03, {"age 60-69": 0.18, "age 70-79": 0.24, "age 80+": 0.22, "obesity": 0.35}),
    Finding("diabetes type 1", 0.006, {}),
    Finding("asthma", 0.1, {"age 18-29": 0.05}),
    Finding("COPD", 0.003, {"smoker": 0.16, "former smoker": 0.09, "age 70-79": 0.03}),
    Finding("coronary heart disease", 0.004, {"age 70-79": 0.1, "age 80+": 0.15, "smoker": 0.05, "hypertension": 0.1}),
    Finding("atrial fibrillation", 0.004, {"age 70-79": 0.07, "age 80+": 0.16, "coronary heart disease": 0.08}),
    Finding("depression", 0.1, {"female": 0.05, "COPD": 0.1}),
    Finding("hypothyroidism", 0.01, {"female": 0.07}),
    Finding("HIV", 0.004, {}),
    Finding("epilepsy", 0.008, {}),
    Finding("HbA1c high", 0.004, {"diabetes type 2": 0.93, "diabetes type 1": 0.95}),
    Finding("LDL high", 0.12, {"obesity": 0.2, "diabetes type 2": 0.35, "age 60-69": 0.15}),
    Finding("blood pressure high", 0.01, {"hypertension": 0.6}),
    Finding("eGFR low", 0.004, {"diabetes type 2": 0.12, "age 80+": 0.25, "hypertension": 0.05}),
    Finding("TSH high", 0.003, {"hypothyroidism": 0.6}),
    Finding("metformin", 0.004, {"diabetes type 2": 0.88}),
    Finding("insulin", 0.0, {"diabetes type 1": 0.99, "diabetes type 2": 0.15}),
    Finding("ramipril", 0.002, {"hypertension": 0.62, "coronary heart disease": 0.3}),
    Finding("amlodipine", 0.001, {"hypertension": 0.32}),
    Finding("atorvastatin", 0.004, {"LDL high": 0.5, "coronary heart disease": 0.75, "diabetes type 2": 0.3}),
    Finding("aspirin", 0.01, {"coronary heart disease": 0.8}),
    Finding("apixaban", 0.001, {"atrial fibrillation": 0.85}),
    Finding("salbutamol", 0.003, {"asthma": 0.95, "COPD": 0.9}),
    Finding("sertraline", 0.003, {"depression": 0.85}),
    Finding("levothyroxine", 0.001, {"hypothyroidism": 0.95}),
    Finding("dolutegravir", 0.0, {"HIV": 0.97}),
    Finding("levetiracetam", 0.0, {"epilepsy": 0.7}),
)
"""In an order in which a cause comes before what it causes. Drugs without their diagnosis are rare, not absent."""


def clinic(n: int = 1000, *, seed: int = 0) -> Transactions:
    """Return ``n`` invented patients: sex, age, smoking, diagnoses, measurements, drugs.

    Drugs follow diagnoses, and diagnoses follow age and one another, but a few patients fall out of line: itemsets
    that hundreds of patients share then differ by a handful. The chances are made up and no medical advice.

    >>> patients = clinic()
    >>> patients.support(["metformin"]), patients.support(["metformin", "diabetes type 2"])
    (170, 168)
    """
    count = whole("n", n)
    draw = generator(seed)
    has: dict[str, NDArray[np.bool_]] = {}
    for chances in ONE_OF:
        has.update(_one_of(draw, chances, count))
    for finding in FINDINGS:
        has[finding.label] = draw.random(count) < _chance(finding, has, count)
    labels = ordered(has)
    table = np.column_stack([has[str(label)] for label in labels])
    offsets = np.concatenate([[0], np.cumsum(table.sum(axis=1))]).astype(np.int64)
    items = np.nonzero(table)[1].astype(np.int32)
    return Transactions.from_codes(offsets, items, labels, ids=tuple(_names(count)))


def _one_of(
    draw: np.random.Generator, chances: Mapping[str, float], count: int
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield each label with who has it; everybody has exactly one of them."""
    bounds = np.cumsum(list(chances.values()))
    choice = np.searchsorted(bounds[:-1], draw.random(count), side="right")
    for number, label in enumerate(chances):
        yield label, choice == number


def _chance(finding: Finding, has: Mapping[str, NDArray[np.bool_]], count: int) -> NDArray[np.float64]:
    """Return the chance that each patient has the finding: that not every cause fails (a noisy or)."""
    none = np.full(count, 1 - finding.alone)
    for cause, chance in finding.causes.items():
        none[has[cause]] *= 1 - chance
    return 1 - none


def _names(count: int) -> Iterator[str]:
    width = max(4, len(str(count)))
    return (f"patient {number:0{width}}" for number in range(1, count + 1))
