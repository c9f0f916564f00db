"""Text for people: short, safe to print, with plurals and percentages."""


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
    r"""Return text in one line that is safe to print: terminal control characters are escaped.

    >>> printable("a\x1b[31m ∧ b")
    'a\\x1b[31m ∧ b'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


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


def points(share: float) -> str:
    """Return the difference of two shares in percentage points, rounded for reading.

    >>> points(0.0616), points(0)
    ('6.16 points', '0 points')
    """
    return f"{100 * share:.3g} points"
