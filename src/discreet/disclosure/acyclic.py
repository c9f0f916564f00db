"""Whether tops form an acyclic hypergraph: then even an exact attacker has nothing but sums of supports."""

from heapq import heappop, heappush
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def is_acyclic(offsets: NDArray[np.int64], items: NDArray[np.int32]) -> bool:
    """Return whether the itemsets ``items[offsets[i]:offsets[i + 1]]`` form an acyclic hypergraph.

    The next itemset is always one with the most items seen so far. The hypergraph is acyclic if and only if the seen
    items of each lie within one earlier itemset (Tarjan and Yannakakis, *Simple linear-time algorithms to test
    chordality of graphs, test acyclicity of hypergraphs, and selectively reduce acyclic hypergraphs*, 1984).

    >>> is_acyclic(np.array([0, 2, 4]), np.array([0, 1, 1, 2]))
    True
    >>> is_acyclic(np.array([0, 2, 4, 6]), np.array([0, 1, 1, 2, 0, 2]))
    False
    """
    edges = [frozenset(items[start:stop].tolist()) for start, stop in pairwise(offsets)]
    holders: dict[int, list[int]] = {}
    for number, edge in enumerate(edges):
        for item in edge:
            holders.setdefault(item, []).append(number)
    seen = [0] * len(edges)
    queue = [(0, number) for number in range(len(edges))]
    turn: dict[int, tuple[int, int]] = {}
    done: set[int] = set()
    while queue:
        _, number = heappop(queue)
        if number in done:
            continue
        done.add(number)
        met = edges[number] & turn.keys()
        if met and not met <= edges[max(turn[item] for item in met)[1]]:
            return False
        for item in edges[number] - met:
            turn[item] = (len(done), number)
            for other in holders[item]:
                seen[other] += 1
                heappush(queue, (-seen[other], other))
    return True
