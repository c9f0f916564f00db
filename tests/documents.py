"""Files that the documents show or speak of, for the commands and the Python of their pages."""

import re
import zipfile
from pathlib import Path

import openpyxl
import polars as pl

DOCS = Path(__file__).parent.parent / "docs"
FILE = re.compile(r"^```\w+\n(# ([\w-]+\.\w+)\b.*?)^```$", re.MULTILINE | re.DOTALL)
DATA = (".csv", ".dat")  # these have no comments, so that the line with the name is not part of them


def write_files(page):
    """Write the files that a page shows: blocks whose first line names the file, such as "# secret.txt"."""
    for content, name in FILE.findall(page.read_text(encoding="utf-8")):
        Path(name).write_text(content.partition("\n")[2] if name.endswith(DATA) else content, encoding="utf-8")


def write_copies():
    """Write the people of docs/your-data.md as other files, too."""
    people, events = pl.read_csv("people.csv"), pl.read_csv("diagnoses.csv")
    people.write_parquet("people.parquet")
    with zipfile.ZipFile("people.zip", "w") as archive:
        archive.write("people.csv")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, frame in {"patients": people, "events": events}.items():
        sheet = book.create_sheet(name)
        for line in (frame.columns, *frame.rows()):
            sheet.append(list(line))
    book.save("people.xlsx")
