"""JSON: patterns and how they were mined, one pattern per line, in a fixed order."""

import json
from collections.abc import Iterator
from typing import Final

from discreet.data.patterns import Patterns
from discreet.errors import InputError, OutputError
from discreet.io.files import Data
from discreet.io.label_codes import (
    Mined,
    PatternFunctions,
    StatedPatterns,
    collect_patterns,
    find_used_codes,
    iterate_patterns,
)
from discreet.io.text import as_text, encode_lines

SHAPE: Final = '{"n": 3, "min_support": 2, "kind": "closed", "patterns": [{"items": ["a", "b"], "support": 2}]}'


def read_patterns(data: Data, n: int | None = None) -> StatedPatterns:  # noqa: ARG001 - one signature for all formats
    """Return the patterns of a JSON file of ours; labels are text or whole numbers."""
    try:
        document = json.loads(as_text(data))
    except ValueError as error:
        line = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "it"
        raise InputError(f"this is no JSON ({line} breaks its rules); mend it") from None
    except RecursionError:
        raise InputError(f"the JSON is nested too deeply; it must look like {SHAPE}") from None
    if not (isinstance(document, dict) and isinstance(document.get("patterns"), list)):
        raise InputError(f"the JSON holds no patterns; it must look like {SHAPE}")
    pairs = (_read_pattern(pattern, number) for number, pattern in enumerate(document["patterns"], start=1))
    mined = Mined(document.get("n"), document.get("min_support"), document.get("kind"))
    return collect_patterns(pairs, mined=mined)


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as JSON, in chunks."""
    texts = _as_json_texts(patterns)
    last = len(patterns)
    mined = f'  "n": {patterns.n},\n  "min_support": {patterns.min_support},\n  "kind": "{patterns.kind}",'
    yield from encode_lines(["{", mined, '  "patterns": ['])
    yield from encode_lines(
        f'    {{"items": [{", ".join(texts[code] for code in itemset)}], "support": {support}}}{"," * (number < last)}'
        for number, (itemset, support) in enumerate(iterate_patterns(patterns), start=1)
    )
    yield from encode_lines(["  ]", "}"])


def _as_json_texts(patterns: Patterns) -> list[str]:
    """Return each label as JSON; refuse those in use that are neither text nor whole numbers."""
    texts = [""] * len(patterns.labels)
    for code in find_used_codes(patterns):
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


def _read_pattern(pattern: object, number: int) -> tuple[list[str | int], int]:
    items, support = (pattern.get("items"), pattern.get("support")) if isinstance(pattern, dict) else (None, None)
    if not (isinstance(items, list) and isinstance(support, int) and all(map(_is_plain, [*items, support]))):
        raise InputError(f"pattern {number} of the JSON is not as it must be; it must look like {SHAPE}")
    return items, support


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


PATTERNS: Final = PatternFunctions(read_patterns, write_patterns)
