"""JSON: patterns with what was mined, one pattern a line, in a fixed order."""

import json
from collections.abc import Iterator
from typing import Any, Final

from discreet.data.patterns import Patterns
from discreet.errors import InputError, OutputError
from discreet.io.files import Data
from discreet.io.label_codes import as_text, blocks, ragged, used
from discreet.io.stated_patterns import Listed, Told, listed

SHAPE: Final = '{"n": 3, "min_support": 2, "kind": "closed", "patterns": [{"items": ["a", "b"], "support": 2}]}'


def read_patterns(data: Data, n: int | None) -> Listed:  # noqa: ARG001 - one signature for all formats
    """Return the patterns of a JSON file of ours; labels are text or whole numbers."""
    try:
        told = json.loads(as_text(data))
    except ValueError as error:
        line = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "it"
        raise InputError(f"this is no JSON ({line} breaks its rules); mend it") from None
    except RecursionError:
        raise InputError(f"the JSON is nested too deeply; it must look like {SHAPE}") from None
    if not (isinstance(told, dict) and isinstance(told.get("patterns"), list)):
        raise InputError(f"the JSON holds no patterns; it must look like {SHAPE}")
    pairs = (_pattern(pattern, number) for number, pattern in enumerate(told["patterns"], start=1))
    return listed(pairs, mined=Told(told.get("n"), told.get("min_support"), told.get("kind")))


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as JSON, in chunks."""
    texts = _texts(patterns)
    last = len(patterns)
    yield from blocks(
        [
            "{",
            f'  "n": {patterns.n},',
            f'  "min_support": {patterns.min_support},',
            f'  "kind": "{patterns.kind}",',
            '  "patterns": [',
        ]
    )
    itemsets = ragged(patterns.offsets, patterns.items)
    yield from blocks(
        f'    {{"items": [{", ".join(texts[code] for code in itemset)}], "support": {support}}}{"," * (number < last)}'
        for number, (itemset, support) in enumerate(zip(itemsets, patterns.supports.tolist(), strict=True), start=1)
    )
    yield from blocks(["  ]", "}"])


def _texts(patterns: Patterns) -> list[str]:
    """Return each label as JSON; refuse those in use that are neither text nor whole numbers."""
    texts = [""] * len(patterns.labels)
    for code in used(patterns):
        label = patterns.labels[code]
        number = getattr(label, "__index__", None)  # numpy's integers have it too
        if isinstance(label, bool) or not (isinstance(label, str) or number):
            raise OutputError(
                f"item {code + 1} has a label of type {type(label).__name__}; JSON holds text and whole numbers"
            )
        texts[code] = json.dumps(str(label), ensure_ascii=False) if isinstance(label, str) else str(label)
        if not texts[code].isascii() and any("\ud800" <= character <= "\udfff" for character in texts[code]):
            raise OutputError(f"item {code + 1} has a label that is no Unicode text; rename it")
    return texts


def _pattern(pattern: Any, number: int) -> tuple[list[str | int], int]:  # noqa: ANN401 - whatever JSON holds
    good = isinstance(pattern, dict) and isinstance(pattern.get("items"), list) and _is(pattern.get("support"), int)
    if not (good and all(_is(label, str, int) for label in pattern["items"])):
        raise InputError(f"pattern {number} of the JSON is not as it must be; it must look like {SHAPE}")
    return pattern["items"], pattern["support"]


def _is(value: object, *kinds: type) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)
