"""Write the fixtures in this folder with the real programs: see README.md."""

import importlib
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import fim
import pandas as pd
from mlxtend.frequent_patterns import apriori, fpgrowth
from mlxtend.preprocessing import TransactionEncoder

HERE = Path(__file__).parent
ROWS = [labels for many, labels in json.loads((HERE / "rows.json").read_text()) for _ in range(many)]
LEAST = 3
REPORTS = [
    "a",
    "s",
    "S",
    "as",
    "sa",
    "sS",
    "Ss",
    "Sa",
    "aS",
    "(a",
    "[a",
    "(s",
    "[S",
    "(aS",
    "aQ",
    "Qa",
    "ae",
    "sQ",
    "(asSQe",
]
PAMI = {"FPGrowth": "basic", "Apriori": "basic", "ECLAT": "basic", "CHARM": "closed", "MaxFPGrowth": "maximal"}


def save(name: str, text: str) -> None:
    (HERE / name).write_text(text, encoding="utf-8")


def run(*command: str) -> None:
    subprocess.run(command, check=True, cwd=HERE)


def make_mlxtend() -> None:
    encoder = TransactionEncoder()
    frame = pd.DataFrame(encoder.fit_transform(ROWS), columns=encoder.columns_)
    found = fpgrowth(frame, min_support=LEAST / len(ROWS), use_colnames=True)
    save("mlxtend.csv", found.to_csv(index=False))
    save("mlxtend.tsv", found.to_csv(sep="\t"))
    save("mlxtend-numbers.csv", apriori(frame, min_support=LEAST / len(ROWS)).to_csv(index=False))


def make_pyfim() -> None:
    reported = {report: fim.eclat(ROWS, target="s", supp=-LEAST, report=report) for report in REPORTS}
    save("pyfim.json", json.dumps(reported, indent=None, ensure_ascii=False))


def make_pami() -> None:
    """PAMI takes blanks off the ends of labels."""
    database = HERE / "rows.tmp"
    database.write_text("".join("\t".join(map(str.strip, row)) + "\n" for row in ROWS), encoding="utf-8")
    for name, kind in PAMI.items():
        miner = getattr(importlib.import_module(f"PAMI.frequentPattern.{kind}.{name}"), name)(str(database), LEAST)
        miner.mine()
        miner.save(str(HERE / f"pami-{name}.txt"))
    database.unlink()


if __name__ == "__main__":
    make_mlxtend()
    make_pyfim()
    make_pami()
    lines = HERE / "rows.tmp"
    lines.write_text("".join("\t".join(row) + "\n" for row in ROWS), encoding="utf-8")
    run("Rscript", "make.R")
    lines.unlink()
    labels = sorted({label for row in ROWS for label in row})
    names = [f"@ITEM={number}={label}\n" for number, label in enumerate(labels, start=1)]
    numbered = (" ".join(str(labels.index(label) + 1) for label in sorted(row)) + "\n" for row in ROWS)
    save("spmf-rows.txt", "".join(["@CONVERTED_FROM_TEXT\n", *names, *numbered]))
    run("java", "-cp", sys.argv[1], "Run", "spmf-rows.txt", ".", str((LEAST - 0.5) / len(ROWS)))
    versions = (f"{name} {version(name)}\n" for name in ("pyfim", "mlxtend", "pami", "pandas", "numpy"))
    sys.stdout.writelines(versions)
