"""The kernel that counts how often sensitive items stand in the sensitive rows of each window."""

from numba import njit

jit = njit(cache=True, nogil=True)


@jit
def count(offsets, items, rows, window, slots, counts):
    """Add to ``counts[row // window, slots[item]]`` for each item with a slot (0 or more) of the given ``rows``.

    ``counts`` come as zeros; ``slots`` has a place for each code.
    """
    for row in rows:
        line = row // window
        for at in range(offsets[row], offsets[row + 1]):
            slot = slots[items[at]]
            if slot >= 0:
                counts[line, slot] += 1
