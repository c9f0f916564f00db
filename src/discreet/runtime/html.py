"""Values as short HTML tables for notebooks; all text that is not our own HTML is escaped."""

import re
from collections.abc import Hashable, Iterable, Sequence
from html import escape
from typing import Final

from discreet.runtime.text import JOINER, NON_JOINER, printable

SHOWN: Final = 10  # lines of a table at most; beyond that only their number is shown
MOST_LABELS: Final = 20  # labels shown of one itemset or row, at most
LONGEST_LABEL: Final = 40  # letters shown of a label, at most
LONGEST_TEXT: Final = 400  # letters shown of anything else, including the title of a label

# No colour of text or page is set, so that light and dark themes both read well.
_LINE: Final = "padding:.15em .6em;vertical-align:top;"
_HEAD: Final = f"{_LINE}border-bottom:1px solid currentColor;"
_CAPTION: Final = "caption-side:top;text-align:left;color:inherit;font-weight:bold;padding:.3em .6em;white-space:nowrap"
_BADGE: Final = "color:#fff;padding:0 .4em;border-radius:.25em;white-space:nowrap"


class Html(str):
    """Text that is HTML already; any other is escaped before it is shown."""

    __slots__ = ()

    def __html__(self) -> str:  # templates ask it whether to escape
        return self


def text(value: object) -> Html:
    r"""Return a value as HTML that shows its text in one line, cut if very long; HTML stays as it is.

    Characters that would mislead the eye, such as a change of direction, are escaped as well.

    >>> text("a < b\n"), text("\u202eright to left")
    ('a &lt; b\\n', '\\u202eright to left')
    """
    return value if isinstance(value, Html) else Html(escape(printable(_cut(str(value), LONGEST_TEXT))))


def show_label(label: Hashable, most: int = LONGEST_LABEL) -> str:
    """Return a label as plain text in one line, cut if long."""
    return printable(_cut(str(label), most))


def name(label: Hashable) -> Html:
    """Return a label, cut if long; its title shows more of it.

    >>> name("<b>")
    '<bdi>&lt;b&gt;</bdi>'
    """
    full = str(label)
    title = f' title="{text(full)}"' if len(full) > LONGEST_LABEL else ""
    # <bdi> keeps right-to-left text apart from its neighbours.
    return Html(f"<bdi{title}>{text(_cut(full, LONGEST_LABEL))}</bdi>")


def names(labels: Sequence[Hashable], *, sign: str = "", between: str = ", ", nothing: str = "") -> Html:
    """Return the first labels side by side, each behind a sign; ``nothing`` if there are none.

    >>> names(["a", "b"], sign="¬", between=" ∧ "), names([], nothing="(every row)")
    ('¬<bdi>a</bdi> ∧ ¬<bdi>b</bdi>', '(every row)')
    """
    shown = [f"{text(sign)}{name(label)}" for label in labels[:MOST_LABELS]]
    rest = [f"… {len(labels) - MOST_LABELS:,} more"] if len(labels) > MOST_LABELS else []
    return Html(between.join([*shown, *rest]) or text(nothing))


def badge(word: str, colour: str) -> Html:
    """Return a word in white on a colour; its meaning must not depend on the colour."""
    return Html(f'<strong style="{_BADGE};background:{text(colour)}">{text(word)}</strong>')


def table(
    caption: str, head: Sequence[str], lines: Iterable[Sequence[str | int]], *, many: int = 0, note: str = ""
) -> str:
    """Return lines as a table; below it, how many more of ``many`` there are, and a note.

    The first entry of each line is its heading. Without lines, only the caption is shown.

    >>> print(table("Rows: 0", ["row"], []))
    <div><p style="font-weight:bold">Rows: 0</p></div>
    """
    shown = list(lines)
    rest = f"… and {many - len(shown):,} more." if many > len(shown) else ""
    below = "".join(f'<p style="opacity:.8">{text(line)}</p>' for line in (rest, note) if line)
    if not shown:
        return f'<div><p style="font-weight:bold">{text(caption)}</p>{below}</div>'
    sides = ["right" if all(map(_is_number, column)) else "left" for column in zip(*shown, strict=True)]
    named = zip(head, sides, strict=True)
    heads = (f'<th scope="col" style="{_HEAD}text-align:{side}">{text(word)}</th>' for word, side in named)
    body = "\n".join(_line(line, sides) for line in shown)
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;color:inherit">'
        f'<caption style="{_CAPTION}">{text(caption)}</caption>\n'
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{body}\n</tbody></table>{below}</div>"
    )


def drop_empty_column(
    head: Sequence[str], lines: Sequence[Sequence[str | int]]
) -> tuple[Sequence[str], Sequence[Sequence[str | int]]]:
    """Return the head and the lines of a table, without the last column if it is empty."""
    is_used = any(line[-1] != "" for line in lines)
    return (head, lines) if is_used else (head[:-1], [line[:-1] for line in lines])


def _line(line: Sequence[str | int], sides: Sequence[str]) -> str:
    """Return a line of a table; whole numbers have thousands separators, and only the last entry may wrap."""
    tags = ['th scope="row"', *["td"] * (len(line) - 1)]
    styles = [*[f"{_LINE}white-space:nowrap;"] * (len(line) - 1), _LINE]
    entries = (
        f'<{tag} style="{style}text-align:{side}">{text(f"{entry:,}" if isinstance(entry, int) else entry)}</{tag[:2]}>'
        for tag, style, entry, side in zip(tags, styles, line, sides, strict=True)
    )
    return f"<tr>{''.join(entries)}</tr>"


def _is_number(entry: str | int) -> bool:
    return isinstance(entry, int) or entry == "–" or re.fullmatch(r"[0-9.,e-]+%", entry) is not None


def _cut(full: str, most: int) -> str:
    return full if len(full) <= most else f"{full[:most].rstrip(NON_JOINER + JOINER)}…"
