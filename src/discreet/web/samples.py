"""Samples: invented stories, the papers' examples, and public files that are on this machine."""

import hashlib
from collections.abc import Callable
from io import BytesIO
from typing import Any, Final, NamedTuple

from discreet import Counts, Transactions, read_counts, write
from discreet.data.generate import clinic, supermarket
from discreet.io import datasets

CLINIC_ROWS: Final = 2_000
BASKETS: Final = 5_000
SEED: Final = 1
TABLE: Final = b"""\
sex,smoker,n
Total,Total,180
f,Total,90
m,Total,90
Total,yes,50
Total,no,130
f,yes,<11
f,no,85
m,yes,45
m,no,45
"""


class Story(NamedTuple):
    """An invented sample: its title, what it is about, how many of what it holds, and the page that opens on it."""

    title: str
    about: str
    many: int
    noun: str
    make: Callable[[], Transactions | Counts] | None
    page: str = "/check"


STORIES: Final = {
    "clinic": Story(
        "A clinic's diagnoses",
        "A hospital wants to publish which diagnoses, tests and drugs go together. Nobody in it exists.",
        CLINIC_ROWS,
        "patients",
        lambda: clinic(CLINIC_ROWS, seed=SEED),
    ),
    "supermarket": Story(
        "A supermarket's baskets",
        "What is bought together, from invented tills. Two combinations are a trade secret: hide them.",
        BASKETS,
        "baskets",
        lambda: supermarket(BASKETS, seed=SEED),
    ),
    "smokers": Story(
        "A table with margins",
        "Smokers by sex. The one small count is masked; do the totals give it back?",
        1,
        "table",
        lambda: read_counts(BytesIO(TABLE)),
    ),
    "releases": Story(
        "Last year's and this year's release",
        "Each is safe alone. What does one tell about the other?",
        2,
        "releases",
        None,
        "/compare",
    ),
}
"""The samples that are shown first; a new one is an entry here."""


def list_samples() -> list[dict[str, Any]]:
    """Return the samples on this machine: stories first, then the papers' examples and public files.

    >>> [(sample["name"], sample["size"]) for sample in list_samples()][:2]
    [('clinic', '2,000 patients'), ('supermarket', '5,000 baskets')]
    """
    here = {name: file for name, file in datasets.FILES.items() if datasets.locate(name)}
    others = [
        *((name, example.paper, len(example.rows.split())) for name, example in datasets.EXAMPLES.items()),
        *((name, file.about, file.rows) for name, file in here.items()),
    ]
    stories = (
        {
            "name": name,
            "title": one.title,
            "about": one.about,
            "size": f"{one.many:,} {one.noun}",
            "page": one.page,
            "is_story": True,
        }
        for name, one in STORIES.items()
    )
    plain = (
        {"name": name, "title": name, "about": about, "size": f"{n:,} rows", "page": "/check", "is_story": False}
        for name, about, n in others
    )
    return [*stories, *plain]


def is_sample(name: str) -> bool:
    """Return whether there is data of that name on this machine."""
    is_file = name in datasets.FILES and datasets.locate(name) is not None
    return is_file or name in datasets.EXAMPLES or (name in STORIES and STORIES[name].make is not None)


def load_sample(name: str) -> tuple[Transactions | Counts, str]:
    """Return the data of a sample, and the SHA-256 of the public file, of the rows as CSV, or of the table."""
    story = STORIES.get(name)
    value = datasets.load(name) if story is None or story.make is None else story.make()
    if name in datasets.FILES:
        return value, datasets.FILES[name].sha256
    if not isinstance(value, Transactions):
        return value, hashlib.sha256(TABLE).hexdigest()
    file = BytesIO()
    write(Transactions(value), file, format="csv")
    return value, hashlib.sha256(file.getvalue()).hexdigest()
