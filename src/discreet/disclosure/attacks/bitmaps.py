"""Many itemsets at once as numbers with a bit for each item, as ``as_bits`` makes them one by one."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets

Lines: TypeAlias = NDArray[np.uint8]  # a line of bytes for each itemset, the lowest bits first
Words: TypeAlias = NDArray[np.uint64]  # the same, 64 bits in each


def pack(itemsets: Itemsets, many: int) -> list[int]:
    """Return itemsets of ``many`` items as numbers.

    >>> pack(Itemsets.of([[0, 2], [], [9]]), 10)
    [5, 0, 512]
    """
    lines = np.zeros((len(itemsets), -(-many // 8)), dtype=np.uint8)
    items = itemsets.entries
    np.bitwise_or.at(lines, (itemsets.owners, items >> 3), np.left_shift(1, items & 7).astype(np.uint8))
    return as_numbers(lines)


def unpack(numbers: Sequence[int], many: int) -> Itemsets:
    """Return the itemsets that numbers stand for.

    >>> [itemset.tolist() for itemset in unpack([5, 0, 512], 10)]
    [[0, 2], [], [9]]
    """
    return Itemsets(*kernels.joining.list_items(as_words(as_lines(numbers, many))))


def as_lines(numbers: Sequence[int], many: int) -> Lines:
    """Return numbers with a bit for each of ``many`` items as lines."""
    size = -(-many // 8)
    return np.frombuffer(b"".join(one.to_bytes(size, "little") for one in numbers), np.uint8).reshape(
        len(numbers), size
    )


def as_numbers(lines: Lines) -> list[int]:
    """Return the numbers that lines stand for."""
    data, (many, size) = lines.tobytes(), lines.shape
    return [int.from_bytes(data[at * size : (at + 1) * size], "little") for at in range(many)]


def as_words(lines: Lines) -> Words:
    """Return lines filled up to whole words, as kernels take them."""
    words = np.zeros((lines.shape[0], max(1, -(-lines.shape[1] // 8))), dtype="<u8")
    words.view(np.uint8)[:, : lines.shape[1]] = lines
    return words.astype(np.uint64, copy=False)


def as_bytes(words: Words) -> Lines:
    """Return words as lines."""
    return words.astype("<u8", copy=False).view(np.uint8)


def lack_one(numbers: Sequence[int], groups: Sequence[int], many: int) -> NDArray[np.bool_]:
    """Return which itemsets have all items but one of some group.

    >>> lack_one([0b001, 0b100, 0b011], [0b011], 3).tolist()
    [True, False, False]
    """
    lines, lacking = as_lines(numbers, many), np.zeros(len(numbers), dtype=np.bool_)
    for group in as_lines(groups, many):
        lacking |= np.bitwise_count(group & ~lines).sum(axis=1, dtype=np.int64) == 1
    return lacking
