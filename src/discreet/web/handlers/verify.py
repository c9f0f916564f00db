"""Verify: a release checked from its files alone, which come out of a zip safely."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import discreet
from discreet import InputError, Verification
from discreet.report import printable
from discreet.runtime.text import count_of
from discreet.web.context import Context
from discreet.web.messages import say_on_page
from discreet.web.readers import compare_readers
from discreet.web.releases import lay_out, open_release


def verify(
    context: Context,
    release: Mapping[str, Any],
    beside: Sequence[Mapping[str, Any]] = (),
    *,
    fingerprint: str | None = None,
) -> dict[str, Any]:
    """Verify a release, perhaps together with older ones; compare it with the publisher's fingerprint."""
    context.stage("unpacking")
    with TemporaryDirectory(dir=context.file("")) as name:
        folder, *olds = (Path(name, str(number)) for number in range(1 + len(beside)))
        readers = lay_out(release, folder)
        places = [open_release(one, place) for one, place in zip(beside, olds, strict=True)]
        context.stage("verifying")
        try:
            found = discreet.verify(folder, fingerprint=fingerprint, beside=places)
        except InputError as error:
            raise InputError(say_on_page(error.message, {f"{place}": "it" for place in places})) from None
        anew = folder.with_name("anew")
        wrong, unchecked = compare_readers(folder, found, readers, anew) if found.is_good else ([], list(readers))
    faults, notes = (list(map(printable, texts)) for texts in (found.faults, found.notes))
    faults += [f"{name} for readers is not what this release makes: it was changed" for name in wrong]
    lists = {} if wrong else {"proven": [*_list_proven(found)], "not_proven": [*_list_unproven(found, unchecked)]}
    return {
        **found.facts(),
        "is_good": found.is_good and not wrong,
        "faults": faults,
        "proven": [],
        "not_proven": [],
        "unchecked": unchecked,
        "notes": notes,
        **lists,
        "computed": found.digest if found.matches is False and len(faults) == 1 else None,
        "differing": _count_differing(found, fingerprint or ""),
        "text": str(found),
    }


def _count_differing(found: Verification, fingerprint: str) -> int | None:
    """Return in how many places another fingerprint differs: few may be a typing error."""
    if found.matches is not False:
        return None
    given = "".join(fingerprint.split()).lower()
    return sum(one != other for one, other in zip(found.digest, given, strict=False))


def _list_proven(found: Verification) -> Iterator[str]:
    """Yield what the files of a release prove, and what its fingerprint and older releases prove beside it."""
    if found.faults:
        return
    agree = "the table and the counts behind it agree" if found.tables else "the counts and the certificate agree"
    yield f"Its files fit together: none is missing, and {agree}."
    few = f"fewer than {found.k:,} people"
    if found.tables:
        yield f"No count of {few} that is masked or left out can be worked out ({found.tables})."
    elif found.rounded_to is not None:
        yield f"Its counts are multiples of {found.rounded_to:,}, and no two of them surely differ by {few}."
    else:
        smallest = "" if found.smallest is None else f": the smallest that follows has {found.smallest:,}"
        yield f"No sum of its counts reveals a group of {few}{smallest}."
    if found.together:
        older = count_of(len(found.together), "older release")
        yield f"Together with {older} that it was made beside, no difference reveals {few} either."
    if found.matches:
        yield "These are the publisher's numbers: they have the fingerprint that you entered."


def _list_unproven(found: Verification, readers: Sequence[str]) -> Iterator[str]:
    """Yield what a good release leaves open."""
    if found.faults:
        return
    if not found.matches:
        yield (
            "Whose numbers these are, and whether somebody changed them: anyone can make files that fit together. "
            "The publisher's fingerprint would show it."
        )
    missing = len({*found.beside} - {*found.together})
    if missing:
        yield f"What it reveals together with {count_of(missing, 'older release')} that it was made beside."
    if readers:
        yield f"Not checked: the files for readers ({', '.join(readers)})."
    if not found.tables:
        yield "What readers work out by other ways than sums: from limits on counts, or from what is missing."
    if found.rounded_to is not None:
        yield "What the counts were before they were rounded, and what these would reveal."
    yield "That the counts are true, and that none was left out: the rows they count are not in a release."
    yield f"That k = {found.k:,} is large enough for you: it is the k that the release states."
