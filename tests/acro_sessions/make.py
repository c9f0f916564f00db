"""Write the folders beside this file with the real ACRO: `python make.py`, run with ACRO 1.0.2 and with 0.4.12.

The data is made up. 3 men in the north are ill: ACRO suppresses that cell of the first table, leaves them out and adds
up the margins again; the second table counts everyone, so that a difference reveals them.
"""

import logging
import shutil
from pathlib import Path

import acro
import matplotlib as mpl
import pandas as pd
from acro.version import __version__

mpl.use("Agg")
logging.disable(logging.INFO)
HERE = Path(__file__).parent
GROUPS = {
    ("f", "north", "yes"): 31,
    ("f", "north", "no"): 120,
    ("f", "south", "yes"): 27,
    ("f", "south", "no"): 110,
    ("m", "north", "yes"): 3,
    ("m", "north", "no"): 95,
    ("m", "south", "yes"): 24,
    ("m", "south", "no"): 101,
}
ROWS = [(*values, 20 + 7 * at % 60, 1 + at % 5) for values, many in GROUPS.items() for at in range(many)]
people = pd.DataFrame(ROWS, columns=["sex", "region", "ill", "age", "visits"])

session = acro.ACRO(suppress=True)
session.crosstab([people.sex, people.region], people.ill, margins=True)
session.suppress = False
session.crosstab(people.sex, people.ill, margins=True)
session.pivot_table(people, index=["sex"], columns=["region"], values=["age"], aggfunc=["mean"])
session.ols(people.age, people[["visits"]])
if hasattr(session, "hist"):
    session.hist(people, "age")
notes = HERE / "notes.txt"
notes.write_text("Ages in years.\n")
session.custom_output(str(notes), "what ages are")
session.add_exception("output_1", "it is needed for the paper")

folder = HERE / f"session-{__version__}"
shutil.rmtree(folder, ignore_errors=True)
session.finalise(str(folder), "json")
notes.unlink()
