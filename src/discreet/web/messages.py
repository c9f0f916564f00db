"""Sentences: what went wrong, in the words of the pages; never a row, a label, or a place on this machine."""

import re
from collections.abc import Mapping
from typing import Final

WORDS: Final = (
    (r"the open file: ", ""),
    (r" \(docs/guarantee\.md\)", ""),
    (r"there is no itemset in the file", "no sensitive itemset is named"),
    (r"as many as max_patterns allows: raise .*", "as many as are allowed here: raise the minimum support"),
    (r"raise memory, max_patterns or min_support", "raise the minimum support"),
    (r"that memory allows: ", "that are allowed: "),
    (
        r"raise memory or min_support(?:, or lower max_length)?",
        "raise the minimum support, or start `discreet serve` with more --memory",
    ),
    (
        r"raise --min-support: `discreet tradeoff` tells how far",
        "raise the minimum support: the trade-off tells how far",
    ),
    (r"by `discreet block`", "on the page Block"),
    (r"say so with --kind", "say so where the file is loaded"),
    (r"(?:more )?--seconds", "more time"),
    (r"\bmin[_ ]support\b", "the minimum support"),
    (r"\b(keep_n|max_patterns|max_length)\b", lambda found: found[0].replace("_", " ")),
    (r"\b(row|item|items|n|format|separator|kind|method)=(?!')", r"\1"),
    (r"\b(row|item|items|n|format|separator|kind|method)='(\w+)'", r"\1 \2"),
)
"""What the library and the command line call things, and what the pages call them."""

UNFORESEEN: Final = (
    "Something went wrong that we did not foresee; nothing was changed. Try again, or load the file again."
)
MEMORY: Final = (
    "There is not enough memory for this; take a smaller file or a higher minimum support, or start `discreet serve` "
    "with more --memory."
)
KILLED: Final = (
    "The work ended before it was done, probably because it needed more memory than there is; raise the minimum "
    "support, or try again."
)
STOPPED: Final = "The work was stopped; ask again to start it anew."
NO_WORKER: Final = "No process to work in could be started; stop `discreet serve` and start it again."
UNKNOWN_DATA: Final = "This data is not loaded, or no longer: load the file again."
UNKNOWN_UPLOAD: Final = "This upload is not there, or no longer: load the file again."
UNKNOWN_JOB: Final = "There is no such work, or no longer: ask again."


def in_pages(sentence: str, places: Mapping[str, str] | None = None) -> str:
    """Return a sentence of the library as a page says it; a place on this machine becomes the name of the file.

    >>> in_pages("/tmp/x/1.csv: line 3 is not UTF-8; save the file as UTF-8", {"/tmp/x/1.csv": "baskets.csv"})
    'baskets.csv: line 3 is not UTF-8; save the file as UTF-8'
    >>> in_pages("Make it safe by `discreet block`, or raise --min-support: `discreet tradeoff` tells how far.")
    'Make it safe on the page Block, or raise the minimum support: the trade-off tells how far.'
    >>> in_pages("they take more than the 2.0 GiB that memory allows: raise memory or min_support, or lower max_length")
    ... # doctest: +ELLIPSIS
    'they take more than the 2.0 GiB that are allowed: raise the minimum support, or start `discreet serve` with ...'
    >>> in_pages("the source does not say of how many rows these are patterns; say it with n=")
    'the source does not say of how many rows these are patterns; say it with n'
    """
    for place, name in (places or {}).items():
        sentence = sentence.replace(place, name)
    for old, new in WORDS:
        sentence = re.sub(old, new, sentence)
    return " ".join(sentence.split())
