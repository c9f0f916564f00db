"""Packed lists: hundreds of thousands of findings in a few bytes each, for the script of a page to unfold."""

import json
import zlib
from base64 import b64encode
from collections.abc import Sequence
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets, Label, sort_labels
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel, Channels, Difference
from discreet.disclosure.implications import Implications
from discreet.publications.series import Change
from discreet.report.text import ranks
from discreet.runtime import html

LEVEL: Final = 6  # of compression: 9 would take five times as long for a twentieth less
MOST: Final = 500_000  # findings of a list: a browser sorts them while its reader waits


class Listing(NamedTuple):
    """Findings, the worst first where ``ranking`` says so: each is a part, its base, of one of several tops.

    Top ``i`` is ``top_items[top_offsets[i]:top_offsets[i + 1]]``. Finding ``j`` speaks of ``tops[j]``, which never
    falls from one to the next, has the base ``items[offsets[j]:offsets[j + 1]]`` and is about ``counts[j]`` rows;
    below 0, so many rows fewer.
    """

    labels: tuple[Label, ...]
    top_offsets: NDArray[np.int64]
    top_items: NDArray[np.int32]
    tops: NDArray[np.int64]
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def of_channels(cls, channels: Channels) -> Self:
        """Take channels: they are in order already."""
        cells = channels.cells
        tops = (*channels.tops.flat, cells.tops.astype(np.int64))
        return cls(channels.labels, *tops, *cells.bases.flat, cells.counts)

    @classmethod
    def of_findings(cls, found: Sequence[Channel | Difference | Change]) -> Self:
        """Take channels, differences or changes, each with a top of its own."""
        labels = sort_labels(label for one in found for label in one.top)
        code = {label: number for number, label in enumerate(labels)}
        tops, bases = (
            Itemsets.of([code[label] for label in part] for part in parts).sort_items().flat
            for parts in ([one.top for one in found], [one.base for one in found])
        )
        counts = np.array([one.count for one in found], dtype=np.int64)
        return cls(labels, *tops, np.arange(counts.size), *bases, counts)

    @classmethod
    def of_implications(cls, implications: Implications) -> Self:
        """Take implications as what they are: nobody has base without item."""
        (bases, items), many = implications.bases.flat, len(implications)
        tops = np.insert(items, bases[1:], implications.items)
        every = (bases + np.arange(many + 1), tops, np.arange(many))
        return cls(implications.labels, *every, bases, items, np.zeros(many, dtype=np.int64))

    @classmethod
    def of_patterns(cls, patterns: Patterns) -> Self:
        """Take published itemsets, each its own top; they are held by as many rows as their support says."""
        tops = (patterns.offsets, patterns.items, np.arange(len(patterns)))
        return cls(patterns.labels, *tops, patterns.offsets, patterns.items, patterns.supports)

    def ranking(self, *, largest: bool = False) -> NDArray[np.intp]:
        """Return the numbers of all findings: of the fewest rows, or the most, first; then of the fewest items."""
        many = np.abs(self.counts)
        return np.lexsort((np.diff(self.top_offsets)[self.tops], -many if largest else many))

    def some(self, numbers: NDArray[np.intp]) -> Self:
        """Return some of the findings, by their numbers, in the same order."""
        chosen = np.sort(numbers)
        used, tops = np.unique(self.tops[chosen], return_inverse=True)
        top_itemsets, bases = (
            Itemsets(self.top_offsets, self.top_items).take(used).flat,
            Itemsets(self.offsets, self.items).take(chosen).flat,
        )
        return type(self)(self.labels, *top_itemsets, tops, *bases, self.counts[chosen])


class Packed(NamedTuple):
    """A listing as text for a page: how many findings there are, how many of them, the worst, are in it, and it."""

    many: int
    kept: int
    text: str


def packed(listing: Listing, room: int, *, largest: bool = False) -> Packed:
    """Return a listing in at most ``room`` letters; where all do not fit, as many of the worst as do, or the largest.

    >>> from discreet import detect, mine
    >>> found = Listing.of_channels(detect(mine([["a", "b"], ["a", "b"], ["a"], []], min_support=2), k=2))
    >>> packed(found, 1000).kept, packed(found, 0).kept
    (2, 0)
    """
    many = listing.counts.size
    kept = min(many, MOST)
    text = b64encode(as_bytes(listing if kept == many else listing.some(listing.ranking(largest=largest)[:kept])))
    while kept and len(text) > room:
        # A little less than what should fit: the next try seldom fails.
        kept = min(kept - 1, int(0.97 * kept * room / len(text)))
        text = b64encode(as_bytes(listing.some(listing.ranking(largest=largest)[:kept]))) if kept else b""
    return Packed(many, kept, text.decode())


def as_bytes(listing: Listing) -> bytes:
    """Return a listing as bytes, compressed: a head in JSON, then columns of 32-bit numbers, the lowest byte first.

    The head has its length before it, and blanks behind it up to a multiple of four bytes. The columns: the length of
    each top; the items of all tops, by their place among the labels of the head; how many findings each top has; the
    count of each, its lower and then its higher half, which holds the sign; and for each, which items of its top are
    its base, a bit an item, in words of 32.
    """
    rank = np.array(ranks(listing.labels), dtype=np.int64)
    # Labels of items that no finding speaks of, which few rows may hold, are not told.
    told = np.unique(rank[listing.top_items])
    place, every = np.searchsorted(told, rank), sort_labels(listing.labels)
    sizes, many = np.diff(listing.top_offsets), told.size
    # One number for an item within a top: in order they are all tops, one after the other, each in the order of labels.
    keys = np.sort(np.repeat(np.arange(sizes.size), sizes) * many + place[listing.top_items])
    words = (sizes + 31) // 32
    starts = np.concatenate([[0], np.cumsum(words[listing.tops])])
    lengths = np.diff(listing.offsets)
    entries = listing.items[listing.offsets[0] : listing.offsets[-1]]
    at = np.searchsorted(keys, np.repeat(listing.tops, lengths) * many + place[entries])
    at -= np.repeat(listing.top_offsets[:-1][listing.tops] - listing.top_offsets[0], lengths)
    masks = np.zeros(int(starts[-1]), dtype=np.uint32)
    np.bitwise_or.at(masks, np.repeat(starts[:-1], lengths) + at // 32, (1 << at % 32).astype(np.uint32))
    labels = [html.show_label(every[at], html.LONGEST_TEXT) for at in told.tolist()]
    head = json.dumps({"labels": labels, "tops": sizes.size, "findings": listing.counts.size}).encode()
    head += b" " * (-len(head) % 4)
    per_top = np.bincount(listing.tops, minlength=sizes.size)
    low, high = listing.counts & 0xFFFFFFFF, listing.counts >> 32
    columns = [
        np.array(column).astype("<u4").tobytes() for column in (sizes, keys % max(1, many), per_top, low, high, masks)
    ]
    return zlib.compress(b"".join([np.array([len(head)], dtype="<u4").tobytes(), head, *columns]), LEVEL)
