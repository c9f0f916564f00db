"""Compile the kernels that most tests need: once, before several workers at a time would each do so by themselves."""

from discreet import attack, audit, compare, compare_hiding, hide, mine, read_facts, tradeoff
from discreet.generate import clinic

if __name__ == "__main__":
    rows = clinic(400, seed=1)
    patterns = mine(rows, min_support="60%", threads=2)
    sensitive = [rows.labels[:1]]
    _ = audit(rows, min_support="20%", k=5).exposed
    compare(rows, min_support="40%", k=5, against="derive", seconds=1)
    tradeoff(rows, min_supports=["40%"], ks=[5])
    hide(rows, sensitive)
    compare_hiding(rows, sensitive, min_supports=["40%"])
    attack(patterns, k=5, seconds=1)
    audit(read_facts(patterns, round_to=5), k=5)
