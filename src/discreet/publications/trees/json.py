"""Leaves as JSON, our own format: the owner of a fitted tree writes them, and a checker reads them elsewhere."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Final, TypeAlias, TypeGuard, TypeVar

from numpy.typing import ArrayLike

from discreet.data.itemsets import Label
from discreet.data.thresholds import LARGEST_COUNT
from discreet.errors import InputError, Option, OutputError
from discreet.io.files import Bytes, Place, save
from discreet.io.notation import as_text, encode_lines
from discreet.io.stated_trees import check_room
from discreet.publications.trees.leaves import EVERYWHERE, Box, Leaf, Leaves, Mean, Split
from discreet.publications.trees.sklearn import list_trees
from discreet.runtime.text import abbreviate

SHAPE: Final = '{"rules": [{"if": ["age > 60"], "counts": {"ill": 20, "well": 9}}]}'
TREE: Final = {"features", "leaves", "thresholds", "sample", "medians", "doubt", "fault", "targets", "digits"}
LEAF: Final = {"if", "rows", "counts", "box", "pure", "means", "others"}
MOST_DIGITS: Final = 40
TreeJson: TypeAlias = "bool | float | str | list[TreeJson] | dict[str, TreeJson] | None"
Wanted = TypeVar("Wanted")


def write_tree(tree: object, target: Place, *, rows: ArrayLike | None = None, targets: ArrayLike | None = None) -> None:
    """Write the leaves of a fitted tree or forest as JSON, for ``read_tree`` and an audit elsewhere.

    ``rows`` and ``targets`` are as in ``audit``. With the features of the fit, the file says how many rows hold the
    values at a threshold; with the targets of a regression tree, how many rows of a leaf have each. So the file is for
    the checker, not for publication.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> write_tree(Leaves.from_rules([("age > 60", {"ill": 20, "well": 9})]), file)
    >>> print(file.getvalue().decode(), end="")
    {
      "trees": [
        {"features": [], "thresholds": [], "leaves": [
          {"if": ["age > 60"], "rows": 29, "counts": [{"ill": 20, "well": 9}]}
        ]}
      ]
    }
    """
    save(target, encode_lines(_write_lines(list_trees(tree, rows, targets))))


def _write_lines(trees: Sequence[Leaves]) -> Iterator[str]:
    yield from ("{", '  "trees": [')
    for number, tree in enumerate(trees, start=1):
        yield "    " + _encode(_describe_tree(tree))[:-1] + ', "leaves": ['
        for place, leaf in enumerate(tree.leaves, start=1):
            yield "      " + _encode(_describe_leaf(leaf, tree)) + "," * (place < len(tree.leaves))
        yield "    ]}" + "," * (number < len(trees))
    yield from ("  ]", "}")


def _encode(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise OutputError("a label of the tree cannot be written as UTF-8; rename it")
    return text


def _describe_tree(tree: Leaves) -> dict[str, object]:
    thresholds = [[split.feature, _as_finite(split.threshold), split.held] for split in tree.splits]
    flags = {"sample": tree.is_sample, "medians": tree.is_median, "doubt": tree.doubt, "fault": tree.fault}
    known = {name: one for name, one in {**flags, "targets": tree.targets}.items() if one}
    if tree.digits is not None and any(leaf.means for leaf in tree.leaves):
        known["digits"] = tree.digits
    return {"features": tree.names, "thresholds": thresholds, **known}


def _describe_leaf(leaf: Leaf, tree: Leaves) -> dict[str, object]:
    outputs = zip(tree.classes, leaf.counts, strict=True) if leaf.counts else ()
    counts = [dict(zip(map(str, labels), one, strict=True)) for labels, one in outputs]
    if [*map(len, counts)] != [*map(len, leaf.counts)]:
        raise OutputError("two classes of the tree look alike as text; rename one")
    box = None
    if leaf.box is not None and all(low < math.inf and high > -math.inf for low, high in leaf.box.values()):
        box = {tree.names[at]: [*map(_as_finite, limits)] for at, limits in leaf.box.items()}
        if len(box) != len(leaf.box):
            raise OutputError("two features of the tree have the same name; rename one")
    parts = {"if": leaf.path, "rows": leaf.rows, "counts": counts or None, "box": box, "means": leaf.means or None}
    parts |= {"others": leaf.others, "pure": leaf.is_pure or None}
    return {name: part for name, part in parts.items() if part is not None}


def _as_finite(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None


def read_json(data: Bytes, n: int | None = None) -> tuple[Leaves, ...]:
    """Return the leaves of each tree, or list of rules, of a JSON file."""
    try:
        given = json.loads(as_text(data), object_pairs_hook=_refuse_repeats)
        json.dumps(given, ensure_ascii=False).encode()  # fail here rather than where it is reported
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON (line {error.lineno} breaks its rules); correct it") from None
    except UnicodeEncodeError:
        raise InputError("the JSON has text that cannot be written as UTF-8; correct it") from None
    except InputError:
        raise
    except (ValueError, RecursionError):
        raise InputError(
            f"the JSON is nested too deeply, or its numbers are too long; it must look like {SHAPE}"
        ) from None
    listed = given["trees"] if isinstance(given, dict) and given.keys() == {"trees"} else [given]
    if not isinstance(listed, list) or not listed:
        raise InputError(f"the JSON holds no trees; it must look like {SHAPE}")
    trees = tuple(_read_tree(one, f"tree {number}") for number, one in enumerate(listed, start=1))
    for tree in trees:
        check_rows("a tree has", tree.rows, n)
    return trees


def check_rows(what: str, rows: int, n: int | None) -> None:
    """Refuse a given number of rows other than that of a tree."""
    if n is not None and n != rows:
        given = f"{what} {rows:,} rows, but {abbreviate(n)} were given"
        raise InputError(given, "; leave ", Option("n"), " out, or correct it")


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; refuse a repeated name, of which JSON would keep only the last."""
    if len(dict(pairs)) != len(pairs):
        raise InputError("an object of the JSON has the same name twice; correct it")
    return dict(pairs)


def _read_tree(given: TreeJson, where: str) -> Leaves:
    if isinstance(given, dict) and given.keys() == {"rules"} and isinstance(given["rules"], list):
        rules = [_read_rule(rule, f"rule {at}") for at, rule in enumerate(given["rules"], start=1)]
        check_room(len(rules), len({label for _, counts in rules for label in counts}))
        return Leaves.from_rules(rules)
    if not (isinstance(given, dict) and given.keys() <= TREE and isinstance(given.get("leaves"), list)):
        raise InputError(f"{where} has neither leaves nor rules, or has unknown names; it must look like {SHAPE}")
    names = _read_texts(given.get("features", []), where)
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    sample, medians = (_check_type(given.get(name, False), bool, where) for name in ("sample", "medians"))
    doubt, fault = (_check_type(given.get(name, ""), str, where) for name in ("doubt", "fault"))
    listed = enumerate(_check_type(given["leaves"], list, where), start=1)
    read = [_read_leaf(leaf, f"leaf {at} of {where}", places) for at, leaf in listed]
    outputs = zip_longest(*(counts for _, counts in read), fillvalue=dict[str, int]())
    classes = tuple(tuple(dict.fromkeys(chain.from_iterable(several))) for several in outputs)
    check_room(len(read), sum(map(len, classes)))
    if not fault and len({len(counts) for _, counts in read}) > 1:
        raise _wrong(where, "counts in some leaves and not in others")
    leaves = []
    for at, (leaf, counts) in enumerate(read, start=1):
        rows = tuple(tuple(one.get(label, 0) for label in labels) for one, labels in zip(counts, classes, strict=False))
        if not (fault or sample) and any(of != leaf.rows for of in (*map(sum, rows), *(one.of for one in leaf.means))):
            raise _wrong(f"leaf {at} of {where}", "counts of classes, or means, that are not of its rows")
        leaves.append(leaf._replace(counts=rows))
    splits = tuple(_read_split(one, where) for one in _check_type(given.get("thresholds", []), list, where))
    targets = tuple(
        tuple(sorted({_read_number(value, where, math.nan) for value in _check_type(one, list, where)}))
        for one in _check_type(given.get("targets", []), list, where)
    )
    if not all(targets) or any(map(math.isnan, chain.from_iterable(targets))):
        raise _wrong(where, "targets that are not numbers")
    digits = given.get("digits")
    if digits is not None and not (_is_count(digits) and digits <= MOST_DIGITS):
        raise _wrong(where, "digits that are not a number of digits")
    return Leaves(tuple(leaves), classes, names, splits, None, sample, medians, fault, doubt, targets, digits)


def _read_rule(given: TreeJson, where: str) -> tuple[tuple[str, ...], Mapping[Label, int]]:
    if not (isinstance(given, dict) and "counts" in given and given.keys() <= {"if", "counts"}):
        raise InputError(f"{where} lacks counts, or has unknown names; it must look as in {SHAPE}")
    return _read_texts(given.get("if", []), where), _check_type(given["counts"], dict, where)


def _read_leaf(given: TreeJson, where: str, places: Mapping[str, int]) -> tuple[Leaf, list[dict[str, int]]]:
    """Return a leaf without its counts, and those by class, for each output."""
    if not (isinstance(given, dict) and given.keys() <= LEAF and ("rows" in given or given.get("counts", []) != [])):
        raise _wrong(where, "neither rows nor counts, or unknown names")
    listed = given.get("counts", [])
    several = [listed] if isinstance(listed, dict) else _check_type(listed, list, where)
    counts = [_check_type(one, dict, where) for one in several]
    if not all(map(_is_count, chain([given.get("rows", 0)], *(one.values() for one in counts)))):
        raise _wrong(where, "a number that is not a count of rows")
    rows = _check_type(given["rows"], int, where) if "rows" in given else sum(counts[0].values())
    box = None if given.get("box") is None else _read_box(_check_type(given["box"], dict, where), where, places)
    is_pure = _check_type(given.get("pure", False), bool, where)
    means = tuple(_read_mean(one, where) for one in _check_type(given.get("means", []), list, where))
    others = tuple(_check_type(given["others"], list, where)) if "others" in given else None
    if not all(map(_is_count, others or ())) or max(others or (0,)) > rows:
        raise _wrong(where, "a number of other rows that is not a count")
    return Leaf(_read_texts(given.get("if", []), where), rows, (), box, is_pure, means, others), counts


def _read_mean(given: TreeJson, where: str) -> Mean:
    """Return a mean: of how many rows, the number, and the mean squared error or null."""
    of, mean, error = given if isinstance(given, list) and len(given) == len(Mean._fields) else [None] * 3
    if not _is_count(of) or mean is None:
        raise _wrong(where, "a mean unlike [20, 0.05, 0.0475]")
    return Mean(of, _read_number(mean, where, 0.0), None if error is None else _read_number(error, where, 0.0))


def _read_box(given: Mapping[str, TreeJson], where: str, places: Mapping[str, int]) -> Box:
    box = {}
    for name, limits in given.items():
        if name not in places or not (isinstance(limits, list) and len(limits) == len(EVERYWHERE)):
            raise _wrong(where, "a box of features that are not listed, or without two limits each")
        low, high = (_read_number(limit, where, end) for limit, end in zip(limits, EVERYWHERE, strict=True))
        box[places[name]] = (low, high)
    return box


def _read_split(given: TreeJson, where: str) -> Split:
    if not (isinstance(given, list) and len(given) in {2, 3} and isinstance(given[0], str)):
        raise _wrong(where, 'a threshold unlike ["age", 40.5]')
    held = given[2] if len(given) == len(Split._fields) else None
    if held is not None and not _is_count(held):
        raise _wrong(where, "a threshold with a number of rows that is not a count")
    return Split(given[0], _read_number(given[1], where, math.inf), held)


def _read_number(value: TreeJson, where: str, default: float) -> float:
    """Return a number; null is ``default``."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e308:  # noqa: PLR2004 - NaN too
        raise _wrong(where, "a limit that is not a number")
    return float(value)


def _read_texts(value: TreeJson, where: str) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    texts = tuple(one for one in listed if isinstance(one, str))
    if len(texts) < len(listed):
        raise _wrong(where, "no text or list of texts where one should be")
    return texts


def _check_type(value: TreeJson, kind: type[Wanted], where: str) -> Wanted:
    if not isinstance(value, kind):
        raise _wrong(where, "a value of the wrong kind")
    return value


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_COUNT


def _wrong(where: str, what: str) -> InputError:
    return InputError(f"{where} of the JSON has {what}; correct it (see docs/trees.md)")
