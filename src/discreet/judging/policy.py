"""Verdicts, checks and policies: the disclosure rules of publishers, one commented file each, checked on load."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import Enum, StrEnum
from functools import total_ordering
from numbers import Integral
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeAlias

from discreet.data.thresholds import LARGEST_COUNT
from discreet.errors import DiscreetError, Face, InputError, Message, OptionError, ThresholdError, refuse_truth
from discreet.io.files import readable
from discreet.judging import acro
from discreet.runtime.text import abbreviate


@refuse_truth(ask='whether verdict == "RELEASE"')
@total_ordering
class Verdict(Enum):
    """What may happen to a candidate, from best to worst.

    A verdict equals its name as text. Any other text is refused, because a misspelt word would match nothing, and so
    pass ``!=``. In a set, Python compares no text that hashes differently: ask a list or a tuple. Only verdicts have an
    order. A verdict is neither true nor false: ``if verdict`` would hold for each.

    >>> Verdict.RELEASE < Verdict.REVIEW < Verdict.WITHHOLD, Verdict.REVIEW == "REVIEW"
    (True, True)
    >>> Verdict.WITHHOLD != "WITHOLD"
    Traceback (most recent call last):
    discreet.errors.OptionError: 'WITHOLD' is no verdict; there are RELEASE, REVIEW, WITHHOLD
    """

    RELEASE = 0
    REVIEW = 1
    WITHHOLD = 2

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same verdict; a text must be the name of one."""
        if isinstance(other, str):
            if other not in Verdict.__members__:
                raise OptionError(f"{abbreviate(other)!r} is no verdict; there are {', '.join(Verdict.__members__)}")
            return self.name == other
        return self is other if isinstance(other, Verdict) else NotImplemented

    def __hash__(self) -> int:
        """Return the hash of the name, which the verdict equals."""
        return hash(self.name)

    def __lt__(self, other: object) -> bool:
        """Return whether this is the better verdict; only verdicts can be compared."""
        return self.value < other.value if isinstance(other, Verdict) else NotImplemented


SIGNS: Final = {Verdict.RELEASE: "✓", Verdict.REVIEW: "?", Verdict.WITHHOLD: "✗"}  # for readers who see no colours
COLOURS: Final = {Verdict.RELEASE: "#1a7f37", Verdict.REVIEW: "#8a5a00", Verdict.WITHHOLD: "#b3261e"}  # under white


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst verdict; ``WITHHOLD`` if there is none.

    >>> worst([Verdict.RELEASE, Verdict.REVIEW]), worst([])
    (<Verdict.REVIEW: 1>, <Verdict.WITHHOLD: 2>)
    """
    return max(verdicts, default=Verdict.WITHHOLD)


_UNSURE: Final = "what the numbers give away could not be followed to the end"
_UNSURE_TREES: Final = "what the trees reveal together could not be followed to the end"
_UNSURE_PEOPLE: Final = "its counts are of visits, and one person may have several"
_UNSURE_SCHEMA: Final = "readers may know which of its items exclude each other"
_UNSURE_CHANGES: Final = "what it reveals together with an older release is not certain"


class CheckName(StrEnum):
    """What is looked at, the most important first. This is the only table of checks.

    ``reason`` says why a candidate fails the check ("{few}" stands for "fewer than 5 people"), and ``unsure`` why a
    person must look although nothing was found.

    >>> CheckName("low counts").reason
    'some counts are of {few}'
    """

    reason: str
    unsure: str

    def __new__(cls, name: str, reason: str = "", unsure: str = "") -> Self:
        """Keep the wording beside the name."""
        member = str.__new__(cls, name)
        member._value_, member.reason, member.unsure = name, reason, unsure
        return member

    K = ("k", "k is no size of a group that protects anyone")
    COUNTS = ("counts", "the tree does not show its counts, so nothing can be judged")
    CHANNELS = ("inference channels", "differences of the published counts reveal {few}", _UNSURE)
    DIFFERENCES = ("differences", "differences of two published counts reveal {few}", _UNSURE)
    BOUNDS = ("bounds", "differences of the published numbers, within their limits, reveal {few}", _UNSURE)
    CELLS = ("masked counts", "counts of {few} that are masked or left out can be worked out", _UNSURE)
    LOW_COUNTS = ("low counts", "some counts are of {few}")
    PEOPLE = ("people", "some groups of rows belong to {few}", _UNSURE_PEOPLE)
    SEVERAL_TREES = ("several trees", "overlaps of leaves are of {few}", _UNSURE_TREES)
    DIFFERENCING = ("differencing", "differences from an older release reveal {few}", _UNSURE_CHANGES)
    SCHEMA = ("schema", "the total minus an attribute's listed values leaves {few}", _UNSURE_SCHEMA)
    READING = ("reading", "it is not certain that the data was read as its owner meant")
    BELIEF = ("belief", "a reader may be surer of groups of {few} than allowed")
    CLASS_DISCLOSURE = ("class disclosure", "the numbers reveal what everyone in some group has")
    COMPLETENESS = ("completeness", "the list has gaps, so nothing can be judged")
    CONSISTENCY = ("consistency", "the numbers contradict each other, so nothing can be judged")
    WEIGHTS = ("weights", "its counts may be weights")
    SAMPLE = ("sample", "its counts are of a sample in which a row may count more than once")
    MEDIANS = ("medians", "medians may be the values of single people")
    TARGETS = ("targets", "the means may be counts of {few}")
    THRESHOLDS = ("thresholds", "thresholds may reveal the values of {few}")
    SIZE = ("size", "there is nothing to judge, or more than the policy allows")
    ROUNDING = ("rounding", "the counts are not rounded as the policy asks")
    SUPPORTS = ("supports", "some supports are not stated")
    ABSENT_RULES = ("absent rules", "too many rules are missing to follow")
    COLUMNS = ("columns", "some columns were not read")
    OUTPUTS = ("other outputs", "some outputs are no tables of counts, and were not judged")

    def release(self, sentence: str, found: int = 0) -> "Check":
        """Return a check that was passed."""
        return Check(self, Verdict.RELEASE, found, sentence)

    def review(self, found: int, sentence: str) -> "Check":
        """Return a check that a person must look at."""
        return Check(self, Verdict.REVIEW, found, sentence)

    def withhold(self, found: int, sentence: str) -> "Check":
        """Return a check that failed."""
        return Check(self, Verdict.WITHHOLD, found, sentence)


@refuse_truth(ask=".verdict")
class Check(NamedTuple):
    """The result of one check: its name, the verdict, how many findings, and a sentence."""

    name: CheckName
    verdict: Verdict
    found: int
    sentence: str

    def say(self, face: Face) -> str:
        """Return the sentence in the words of a face, which has its own for options."""
        return self.sentence.say(face) if isinstance(self.sentence, Message) else self.sentence


PolicyPairs: TypeAlias = Mapping[str, Any]  # the contents of a policy file
UNSTATED: Final = {("width", 1), ("max_belief", None), ("not_judged", "")}
ZEROS: Final = {"ignore": Verdict.RELEASE, "review": Verdict.REVIEW, "withhold": Verdict.WITHHOLD}
FOLDER: Final = Path(__file__).with_name("policies")
SUFFIXES: Final = (".toml", ".yaml", ".yml", ".json")
LARGEST_FILE: Final = 1 << 14  # bytes: a key of 64 KiB would keep the TOML reader busy for 20 seconds
SHARE: Final = re.compile(r"[01]\.[0-9]{1,20}")
DECIMAL: Final = re.compile(r"[-+]?(0|[1-9](_?[0-9])*)")  # as in TOML; YAML would also read 010, as 8


@dataclass(frozen=True, slots=True)
class Policy:
    """What a publication must not reveal: counts from 1 to k − 1, and more if a rule asks for it.

    ``zeros`` is the verdict on a derived count of exactly 0, such as "everyone with a and b also has c"; ``RELEASE``
    ignores it. Supports must be multiples of ``round_to``, and a list of more than ``max_itemsets`` goes to review. The
    limits of a masked count that a reader can work out must differ by ``width`` or more: 1 if it must not be known. A
    person must look if a reader may believe in a small group with a probability beyond ``max_belief`` (docs/belief.md).
    ``not_judged`` names rules of the publisher that are not checked here.

    >>> print(Policy("ours", k=5, zeros=Verdict.REVIEW))
    ours: k = 5, zeros: review
    """

    name: str
    k: int
    zeros: Verdict = Verdict.RELEASE
    round_to: int | None = None
    max_itemsets: int | None = None
    width: int = 1
    max_belief: float | None = None
    source: str = ""
    about: str = ""
    not_judged: str = ""

    def __post_init__(self) -> None:
        """Refuse an invalid policy, however it was made."""
        for word in ("name", "source", "about", "not_judged"):
            text = getattr(self, word)
            if not isinstance(text, str) or not text.isprintable():
                raise OptionError(f"{word} is {_shown(text)}; give text on one line, in quotes")
        if not self.name:
            raise OptionError("name is empty; give the policy a name")
        _check_count("k", self.k)
        if not isinstance(self.zeros, Verdict):
            raise OptionError(f"zeros is {_shown(self.zeros)}; give a Verdict")
        for word in ("round_to", "max_itemsets", "width"):
            if getattr(self, word) is not None:
                _check_count(word, getattr(self, word))
        if self.max_belief is not None:
            object.__setattr__(self, "max_belief", as_belief(self.max_belief))

    def __str__(self) -> str:
        rounded = f", supports rounded to {self.round_to}" if self.round_to else ""
        at_most = f", at most {self.max_itemsets:,} itemsets" if self.max_itemsets else ""
        open_to = f", masked counts open by {self.width:,}" * (self.width > 1)
        believed = "" if self.max_belief is None else f", beliefs of at most {self.max_belief}"
        return f"{self.name}: k = {self.k}, zeros: {self.facts()['zeros']}{rounded}{at_most}{open_to}{believed}"

    @property
    def unjudged(self) -> str:
        """A sentence about the rules of the publisher that are not checked here; empty if there are none."""
        return f"Rules of {self.name} that are not judged here: {self.not_judged}." * bool(self.not_judged)

    def facts(self) -> dict[str, Any]:
        """Return the fields as a file states them; a width of 1, and no bound of beliefs, need not be stated."""
        said = {**asdict(self), "zeros": next(word for word, verdict in ZEROS.items() if verdict is self.zeros)}
        return {word: value for word, value in said.items() if (word, value) not in UNSTATED}


def names() -> tuple[str, ...]:
    """Return the names of the built-in policies.

    >>> print(*names())
    abs acro allofus cms cprd darwin datashield epic-cosmos manitoba n3c opensafely paper pcornet trinetx ukllc
    """
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def load(name_or_path: str | os.PathLike[str]) -> Policy:
    """Return the built-in policy of that name, or the one in your own .toml, .yaml, .yml or .json file.

    A file has ``k`` and any other fields of a ``Policy``; the default ``name`` is that of the file. ACRO's own
    ``default.yaml``, and the ``config.json`` of a session, are policies too.

    >>> print(load("opensafely"))
    opensafely: k = 8, zeros: review, supports rounded to 5, at most 5,000 itemsets
    """
    if not isinstance(name_or_path, str | os.PathLike):
        raise OptionError(f"policy is {_shown(name_or_path)}; {_allowed()}")
    path = FOLDER / f"{name_or_path}.toml" if name_or_path in names() else Path(name_or_path)
    if path.suffix.lower() not in SUFFIXES:
        raise OptionError(f"policy is {_shown(os.fspath(name_or_path))}; {_allowed()}")
    try:
        parse = _from_toml if path.suffix.lower() == ".toml" else _from_yaml
        return make_policy({"name": path.stem, **parse(_read(path))})
    except DiscreetError as error:
        raise InputError(f"{path}: ", error.message) from None


def as_policy(policy: Policy | str | os.PathLike[str] | None = None, k: int | None = None) -> Policy:
    """Return the policy to judge by: given, loaded, or made of ``k`` alone; with both, ``k`` may only be stricter.

    >>> print(as_policy(k=5), as_policy("acro", k=20), sep=chr(10))
    k: k = 5, zeros: ignore
    acro: k = 20, zeros: withhold
    """
    if isinstance(k, Integral) and not isinstance(k, bool):
        k = int(k)  # perhaps of NumPy
    if policy is None:
        if k is None:
            raise ThresholdError("neither k nor a policy is given; give k, or a policy")
        return Policy("k", k=k)
    chosen = policy if isinstance(policy, Policy) else load(policy)
    if k is None:
        return chosen
    stricter = replace(chosen, k=k)
    if stricter.k < chosen.k:
        raise ThresholdError(
            f"k is {k}, but the policy {chosen.name} asks for {chosen.k}; leave k out, give at least as much, "
            "or give k without a policy"
        )
    return stricter


def make_policy(pairs: PolicyPairs) -> Policy:
    """Return the policy that a file states."""
    words = [field.name for field in fields(Policy)]
    for word in pairs:
        if word not in words:
            raise InputError(f"{_shown(word)} is not a field of a policy; it has {', '.join(words)}")
    if "k" not in pairs:
        raise InputError("k is missing; give the smallest safe count, such as k = 10")
    zeros = pairs.get("zeros", "ignore")
    if not isinstance(zeros, str) or zeros not in ZEROS:
        raise InputError(f"zeros is {_shown(zeros)}; give one of {', '.join(ZEROS)}, in quotes")
    return Policy(**{**pairs, "zeros": ZEROS[zeros]})


def _read(path: Path) -> str:
    with readable(), path.open("rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise InputError(f"the file has more than {LARGEST_FILE} bytes, too many for a policy; check its name")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8; save it as UTF-8") from None


def _from_toml(text: str) -> PolicyPairs:
    import tomllib  # noqa: PLC0415

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # The message of tomllib may quote the file; the line is enough.
        line = re.search(r"line \d+", str(error))
        raise _broken("TOML", line and line.group(), "k = 10") from None


def _from_yaml(text: str) -> PolicyPairs:
    """Return the pairs of a flat mapping; none of YAML's other constructs is built."""
    import yaml  # noqa: PLC0415

    try:
        node = yaml.SafeLoader(text).get_single_node()
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise _broken("YAML", mark and f"line {mark.line + 1}", "k: 10") from None
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise InputError("the file has no pairs of a word and a value; write lines such as k: 10")
    if any(word.value == acro.THRESHOLD for word, _ in node.value):
        return acro.translate({str(word.value): value.value for word, value in node.value})
    pairs: dict[str, Any] = {}
    for word, value in node.value:
        if not isinstance(word, yaml.ScalarNode):
            raise InputError(f"line {word.start_mark.line + 1} does not begin with a word; write lines such as k: 10")
        if word.value in pairs:
            raise InputError(f"{_shown(word.value)} is given twice; keep one of the two lines")
        pairs[word.value] = _scalar(word.value, value)
    return pairs


def _scalar(word: str, node: Any) -> str | int | float:  # noqa: ANN401 - of a library without types
    """Return the text or number of a node of YAML."""
    if isinstance(node.value, str):  # the value of a list or a mapping is a list
        if node.tag == "tag:yaml.org,2002:str":
            return node.value
        if node.tag == "tag:yaml.org,2002:int" and DECIMAL.fullmatch(node.value):
            # Python does not read thousands of digits; the first 100 are too large as well.
            return int(node.value.replace("_", "")[:100])
        if node.tag == "tag:yaml.org,2002:float" and SHARE.fullmatch(node.value):
            return float(node.value)
    raise InputError(f"{_shown(word)} is neither text nor a number in plain digits; give one of them")


def _check_count(word: str, value: object) -> None:
    if type(value) is not int or not 1 <= value <= LARGEST_COUNT:
        raise ThresholdError(f"{word} is {_shown(value)}; give a whole number from 1 to {LARGEST_COUNT}")


def _broken(language: str, line: str | None, example: str) -> InputError:
    place = f" at {line}" if line else ""
    return InputError(f"the file is not {language}{place}; write each word once, as in {example}")


def _allowed() -> str:
    return f"give one of {', '.join(names())}, or the path of a {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} file"


def _shown(value: object) -> str:
    """Return a value for a message: short, and on one line."""
    if isinstance(value, int) and value.bit_length() > 64:  # noqa: PLR2004 - as the words say
        return "a number of more than 64 bits"  # Python refuses to print very large ones
    if value is None or isinstance(value, str | int | float):
        return repr(value if not isinstance(value, str) or len(value) <= 40 else f"{value[:40]}…")  # noqa: PLR2004
    return f"a value of type {type(value).__name__}"


def as_belief(belief: object) -> float:
    """Return the largest belief that is allowed, if it is a probability.

    >>> as_belief(0.9)
    0.9
    """
    if isinstance(belief, bool) or not isinstance(belief, int | float) or not 0 < belief <= 1:
        raise ThresholdError(f"max_belief is {_shown(belief)}; give a probability above 0, up to 1, such as 0.9")
    return float(belief)
