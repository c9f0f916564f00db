"""Kernels that find which items of a top imply another one."""

import numpy as np
from numba import njit

from discreet.kernels.bits import lowest_bit, popcount
from discreet.kernels.room import grown

jit = njit(cache=True, nogil=True)

ONE = np.uint64(1)


@jit
def implications(cells, base_offsets, bases, top_offsets, top_items, many, most):
    """Return bases (CSR) and the item that each implies, and whether there are more than ``most``; each once.

    ``cells`` are the tops of all cells, in rising order, with their bases (CSR); a top has at most 64 of ``many``
    items.
    """
    tops = top_offsets.size - 1
    held = np.zeros((many, (tops + 63) >> 6), np.uint64)
    for top in range(tops):
        for at in range(top_offsets[top], top_offsets[top + 1]):
            held[top_items[at], top >> 6] |= ONE << np.uint64(top & 63)
    place = np.empty(many, np.int64)
    found, entries = 0, 0
    offsets, items = np.zeros(1025, np.int64), np.empty(1024, np.int32)
    found_bases = np.empty(4096, np.int32)
    maps, edges = np.empty(64, np.uint64), np.empty(64, np.uint64)
    cell = 0
    for top in range(tops):
        first, last = top_offsets[top], top_offsets[top + 1]
        for at in range(first, last):
            place[top_items[at]] = at - first
        size = 0
        while cell < cells.size and cells[cell] == top:
            if size == maps.size:
                maps, edges = grown(maps, 2 * size), grown(edges, 2 * size)
            maps[size] = 0
            for at in range(base_offsets[cell], base_offsets[cell + 1]):
                maps[size] |= ONE << np.uint64(place[bases[at]])
            size += 1
            cell += 1
        full = ~np.uint64(0) >> np.uint64(64 - (last - first)) if last > first else np.uint64(0)
        for item in range(last - first):
            bit = ONE << np.uint64(item)
            lacking = 0
            for number in range(size):
                if not maps[number] & bit:
                    edges[lacking] = full & ~maps[number] & ~bit
                    lacking += 1
            hits = transversals(edges, smallest(edges, lacking))
            for hit in hits:
                if not is_first(held, top_items, first, hit | bit, top):
                    continue
                if found == most:
                    return offsets[: found + 1].copy(), found_bases[:entries].copy(), items[:found].copy(), True
                if found == items.size:
                    offsets, items = grown(offsets, 2 * found + 1), grown(items, 2 * found)
                if entries + 64 > found_bases.size:
                    found_bases = grown(found_bases, 2 * (entries + 64))
                bits = hit
                while bits:
                    found_bases[entries] = top_items[first + lowest_bit(bits)]
                    entries += 1
                    bits &= bits - ONE
                items[found] = top_items[first + item]
                found += 1
                offsets[found] = entries
    return offsets[: found + 1].copy(), found_bases[:entries].copy(), items[:found].copy(), False


@jit
def smallest(edges, size):
    """Move the edges that hold no other one to the front, smaller ones first; return how many."""
    sizes = np.empty(size, np.int64)
    for number in range(size):
        sizes[number] = popcount(edges[number])
    ordered, kept = edges[:size][np.argsort(sizes, kind="mergesort")], 0
    for edge in ordered:
        new = True
        for other in range(kept):
            if edges[other] & edge == edges[other]:
                new = False
                break
        if new:
            edges[kept] = edge
            kept += 1
    return kept


@jit
def transversals(edges, size):
    """Return the smallest itemsets that meet each edge: edge by edge, those that miss it take one of its items more.

    Of no edges the empty itemset; of an empty edge none.
    """
    hits = np.zeros(1, np.uint64)
    for number in range(size):
        edge, kept = edges[number], 0
        meeting = np.empty(hits.size, np.uint64)
        for hit in hits:
            if hit & edge:
                meeting[kept] = hit
                kept += 1
        room = kept + (hits.size - kept) * popcount(edge)
        longer, many = np.empty(np.int64(room), np.uint64), kept
        longer[:kept] = meeting[:kept]
        for hit in hits:
            if hit & edge:
                continue
            bits = edge
            while bits:
                wider = hit | (bits & ~(bits - ONE))
                bits &= bits - ONE
                new = True
                for other in range(kept):
                    if longer[other] & wider == longer[other]:
                        new = False
                        break
                if new:
                    longer[many] = wider
                    many += 1
        hits = longer[:many].copy()
    return hits


@jit
def is_first(held, items, first, bits, top):
    """Return whether no top before ``top`` has all the items whose bits are set, counted from ``first``."""
    for word in range((top >> 6) + 1):
        tops, rest = ~np.uint64(0), bits
        while rest and tops:
            tops &= held[items[first + lowest_bit(rest)], word]
            rest &= rest - ONE
        if tops:
            return (word << 6) + lowest_bit(tops) == top
    return True
