"""What ``discreet hide`` does once it knows what is asked for: hide, in memory or in one scan, or compare methods."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from discreet.cli.reading import digested, read_rows

if TYPE_CHECKING:
    from discreet import Hidden, InvertedFile, Transactions
    from discreet.hiding.sensitive import Named
    from discreet.report import Source


class Asked(NamedTuple):
    """What was asked for: how to hide how much, at which minimum supports to measure it, and what is shown how."""

    method: str
    psi: list[str]
    below: str | None
    sigmas: list[str]
    more: dict[str, Any]
    columns: dict[str, str | None]
    inverted: str | None
    out: str | None
    show_labels: bool
    confidence: str | None
    out_table: str | None = None


class Shown(NamedTuple):
    """What is told of it: as JSON, in chunks, and in lines."""

    chunks: Iterable[bytes]
    lines: Iterable[str]


def hidden(file: str, named: "Mapping[str, Named]", asked: Asked) -> Shown:
    """Hide for each recipient, and write the folder if there is to be one."""
    from discreet.report import hidden_facts, hidden_text

    done, source = _stream(file, named, asked) if _is_streamed(file, asked) else _hide(file, named, asked)
    measured = {name: _measured(one, asked) for name, one in done.items()}
    told: dict[str, Any] = {"source": source, "show_labels": asked.show_labels}
    several = len(named) > 1

    def chunks() -> Iterator[bytes]:
        facts = [hidden_facts(one, **measured[name], **told) for name, one in done.items()]
        whole = {"recipients": dict(zip(named, facts, strict=True))} if several else facts[0]
        yield f"{json.dumps(whole, indent=2, ensure_ascii=False)}\n".encode()

    def lines() -> Iterator[str]:
        for number, (name, one) in enumerate(done.items()):
            yield from [*[""] * bool(number), f"For {name}:", ""] if several else []
            yield from hidden_text(one, **measured[name], **told)

    return Shown(chunks(), lines())


def compared(file: str, named: "Named", asked: Asked, plot: str | None) -> Shown:
    """Compare the methods; shares that stand in the file are left, for those of --psi."""
    from discreet.hiding.compare import compare_hiding
    from discreet.report import hiding_comparison_json, hiding_comparison_svg, hiding_comparison_text, save

    rows, source = read_rows(file, **asked.columns)
    told: dict[str, Any] = {"below": asked.below, "index": _index(rows, asked), **asked.more}
    sensitive = named.among(rows.code, show_labels=asked.show_labels)
    found = compare_hiding(rows, sensitive, min_supports=asked.sigmas, disclosures=asked.psi or ["0"], **told)
    if plot is not None:
        save(plot, [hiding_comparison_svg(found)], sources=[file])
    return Shown(hiding_comparison_json(found, source=source), hiding_comparison_text(found, source=source))


def _is_streamed(file: str, asked: Asked) -> bool:
    """Return whether FILE is scanned once and never held as a whole."""
    from discreet.hiding.folder import must_stream

    if asked.method != "swa" or not ("memory" in asked.more or must_stream(file)):
        return False
    if asked.out is None or asked.sigmas or asked.inverted is not None:
        raise click.UsageError("FILE is scanned once, and written: give --out, and neither --measure nor --index")
    return True


def _stream(file: str, named: "Mapping[str, Named]", asked: Asked) -> "tuple[Mapping[str, Any], Source]":
    """Hide in one scan for each recipient, and write the folder."""
    from discreet.hiding.folder import stream_hidden

    for name in ("row", "item", "items"):
        if asked.columns[name] is not None:
            raise click.UsageError(f"--{name} is for tables, which cannot be scanned once: leave --memory out")
    if asked.below is not None and not asked.below.isdecimal():
        raise click.UsageError(
            "--below must be a count where FILE is scanned once, as nobody knows how many rows it has"
        )
    how = {"format": asked.columns["format"], "separator": asked.columns["separator"]}
    told: dict[str, Any] = {**asked.more, **how, "disclosure": _share(asked), "below": asked.below and int(asked.below)}
    told.pop("threads", None)
    several = named if len(named) > 1 else next(iter(named.values()))
    return digested(file, lambda place: stream_hidden(str(place), str(asked.out), several, **told))


def _hide(file: str, named: "Mapping[str, Named]", asked: Asked) -> "tuple[dict[str, Hidden], Source]":
    """Hide for each recipient, from one index; write the folder if there is to be one."""
    from discreet import write, write_hidden
    from discreet.hiding.hide import hide as hidden_in

    rows, source = read_rows(file, **asked.columns)
    index = _index(rows, asked)
    for one in named.values():
        one.among(rows.code, show_labels=asked.show_labels)
    told: dict[str, Any] = {"disclosure": _share(asked), "below": asked.below, "index": index, **asked.more}
    done = {name: hidden_in(rows, one, method=asked.method, **told) for name, one in named.items()}  # type: ignore[arg-type]  # one of METHODS
    if asked.out is not None:
        several = done if len(done) > 1 else next(iter(done.values()))
        columns = {name: value for name, value in asked.columns.items() if name not in {"table", "query"}}
        write_hidden(several, asked.out, source=file, **columns)
    if asked.out_table is not None:
        (only,) = done.values()
        write(only.transactions, file, table=asked.out_table, row=asked.columns["row"], item=asked.columns["item"])
    return done, source


def _index(rows: "Transactions", asked: Asked) -> "InvertedFile":
    """Return the index of the rows, the one that was given if there is one."""
    from discreet import InvertedFile

    return InvertedFile(rows) if asked.inverted is None else InvertedFile.open(asked.inverted, rows=rows)


def _share(asked: Asked) -> str:
    return asked.psi[0] if asked.psi else "0"


def _measured(hidden: "Hidden", asked: Asked) -> dict[str, Any]:
    """Return what can be found before and after, at each minimum support that was asked for."""
    from discreet.hiding.measures import Yardstick, ghost_rules

    if not asked.sigmas:
        return {}
    rows, after, confidence = hidden.rows, hidden.transactions, asked.confidence
    measured = Yardstick.of(rows, hidden.sensitive, asked.sigmas).measure(after)
    if confidence is None:
        return {"measured": measured}
    rules = [ghost_rules(rows, after, min_support=one, min_confidence=confidence) for one in asked.sigmas]
    return {"measured": measured, "rules": rules}
