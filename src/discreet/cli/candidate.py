"""A candidate for publication: the options of ``audit`` and ``report`` that say what FILE holds, and its audit."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, get_args

import click

from discreet.cli.options import (
    COUNT,
    POSITIVE,
    CandidateOptions,
    LimitOptions,
    OlderOptions,
    Options,
    ReadOptions,
    RuleOptions,
    names,
    option,
)
from discreet.cli.reading import digest, load_patterns, load_rows, read_all, read_older
from discreet.publications.rules.intervals import Mode

if TYPE_CHECKING:
    from discreet import Audit, Facts, Rules
    from discreet.cli.terminal import Bars
    from discreet.report import Source


@dataclass(frozen=True)
class PublicationOptions(Options):
    """What FILE holds, if it is no list of exact supports: rules, rounded or largest supports, trees."""

    rules: bool = option("FILE holds association rules: from SPMF, arules or mlxtend, or PMML.")
    top: bool = option("FILE lists the itemsets with the largest supports, and no others.")
    digits: int | None = option("Shares in FILE have N decimal places.", "N", type=COUNT)
    rounding: Mode | None = option("How numbers in FILE were rounded.", type=click.Choice(get_args(Mode)))
    round_to: int | None = option("Supports in FILE were rounded to multiples of N.", "N", type=POSITIVE)
    listed_from: str | None = option(
        "FILE is announced to list all itemsets with this support: 813, 10%, 0.1.", "COUNT|SHARE"
    )
    min_confidence: str | None = option("FILE is announced to list all rules with this confidence: 60%.", "SHARE")
    tree: bool = option(
        "FILE holds a decision tree, a forest or a list of rules: scikit-learn's text or dot, PMML, or JSON."
    )
    targets: str | None = option(
        "Values that the target of a regression tree takes, such as 0,1; or its column in --rows.", "VALUES|NAME"
    )


@dataclass(frozen=True)
class JudgeOptions(CandidateOptions, OlderOptions, PublicationOptions, RuleOptions):
    """FILE, what it holds and how it is read, and how it is judged."""

    schema: str | None = option(
        "Separator of attribute and value in labels, such as =; values of an attribute exclude each other.", "TEXT"
    )

    @property
    def sources(self) -> tuple[str | None, ...]:
        """The files that are read."""
        return self.file, self.rows_file, *self.against

    @property
    def is_exact(self) -> bool:
        """Whether FILE holds rows, or a list of exact supports."""
        return not any(self.given(*names(PublicationOptions)))

    def refuse(self, what: str, *wrong: str) -> None:
        """Refuse options that mean nothing to a kind of FILE."""
        from discreet import OptionError

        for flag in self.given(*wrong):
            raise OptionError(f"{flag} is not for {what}; leave one out")


class Judged(NamedTuple):
    """An audit, the digest of FILE, and those of older releases."""

    audit: "Audit"
    source: "Source"
    against: "list[Source]"


EXACT_ONLY: Final = ("min_support", *names(OlderOptions, LimitOptions))
"""Options that are for rows or lists of exact supports alone."""


def judge(asked: JudgeOptions, bars: "Bars", *exact_only: str, keep_ids: bool) -> Judged:
    """Audit FILE; refuse options that are ``exact_only`` if it holds anything but exact supports.

    Rows may be merged to save memory, unless ``keep_ids`` says that their ids are needed.
    """
    if asked.is_exact:
        return _judge_itemsets(asked, bars, keep_ids=keep_ids)
    wrong = (*EXACT_ONLY, *exact_only)
    audit, source = _judge_trees(asked, *wrong) if asked.tree else _judge_facts(asked, *wrong)
    return Judged(audit, source, [])


def _judge_itemsets(asked: JudgeOptions, bars: "Bars", *, keep_ids: bool) -> Judged:
    """Audit rows that would be mined, or patterns."""
    import discreet

    merging, schema, grown = None if keep_ids else bars, asked.schema, asked.grown
    old, against = read_older(asked)
    if asked.min_support is None:
        patterns, known, source = load_patterns(asked, merging)
        bars(1, len(patterns))
        audit = discreet.audit(
            patterns, k=asked.k, policy=asked.policy, rows=known, schema=schema, against=old, grown=grown
        )
        return Judged(audit, source, against)
    rows, source = load_rows(asked, asked.min_support, merging)
    audit = discreet.audit(
        rows,
        k=asked.k,
        policy=asked.policy,
        min_support=asked.min_support,
        schema=schema,
        against=old,
        grown=grown,
        **asked.budget(bars),
    )
    return Judged(audit, source, against)


def _judge_facts(asked: JudgeOptions, *wrong: str) -> "tuple[Audit, Source]":
    """Audit rules, or supports within limits; other options of reading are for the rows behind them."""
    import discreet

    reading = replace(asked, format=None)
    reading.refuse("rules or rounded supports", *wrong, "kind", "targets")
    if asked.rows_file is None:
        reading.refuse("rules or rounded supports", *names(ReadOptions))
    value, source = digest(asked.file, partial(_read_published, asked))
    rows = None if asked.rows_file is None else read_all(asked.rows_file, reading)[0]
    return discreet.audit(value, rows=rows, k=asked.k, policy=asked.policy, schema=asked.schema), source


def _judge_trees(asked: JudgeOptions, *wrong: str) -> "tuple[Audit, Source]":
    """Audit trees; their rows are the features that they were fitted on."""
    import discreet

    others = [name for name in names(PublicationOptions) if name not in {"tree", "targets"}]
    replace(asked, format=None).refuse("trees", *others, *wrong, "schema", "kind", *names(ReadOptions))
    targets = None if asked.targets is None else _split_targets(asked.targets)
    trees, source = digest(
        asked.file,
        lambda place: discreet.read_tree(place, format=asked.format, n=asked.n, rows=asked.rows_file, targets=targets),
    )
    return discreet.audit(trees, k=asked.k, policy=asked.policy), source


def _read_published(asked: JudgeOptions, place: "str | BinaryIO") -> "Facts | Rules":
    """Return rules, or supports within limits."""
    from discreet import OptionError, read_facts, read_rules

    form, n, digits, rounding, least = asked.format, asked.n, asked.digits, asked.rounding, asked.listed_from
    if asked.rules:
        if asked.top or asked.round_to is not None:
            raise OptionError("--top and --round-to are for itemsets, not for rules; leave one out")
        confidence = asked.min_confidence
        return read_rules(
            place, format=form, n=n, digits=digits, rounding=rounding, min_support=least, min_confidence=confidence
        )
    if asked.min_confidence is not None:
        raise OptionError("--min-confidence is for rules; add --rules, or leave it out")
    to, top = asked.round_to, asked.top
    return read_facts(
        place, format=form, n=n, digits=digits, rounding=rounding, round_to=to, min_support=least, top=top
    )


def _split_targets(text: str) -> str | list[float]:
    """Return the values in a text with commas, or else the name of a column.

    >>> _split_targets("0, 1"), _split_targets("stays"), _split_targets("1,b")
    ([0.0, 1.0], 'stays', '1,b')
    """
    try:
        return [float(part) for part in text.split(",")] if "," in text else text
    except ValueError:
        return text
