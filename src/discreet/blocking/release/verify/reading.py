"""Reading: the files of a release as plain values, each of which says just what it must, in types that it must."""

import csv
import json
import re
from io import StringIO
from typing import Any, Final, TypeAlias

from discreet.errors import InputError
from discreet.runtime.parquet_footer import silenced, unpacked_sizes

Told: TypeAlias = dict[str, Any]
Pairs: TypeAlias = list[tuple[Any, Any]]
LARGEST: Final = 1 << 27
"""Bytes of a file; all files together may have twice as many."""
MOST: Final = 1 << 22
"""Values in a file: two letters of text may take a hundred bytes once they are read."""
COUNT: Final = re.compile("[0-9]{1,40}")
CLAIMS: Final = {"method": str, "k": int, "min_support": int, "n": int, "kind": str, "listed": int, "is_whole": bool}
POLICY: Final = {"name": str, "k": int, "zeros": str, "round_to": int | None, "max_itemsets": int | None}
FORMS: Final[dict[str, Told]] = {
    "release.json": {"release": int, "discreet": str, **CLAIMS, "frequent": int, "against": str}
    | {"policy": dict, "files": dict},
    "the policy in release.json": {**POLICY, "source": str, "about": str},
    "certificate.json": {"certificate": int, **CLAIMS, "patterns": dict, "smallest_cell": int | None, "tops": list},
    "the file in certificate.json": {"file": str, "sha256": str},
    "a top in certificate.json": {"items": list, "support": int, "cells": int, "smallest": int},
    "patterns.json": {"n": int, "min_support": int, "kind": str, "patterns": list},
    "a pattern in patterns.json": {"items": list, "support": int},
    "patterns.txt": {"n": int, "min_support": int, "kind": str},
    "patterns.parquet": {"n": int, "min_support": int, "kind": str},
}
"""What each object must say, and nothing else."""
# Readers differ in what they take of an object that says something twice: here it is none.
OBJECT: Final = json.JSONDecoder(object_pairs_hook=lambda pairs: len(dict(pairs)) == len(pairs) and dict(pairs)).decode
SPMF: Final = re.compile(
    r"@CONVERTED_FROM_TEXT|@ITEM=(?P<number>[1-9][0-9]*)=(?P<label>[^\0\r]*)|@(?P<word>N|MIN_SUPPORT|KIND)=(?P<value>[0-9a-z]{1,40})"
    r"|(?P<items>((0|[1-9][0-9]*) )*)#SUP: (?P<support>[0-9]{1,40})"
)
BORGELT: Final = re.compile(r"(?P<items>[^\0\r]*?) ?\((?P<support>[0-9]{1,40})\)")


def claims(data: bytes, name: str) -> Told:
    """Return what release.json or certificate.json claims."""
    told: Told = OBJECT(_text(data, name))
    check(told, name)
    if told[name.removesuffix(".json")] != 1 or min(told["k"], told["min_support"], told["n"] + 1) < 1:
        raise ValueError
    return told


def _text(data: bytes, name: str) -> str:
    """Return the text of a file; refuse so many values that memory would not hold them."""
    ends = b"[{," if name.endswith(".json") else b"\n ,;"
    if sum(data.count(end) for end in ends) > MOST:
        raise InputError(f"{name} holds more than {MOST:,} values, too many to be checked")
    return data.decode()


def check(told: Told, form: str) -> None:
    """Refuse an object that does not say just what it must, each of its type."""
    words = FORMS[form]
    for word in sorted(told.keys() ^ words.keys()):
        what = "says nothing of" if word in words else "has the unknown key"
        raise InputError(f"{form} is not as it must be: it {what} {word!r:.99}")
    for word, kind in words.items():
        if not isinstance(told[word], kind) or (type(told[word]) is bool and kind is not bool):
            raise InputError(f"{form} is not as it must be: the value of {word!r} is of another type")


def read(name: str, data: bytes) -> tuple[Told, Pairs]:
    """Return what a file of patterns says of itself, and its pairs of itemset and support."""
    if name == "patterns.parquet":
        return _read_parquet(data)
    text = _text(data, name)
    if name == "patterns.json":
        told = OBJECT(text)
        check(told, name)
        for one in told["patterns"]:
            check(one, "a pattern in patterns.json")
        return told, [(one["items"], one["support"]) for one in told.pop("patterns")]
    if name == "patterns.csv":
        header, *cells = csv.reader(StringIO(text, newline=""), strict=True)
        if header != ["itemset", "support"] or "\0" in text or not all(COUNT.fullmatch(count) for _, count in cells):
            raise ValueError
        itemsets = (next(csv.reader([cell], delimiter=";", strict=True), []) for cell, _ in cells)
        return {}, [(items, int(count)) for items, (_, count) in zip(itemsets, cells, strict=True)]
    return _read_lines(text.removesuffix("\n").split("\n"), name)


def _read_parquet(data: bytes) -> tuple[Told, Pairs]:
    import polars as pl  # noqa: PLC0415 - loaded late

    is_not = "patterns.parquet is not as it must be:"
    try:
        is_large = any(size > LARGEST for size in unpacked_sizes(data))
    except InputError as error:
        raise InputError(f"{is_not} {error}") from None
    if is_large:
        raise InputError(f"{is_not} it unpacks to more than {LARGEST:,} bytes")
    try:
        with silenced():
            metadata, schema = pl.read_parquet_metadata(data), pl.read_parquet_schema(data)
            wanted = [{"items": pl.List(label), "support": pl.Int64} for label in (pl.String, pl.Int64)]
            frame = pl.read_parquet(data) if schema in wanted else pl.DataFrame()
    except pl.exceptions.PanicException:  # which is no Exception
        raise ValueError from None
    told = OBJECT(metadata.pop("discreet"))
    check(told, "patterns.parquet")
    if schema not in wanted or metadata.keys() - {"ARROW:schema"}:
        raise InputError(f"{is_not} it has columns or notes beside items and support")
    if frame.height + (frame["items"].list.len().sum() or 0) > MOST:
        raise InputError(f"{is_not} it holds more than {MOST:,} values, too many to be checked")
    # Text that stands in the file once may be meant a million times.
    if schema == wanted[0] and frame["items"].explode().str.len_bytes().sum() > LARGEST:
        raise InputError(f"{is_not} its labels have more than {LARGEST:,} bytes")
    return told, frame.rows()


def _read_lines(lines: list[str], name: str) -> tuple[Told, Pairs]:
    """Return the same of a file in the format of SPMF or of Borgelt's programs."""
    form = SPMF if name == "patterns.txt" else BORGELT
    numbered, words, pairs = list[tuple[str, str]](), list[tuple[str, str]](), Pairs()
    for line in lines:
        found = form.fullmatch(line)
        if found is None:
            raise ValueError
        parts = found.groupdict()
        if parts["support"]:
            pairs.append((parts["items"].split(), int(parts["support"])))
        elif parts["number"]:
            numbered.append((parts["number"], parts["label"]))
        elif parts["word"]:
            words.append((parts["word"].lower(), parts["value"]))
    labels, told = dict(numbered), {word: value if word == "kind" else int(value) for word, value in words}
    used = {item for items, _ in pairs for item in items} if labels else set[str]()
    if len({*labels.values()}) + len(told) < len(numbered) + len(words) or used != labels.keys():
        raise ValueError
    if name == "patterns.txt":
        check(told, name)
    return told, [([labels[item] for item in items] if labels else items, support) for items, support in pairs]
