"""Recount the costs of a release from two files of patterns in JSON, the original and the published one.

Run as ``python recount.py BEFORE AFTER``; it prints JSON. It imports nothing of the product: whoever doubts the costs
that it tells can check them with this page of code.
"""

import json
import sys
from itertools import chain, combinations
from pathlib import Path
from statistics import fmean


def read(path):
    """Return the number of rows, and all itemsets that the listed ones stand for, with their supports."""
    facts = json.loads(Path(path).read_text(encoding="utf-8"))
    supports = {}
    for line in facts["patterns"]:
        sizes = range(len(line["items"]) + 1) if facts["kind"] == "closed" else [len(line["items"])]
        for itemset in chain.from_iterable(combinations(line["items"], size) for size in sizes):
            key = frozenset(itemset)
            supports[key] = max(supports.get(key, 0), line["support"])
    return facts["n"], supports


def sum_up(changes):
    """Return the average and the largest of changes."""
    return {"average": fmean(changes) if changes else 0.0, "largest": max(changes, default=0.0)}


def recount(before, after):
    """Return the costs, from two files of patterns."""
    (n_before, old), (n_after, new) = read(before), read(after)
    items = [itemset for itemset in old if len(itemset) == 1 and itemset in new]
    rules = [(both, both - {item}, frozenset([item])) for both in old for item in both if len(both) > 1 and both in new]
    confidences = [(old[both] / old[left], new[both] / new[left]) for both, left, _ in rules]
    lifts = [
        (was / (old[right] / n_before), now / (new[right] / n_after))
        for (was, now), (_, _, right) in zip(confidences, rules, strict=True)
    ]
    return {
        "n_before": n_before,
        "n_after": n_after,
        "item_rows": sum_up([abs(new[item] - old[item]) for item in items]),
        "items": sum_up([abs(new[item] - old[item]) / old[item] for item in items]),
        "shares": sum_up([abs(new[item] / n_after - old[item] / n_before) for item in items]),
        "confidences": sum_up([abs(now - was) for was, now in confidences]),
        "lifts": sum_up([abs(now - was) / was for was, now in lifts]),
        "lost": len(old.keys() - new.keys()),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(recount(*sys.argv[1:])))
