"""Compile the kernels that most tests need: once, before several workers at a time would each do so by themselves."""

from io import BytesIO

import numpy as np

from discreet import attack, audit, compare, compare_hiding, detect, hide, mine, read, read_facts, tradeoff
from discreet.data.generate import clinic
from discreet.mining.mine import mine_by
from discreet.mining.search import Limits

if __name__ == "__main__":
    rows = clinic(400, seed=1)
    for strategy in ("dense", "sparse", "mixed"):
        for kind in ("frequent", "closed", "maximal"):
            mine_by(strategy, rows, min_support="40%", kind=kind, max_length=None, limits=Limits(threads=2))
    patterns = mine(rows, min_support="20%")
    for method in ("naive", "closed", "projection"):
        detect(patterns, k=5, rows=rows, method=method)
    _ = audit(rows, min_support="20%", policy="acro").exposed
    audit(rows.describe(people=np.arange(len(rows), dtype=np.int32)), min_support="20%", k=5)
    compare(rows, min_support="30%", k=5, against="derive", seconds=1)
    tradeoff(rows, min_supports=["40%"], ks=[5])
    sensitive = [rows.labels[:1]]
    hide(rows, sensitive)
    compare_hiding(rows, sensitive, min_supports=["40%"])
    attack(patterns, k=5, seconds=1)
    audit(read_facts(patterns, round_to=1), k=5)
    for format_, text in (("fimi", b"1 2\n2\n"), ("onehot", b"a,b\n1,0\n")):
        read(BytesIO(text), format=format_)
