"""Samples: data that is there without a file, to try things on."""

import hashlib
from io import BytesIO
from typing import Any, Final

from discreet import InputError, Transactions, write
from discreet.data.generate import clinic
from discreet.io import datasets

CLINIC: Final = "clinic"
CLINIC_ROWS: Final = 2_000
CLINIC_SEED: Final = 1


def samples() -> list[dict[str, Any]]:
    """Return the samples of this machine: the invented clinic, the papers' examples, and public files that are here.

    >>> [(sample["name"], sample["rows"]) for sample in samples()][:2]
    [('clinic', 2000), ('pkdd2005', 12)]
    """
    invented = {
        "name": CLINIC,
        "title": f"Clinic, {CLINIC_ROWS:,} patients",
        "about": "an invented clinic: sex, age, smoking, diagnoses, tests and drugs of patients who do not exist",
        "rows": CLINIC_ROWS,
    }
    printed = [
        {
            "name": name,
            "title": f"{name}, {len(example.rows.split()):,} rows",
            "about": example.paper,
            "rows": len(example.rows.split()),
        }
        for name, example in datasets.EXAMPLES.items()
    ]
    public = [
        {"name": name, "title": f"{name}, {file.rows:,} rows", "about": file.about, "rows": file.rows}
        for name, file in datasets.FILES.items()
        if datasets.locate(name) is not None
    ]
    return [invented, *printed, *public]


def is_sample(name: str) -> bool:
    """Return whether there is a sample of that name on this machine."""
    return name == CLINIC or name in datasets.EXAMPLES or (name in datasets.FILES and datasets.locate(name) is not None)


def load(name: str) -> Transactions:
    """Return the rows of a sample; nothing is fetched from anywhere."""
    if not is_sample(name):
        raise InputError("there is no such sample on this machine; take one of those that the start page lists")
    return clinic(CLINIC_ROWS, seed=CLINIC_SEED) if name == CLINIC else datasets.load(name)


def digest(name: str, rows: Transactions) -> str:
    """Return the SHA-256 of a sample: of the public file, or of the rows as CSV, which is how others can be had."""
    if name in datasets.FILES:
        return datasets.FILES[name].sha256
    file = BytesIO()
    write(Transactions(rows), file, format="csv")
    return hashlib.sha256(file.getvalue()).hexdigest()
