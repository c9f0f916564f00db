"""Leaves as JSON, our own format: the owner of a fitted tree writes them, and a checker reads them elsewhere."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias, TypeGuard, TypeVar

from numpy.typing import ArrayLike

from discreet.data.itemsets import Label
from discreet.data.thresholds import LARGEST_COUNT
from discreet.errors import InputError, Option, OutputError
from discreet.io.files import Data, Place, save
from discreet.io.stated_trees import check_room
from discreet.io.text import as_text, encode_lines
from discreet.publications.trees.leaves import EVERYWHERE, Box, Leaf, Leaves, Mean, Split
from discreet.publications.trees.sklearn import trees_of
from discreet.runtime.text import abbreviate

SHAPE: Final = '{"rules": [{"if": ["age > 60"], "counts": {"ill": 20, "well": 9}}]}'
TREE: Final = {"features", "leaves", "thresholds", "sample", "medians", "doubt", "fault", "targets", "digits"}
MOST_DIGITS: Final = 40
TreeJson: TypeAlias = "bool | float | str | list[TreeJson] | dict[str, TreeJson] | None"
Wanted = TypeVar("Wanted")
LEAF: Final = {"if", "rows", "counts", "box", "pure", "means", "others"}


def write_tree(tree: object, target: Place, *, rows: ArrayLike | None = None, targets: ArrayLike | None = None) -> None:
    """Write the leaves of a fitted tree or forest as JSON, for ``read_tree`` and an audit elsewhere.

    ``rows`` and ``targets`` are as in ``audit``. With the features of the fit, the file says how many rows hold the
    values at a threshold; with the targets of a regression tree, how many rows of a leaf have each. So the file is for
    the checker, not for publication. It is written beside and moved into place.

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
    save(target, encode_lines(_write_lines(trees_of(tree, rows, targets))))


def _write_lines(trees: Sequence[Leaves]) -> Iterator[str]:
    yield from ("{", '  "trees": [')
    for number, tree in enumerate(trees, start=1):
        yield "    " + _encode(_head(tree))[:-1] + ', "leaves": ['
        for place, leaf in enumerate(tree.leaves, start=1):
            yield "      " + _encode(_leaf(leaf, tree)) + "," * (place < len(tree.leaves))
        yield "    ]}" + "," * (number < len(trees))
    yield from ("  ]", "}")


def _encode(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise OutputError("a label of the tree cannot be written as UTF-8; rename it")
    return text


def _head(tree: Leaves) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "sample": tree.is_sample,
        "medians": tree.is_median,
        "doubt": tree.doubt,
        "fault": tree.fault,
    }
    facts |= {"targets": tree.targets, "digits": tree.digits if any(leaf.means for leaf in tree.leaves) else None}
    thresholds = [[split.feature, _finite(split.threshold), split.held] for split in tree.splits]
    known = {name: one for name, one in facts.items() if one or (name == "digits" and one is not None)}
    return {"features": tree.names, "thresholds": thresholds, **known}


def _leaf(leaf: Leaf, tree: Leaves) -> dict[str, Any]:
    found: dict[str, Any] = {"if": leaf.path, "rows": leaf.rows}
    if leaf.counts:
        found["counts"] = [_counts(labels, one) for labels, one in zip(tree.classes, leaf.counts, strict=True)]
    if leaf.box is not None and all(low < math.inf and high > -math.inf for low, high in leaf.box.values()):
        found["box"] = {tree.names[at]: [*map(_finite, limits)] for at, limits in leaf.box.items()}
        if len(found["box"]) != len(leaf.box):
            raise OutputError("two features of the tree have the same name; rename one")
    if leaf.means:
        found["means"] = [list(mean) for mean in leaf.means]
    if leaf.others is not None:
        found["others"] = leaf.others
    return found | ({"pure": True} if leaf.is_pure else {})


def _counts(labels: Sequence[Label], counts: Sequence[int]) -> dict[str, int]:
    found = {str(label): count for label, count in zip(labels, counts, strict=True)}
    if len(found) != len(labels):
        raise OutputError("two classes of the tree look alike as text; rename one")
    return found


def _finite(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None


def read(data: Data, n: int | None = None) -> tuple[Leaves, ...]:
    """Return the leaves of each tree, or list of rules, of a JSON file."""
    try:
        given = json.loads(as_text(data), object_pairs_hook=_once)
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
    trees = tuple(_tree(one, number) for number, one in enumerate(listed, start=1))
    for tree in trees:
        if n is not None and tree.rows != n:
            raise InputError(
                f"a tree has {tree.rows:,} rows, but {abbreviate(n)} were given; leave ",
                *(Option("n"), " out, or correct it"),
            )
    return trees


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; refuse a repeated name, of which JSON would keep only the last."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InputError("an object of the JSON has the same name twice; correct it")
    return found


def _tree(given: TreeJson, number: int) -> Leaves:
    where = f"tree {number}"
    if isinstance(given, dict) and given.keys() == {"rules"} and isinstance(given["rules"], list):
        rules = [_rule(rule, at) for at, rule in enumerate(given["rules"], start=1)]
        check_room(len(rules), len({label for _, counts in rules for label in counts}))
        return Leaves.from_rules(rules)
    if not (
        isinstance(given, dict) and "leaves" in given and given.keys() <= TREE and isinstance(given["leaves"], list)
    ):
        raise InputError(f"{where} has neither leaves nor rules, or has unknown names; it must look like {SHAPE}")
    names = _texts(given.get("features", []), where)
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    sample, medians = (_of(given.get(name, False), bool, where) for name in ("sample", "medians"))
    doubt, fault = (_of(given.get(name, ""), str, where) for name in ("doubt", "fault"))
    leaves = [_read_leaf(leaf, f"leaf {at} of {where}", places) for at, leaf in enumerate(given["leaves"], start=1)]
    classes = _classes([counts for _, counts in leaves])
    check_room(len(leaves), sum(map(len, classes)))
    if not fault and len({len(counts) for _, counts in leaves}) > 1:
        raise _wrong(where, "counts in some leaves and not in others")
    found = []
    for at, (leaf, counts) in enumerate(leaves, start=1):
        rows = tuple(tuple(one.get(label, 0) for label in labels) for one, labels in zip(counts, classes, strict=False))
        if not (fault or sample) and any(of != leaf.rows for of in (*map(sum, rows), *(one.of for one in leaf.means))):
            raise _wrong(f"leaf {at} of {where}", "counts of classes, or means, that are not of its rows")
        found.append(leaf._replace(counts=rows))
    thresholds = tuple(_threshold(one, where) for one in _of(given.get("thresholds", []), list, where))
    targets = tuple(
        tuple(sorted({_number(value, where, math.nan) for value in _of(one, list, where)}))
        for one in _of(given.get("targets", []), list, where)
    )
    digits = given.get("digits")
    if not all(targets) or any(value != value for one in targets for value in one):  # noqa: PLR0124 - NaN
        raise _wrong(where, "targets that are not numbers")
    if digits is not None and not (_is_count(digits) and digits <= MOST_DIGITS):
        raise _wrong(where, "digits that are not a number of digits")
    return Leaves(tuple(found), classes, names, thresholds, None, sample, medians, fault, doubt, targets, digits)


def _rule(given: TreeJson, number: int) -> tuple[tuple[str, ...], Mapping[Label, int]]:
    where = f"rule {number}"
    if not (isinstance(given, dict) and "counts" in given and given.keys() <= {"if", "counts"}):
        raise InputError(f"{where} lacks counts, or has unknown names; it must look as in {SHAPE}")
    return _texts(given.get("if", []), where), _of(given["counts"], dict, where)


def _read_leaf(given: TreeJson, where: str, places: Mapping[str, int]) -> tuple[Leaf, list[dict[str, int]]]:
    """Return a leaf without its counts, and those by class, for each output."""
    if not (isinstance(given, dict) and given.keys() & {"rows", "counts"} and given.keys() <= LEAF):
        raise _wrong(where, "neither rows nor counts, or unknown names")
    listed = given.get("counts", [])
    counts = [_of(one, dict, where) for one in ([listed] if isinstance(listed, dict) else _of(listed, list, where))]
    if not all(map(_is_count, chain([given.get("rows", 0)], *(one.values() for one in counts)))):
        raise _wrong(where, "a number that is not a count of rows")
    if "rows" not in given and not counts:
        raise _wrong(where, "neither rows nor counts")
    rows = _of(given["rows"], int, where) if "rows" in given else sum(counts[0].values())
    box = None if given.get("box") is None else _box(_of(given["box"], dict, where), where, places)
    is_pure = _of(given.get("pure", False), bool, where)
    means = tuple(_mean(one, where) for one in _of(given.get("means", []), list, where))
    others = None if "others" not in given else tuple(_of(given["others"], list, where))
    if not all(map(_is_count, others or ())) or max(others or (0,)) > rows:
        raise _wrong(where, "a number of other rows that is not a count")
    return Leaf(_texts(given.get("if", []), where), rows, (), box, is_pure, means, others), counts


def _mean(given: TreeJson, where: str) -> Mean:
    """Return a mean: of how many rows, the number, and the mean squared error or null."""
    if not (
        isinstance(given, list) and len(given) == len(Mean._fields) and _is_count(given[0]) and given[1] is not None
    ):
        raise _wrong(where, "a mean unlike [20, 0.05, 0.0475]")
    return Mean(given[0], _number(given[1], where, 0.0), None if given[2] is None else _number(given[2], where, 0.0))


def _box(given: Mapping[str, Any], where: str, places: Mapping[str, int]) -> Box:
    found = {}
    for name, limits in given.items():
        if name not in places or not (isinstance(limits, list) and len(limits) == len(EVERYWHERE)):
            raise _wrong(where, "a box of features that are not listed, or without two limits each")
        low, high = (_number(limit, where, at) for limit, at in zip(limits, EVERYWHERE, strict=True))
        found[places[name]] = (low, high)
    return found


def _threshold(given: TreeJson, where: str) -> Split:
    if not (isinstance(given, list) and len(given) in {2, 3} and isinstance(given[0], str)):
        raise _wrong(where, 'a threshold unlike ["age", 40.5]')
    held = given[2] if len(given) == len(Split._fields) else None
    if held is not None and not _is_count(held):
        raise _wrong(where, "a threshold with a number of rows that is not a count")
    return Split(given[0], _number(given[1], where, math.inf), held)


def _number(value: TreeJson, where: str, default: float) -> float:
    """Return a number; null is infinite."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e308 or value != value:  # noqa: PLR0124, PLR2004 - NaN
        raise _wrong(where, "a limit that is not a number")
    return float(value)


def _classes(leaves: Sequence[Sequence[Mapping[str, int]]]) -> tuple[tuple[str, ...], ...]:
    """Return the classes of each output, in the order of the file."""
    found: list[dict[str, None]] = [{} for _ in range(max(map(len, leaves), default=0))]
    for counts in leaves:
        for labels, one in zip(found, counts, strict=False):
            labels.update(dict.fromkeys(one))
    return tuple(map(tuple, found))


def _texts(value: TreeJson, where: str) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    texts = tuple(one for one in listed if isinstance(one, str))
    if len(texts) < len(listed):
        raise _wrong(where, "no text or list of texts where one should be")
    return texts


def _of(value: TreeJson, kind: type[Wanted], where: str) -> Wanted:
    if not isinstance(value, kind):
        raise _wrong(where, "a value of the wrong kind")
    return value


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_COUNT


def _wrong(where: str, what: str) -> InputError:
    return InputError(f"{where} of the JSON has {what}; correct it (see docs/trees.md)")
