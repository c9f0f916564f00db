"""What ``discreet report`` makes a page of: an audit, of lists or other publications, or a release; and its verdict."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from discreet.cli.output import fixed_time
from discreet.cli.publications import audited as audited_publication
from discreet.cli.reading import candidate, read_rows

if TYPE_CHECKING:
    from discreet import Audit, Patterns, Transactions, Verdict
    from discreet.cli.watch import Bars
    from discreet.report import Source

TIMES: Final = (Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4))
"""The minimum supports of the trade-off, as multiples of the one that was asked for."""
KS: Final = (3, 5, 10, 20, 50)
MOST_ITEMSETS: Final = 100_000
"""Itemsets up to which the trade-off is worked out: it takes several audits."""


class Reported(NamedTuple):
    """A page, its verdict, and all findings as CSV."""

    page: str
    verdict: "Verdict"
    findings: Iterable[bytes] = ()


class Asked(NamedTuple):
    """What the page is to be, beside what FILE holds; ``csv`` is where all findings go as well."""

    k: int | None
    policy: str | None
    schema: str | None
    private: bool
    explain: int
    with_tradeoff: bool
    csv: str | None

    @property
    def rule(self) -> dict[str, Any]:
        """What FILE is judged by."""
        return {"k": self.k, "policy": self.policy}


def audited(
    file: str,
    asked: Asked,
    min_support: str | None,
    *,
    limits: dict[str, Any],
    progress: "Bars",
    olds: "Sequence[tuple[Patterns, Source]]",
    grown: bool,
    reading: dict[str, Any],
) -> Reported:
    """Return the report of an audit."""
    import discreet
    from discreet import report as pages

    if asked.private and min_support is None and reading["rows_file"] is None:
        raise discreet.OptionError(
            "--private tells which rows are exposed, and needs rows; give --min-support or --rows"
        )
    bars = None if asked.private else progress
    found = candidate(file, min_support=min_support, limits=limits, bars=bars, **reading)
    by: Any = {**asked.rule, "schema": asked.schema, "against": [patterns for patterns, _ in olds], "grown": grown}
    if found.patterns is None:
        rows: Any = found.rows
        result = discreet.audit(rows, min_support=min_support, progress=progress, **by, **limits)
    else:
        progress(1, len(found.patterns))
        result = discreet.audit(found.patterns, rows=found.rows, **by)
    grid, why_not = _tradeoff(result, asked, limits.get("threads"))
    against = [source for _, source in olds]
    page = pages.audit_html(
        result,
        tradeoff=grid,
        source=found.source,
        explain=asked.explain,
        private=asked.private,
        timestamp=fixed_time(),
        no_tradeoff=why_not,
        against=against,
    )
    return Reported(page, result.verdict, pages.findings_csv(result, explain=asked.explain, against=against))


def published(
    file: str, asked: Asked, told: Mapping[str, Any], alone: Mapping[str, Any], reading: dict[str, Any]
) -> Reported:
    """Return the report of rules, rounded supports or trees; refuse options that are for exact supports ``alone``."""
    from discreet import report as pages

    result: Any
    result, source = audited_publication(file, told, {**asked.rule, "schema": asked.schema}, alone, reading)
    page = pages.audit_html(result, source=source, explain=asked.explain, timestamp=fixed_time())
    return Reported(page, result.verdict, pages.findings_csv(result, explain=asked.explain))


def _tradeoff(result: "Audit", asked: Asked, threads: int | None) -> "tuple[Any, str]":
    """Return how much is safe at higher minimum supports, or why that is not told.

    Whether it is worked out hangs on the size of the task, not on time: the same input gives the same bytes.
    """
    import discreet

    if not asked.with_tradeoff or result.rows is None or not result.rows.n:
        return None, ""
    if len(result.patterns) > MOST_ITEMSETS:
        return None, (
            f"With more than {MOST_ITEMSETS:,} itemsets, how much is safe at higher minimum supports is not worked out "
            "here: `discreet tradeoff` tells it."
        )
    least, n = result.patterns.min_support, result.rows.n
    supports = sorted({min(n, -(-least * times.numerator // times.denominator)) for times in TIMES})
    return discreet.tradeoff(result.rows, min_supports=supports, ks={*KS, result.policy.k}, threads=threads), ""


def released(
    file: str,
    asked: Asked,
    method: str,
    told: dict[str, Any],
    reading: dict[str, Any],
) -> Reported:
    """Return the page of the release that a method makes, and what the policy says of it."""
    from discreet import OptionError
    from discreet import report as pages
    from discreet.blocking.block import block as blocked
    from discreet.blocking.block import compare as side_by_side

    for name in ("n", "kind", "rows_file"):
        if reading.pop(name) is not None:
            raise OptionError(f"--{name.removesuffix('_file')} is for patterns, but --block needs rows; leave it out")
    rows: Transactions
    source: Source
    rows, source = read_rows(file, **reading)
    options_: Any = {name: value for name, value in told.items() if value is not None}
    options_ |= asked.rule
    comparison = side_by_side(rows, **options_) if method == "best" else None
    release = comparison.best if comparison else blocked(rows, method=method, **options_)
    page = pages.release_html(
        release, comparison=comparison, source=source, private=asked.private, timestamp=fixed_time()
    )
    return Reported(page, release.verdict)
