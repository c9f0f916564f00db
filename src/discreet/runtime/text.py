"""Text for people: short, safe to print, with plurals and percentages."""

from decimal import ROUND_HALF_UP, Context, Decimal
from itertools import pairwise
from typing import Final
from unicodedata import bidirectional, category, combining

NON_JOINER, JOINER, AS_PICTURE = "\u200c", "\u200d", "\ufe0f"
VIRAMA: Final = 9  # the combining class of what joins consonants in the scripts of India


def abbreviate(value: object) -> str:
    """Return a value as messages show it: short, even if Python refuses to print it.

    >>> abbreviate(7), abbreviate(10**5000)
    ('7', 'a number of thousands of digits')
    """
    try:
        return str(value)[:40]
    except ValueError:
        return "a number of thousands of digits"


def printable(text: str) -> str:
    r"""Return text in one line that is safe to print: all that acts unseen, such as control characters, is escaped.

    Joiners stay where they change what is seen: in Persian words, in scripts of India, and between the parts of an
    emoji. Elsewhere two texts that differ in one would look alike.

    >>> printable("a\x1b[31m ∧ b"), printable("a\u200db")
    ('a\\x1b[31m ∧ b', 'a\\u200db')
    >>> printable("می\u200cخواهم") == "می\u200cخواهم"
    True
    """
    if text.isprintable():
        return text
    around = pairwise(pairwise(f" {text} "))
    return "".join(
        letter if letter.isprintable() or _is_joined(before, letter, after) else ascii(letter)[1:-1]
        for (before, letter), (_, after) in around
    )


def _is_joined(before: str, letter: str, after: str) -> bool:
    """Return whether a letter is a joiner that changes how its neighbours look: rules A.1 and A.2 of RFC 5892, roughly.

    Pictures are emoji, with the colour of a skin or the mark that asks for a picture behind them.
    """
    if letter not in {NON_JOINER, JOINER}:
        return False
    if combining(before) == VIRAMA:
        return True
    is_arabic = bidirectional(before) in {"AL", "NSM"} and bidirectional(after) == "AL"
    is_picture = (category(before) in {"So", "Sk"} or before == AS_PICTURE) and category(after) == "So"
    return is_arabic or (letter == JOINER and is_picture)


def count_of(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, in the plural unless it is 1.

    >>> count_of(1, "support"), count_of(2000, "support"), count_of(2, "person", "people")
    ('1 support', '2,000 supports', '2 people')
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def percent(share: float) -> str:
    """Return a share as a percentage, rounded for reading.

    >>> percent(0.0145), percent(0), percent(12.5)
    ('1.45%', '0%', '1,250%')
    """
    return f"{100 * share:.3g}%" if share < 1 else f"{100 * share:,.0f}%"


def part(some: int, every: int, *, digits: int = 3) -> str:
    """Return some of all as a percentage, rounded half up from whole numbers; nothing of nothing is empty.

    >>> part(567, 2000), part(481, 2000), part(2000, 2000), part(1, 3_000_000), part(0, 0)
    ('28.4%', '24.1%', '100%', '0.0000333%', '')
    """
    if not every:
        return ""
    share = Context(prec=digits, rounding=ROUND_HALF_UP).divide(Decimal(100 * some), Decimal(every))
    return f"{share.normalize():f}%"


def points(share: float) -> str:
    """Return the difference of two shares in percentage points, rounded for reading.

    >>> points(0.0616), points(0)
    ('6.16 points', '0 points')
    """
    return f"{100 * share:.3g} points"
