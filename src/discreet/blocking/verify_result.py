"""The result of verifying a release, in words; and the fingerprint by which its publisher is known."""

import re
from typing import Any, Final, NamedTuple

from discreet.errors import Option, OptionError, refuse_truth

MOST_FAULTS: Final = 20  # faults that are shown
DIGEST: Final = re.compile("[0-9a-f]{64}")
OTHER: Final = "this is not the release of that fingerprint, it was changed, or the fingerprint is mistyped"
VIEWER: Final = "; SACRO-Viewer adds it to a folder that it opens: remove it, and open what block --sacro writes"


@refuse_truth(ask=".is_good")
class Verification(NamedTuple):
    """The faults of a release, and the numbers that were checked; a number that could not be checked is None.

    ``smallest`` is the smallest cell, 0 excluded, of the ``tops``, the maximal itemsets. Itemsets longer than
    ``max_length`` were left out. Where supports are ``rounded_to`` multiples of a number, no cell can be counted; it is
    checked that they fit together, and that no difference of two is surely too small. ``digest``, the SHA-256 of
    release.json, is the release's fingerprint, because release.json lists those of the other files; the numbers are the
    publisher's if it ``matches`` the one that the publisher gave. It is None if no fingerprint was given. ``beside``
    are the fingerprints of the older releases that it was made beside, and ``together`` those of them that were given,
    and reveal nothing more together with it. Of ``tables`` of counts, this says how many cells they have.
    """

    digest: str
    faults: tuple[str, ...]
    notes: tuple[str, ...]
    k: int | None = None
    n: int | None = None
    min_support: int | None = None
    itemsets: int | None = None
    tops: int | None = None
    smallest: int | None = None
    max_length: int | None = None
    rounded_to: int | None = None
    matches: bool | None = None
    beside: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    tables: str = ""

    @property
    def is_good(self) -> bool:
        """Whether no fault was found."""
        return not self.faults

    def __str__(self) -> str:
        if self.faults:
            more = [f"… and {len(self.faults) - MOST_FAULTS} more"] * (len(self.faults) > MOST_FAULTS)
            lines = ["NOT GOOD", *self.faults[:MOST_FAULTS], *more]
        elif self.tables:
            nothing = f"no count of 1 to {(self.k or 1) - 1} that is masked or left out can be worked out; k = {self.k}"
            lines = [f"GOOD: {self.tables}", nothing, *self.origin]
        else:
            cut = "" if self.max_length is None else f" of at most {self.max_length} items"
            held = f"each held by at least {self.min_support:,} of {self.n:,} rows"
            lines = [f"GOOD: {self.itemsets:,} itemsets{cut}, {held}", self._describe_groups(), *self.origin]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _describe_groups(self) -> str:
        if self.rounded_to is not None:
            unsure = "what they were before, and what that would reveal, cannot be counted from these files"
            return f"supports are rounded to multiples of {self.rounded_to}: {unsure}; k = {self.k}"
        checked = f"{self.tops:,} maximal itemsets checked"
        return f"smallest derivable group: {self.smallest:,} rows ({checked}); k = {self.k}"

    @property
    def origin(self) -> list[str]:
        """What is known about where a good release comes from, in lines: its fingerprint and older releases."""
        if self.faults:
            return []
        as_given = ", as the publisher's" if self.matches else ""
        lines = [f"fingerprint (SHA-256 of release.json): {self.digest}{as_given}"]
        if not self.matches:
            lines.append("not checked: whose numbers these are; the publisher's have the publisher's fingerprint")
        missing = sorted({*self.beside} - {*self.together})
        if self.together:
            lines.append(f"safe together with {len(self.together)} of {len({*self.beside})} older releases beside it")
        if missing:
            names = ", ".join(missing)
            lines.append(f"not checked: what it reveals together with older releases with the fingerprints {names}")
        return lines

    def facts(self) -> dict[str, Any]:
        """Return what was found, for JSON; the fingerprint of a release with a fault is nobody's."""
        return {"is_good": self.is_good, **self._asdict(), "digest": self.digest if self.is_good else None}


def as_fingerprint(text: str) -> str:
    """Return a fingerprint that a person typed or copied; refuse anything but 64 hexadecimal digits.

    >>> as_fingerprint(" AB12 " * 16) == "ab12" * 16
    True
    """
    digits = "".join(text.split()).lower()
    if not DIGEST.fullmatch(digits):
        raise OptionError(
            Option("fingerprint"), " is not one: it has 64 hexadecimal digits, as `discreet verify` shows"
        )
    return digits
