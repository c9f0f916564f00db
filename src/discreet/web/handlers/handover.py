"""Hand over: the files of a release, to publish, to sign, to check and to keep."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any, Final, Unpack, cast

import discreet
from discreet import Verdict
from discreet import report as reports
from discreet.blocking.tables.block import TableRelease
from discreet.io.files import digest
from discreet.web.command import write_command
from discreet.web.context import Context, list_files
from discreet.web.handlers.fix import AnyRelease, Choice, complete, make_release
from discreet.web.handlers.judging import Rule, describe_verdict, judge, list_settings
from discreet.web.loading import KINDS
from discreet.web.readers import write_readers

SUMMARY, REPORT, SACRO, RELEASE = "summary.html", "report.html", "sacro", "release"
FOR_RULE: Final = tuple(Rule.__annotations__)


def handover(context: Context, **choice: Unpack[Choice]) -> dict[str, Any]:
    """Write everything that is handed over: a release of rows or tables, or what checkers need to judge the rest."""
    loaded = context.load()
    if not KINDS[loaded.holds].is_repaired:
        return _hand_over_audit(context, choice)
    release = make_release(context, choice)
    context.stage("writing")
    files, fingerprint = _write_release(context, release)
    return {
        "verdict": release.verdict.name,
        "sentence": "" if release.audit is None else release.audit.sentence,
        "guarantee": None if release.audit is None else release.audit.promise or None,
        "fingerprint": fingerprint,
        "command": _say(context, "block", _name_older(complete(context, choice)), {"out": RELEASE}),
        "files": list_files(*files),
    }


def _hand_over_audit(context: Context, choice: Choice) -> dict[str, Any]:
    """Write what belongs to a file that is published as it is, or not at all: the report, and a folder for checkers."""
    rule, loaded = cast("Rule", {name: value for name, value in choice.items() if name in FOR_RULE}), context.load()
    judged = judge(context, rule)
    context.stage("writing")
    report = context.file(REPORT)
    report.write_text(judged.to_html(source=loaded.source), encoding="utf-8")
    reports.write_sacro(judged, context.file(SACRO), source=loaded.source)
    files = [report, context.pack(context.file(SACRO))]
    facts, settings = describe_verdict(judged), _name_older(list_settings(loaded.value, rule), "against")
    return {
        **{name: facts[name] for name in ("verdict", "sentence", "guarantee")},
        "fingerprint": None,
        "command": _say(context, "report", settings),
        "files": list_files(*files),
    }


def _say(context: Context, verb: str, *options: Mapping[str, Any]) -> str | None:
    """Return the command that does the same; None for a sample, which is no file of the user's."""
    loaded = context.load()
    how = loaded.options, *options
    return None if context.data.path is None else write_command(verb, loaded.source.file, loaded.holds, *how)


def _name_older(asked: Mapping[str, Any], flag: str = "older") -> dict[str, Any]:
    """Return options of a command in which older releases are named as their owner knows them."""
    names = [one.get("file", "FOLDER").removesuffix(".zip") for one in asked.get("older", [])]
    others = {name: value for name, value in asked.items() if name != "older" and (names or name != "grown")}
    return {**others, flag: names} if names else others


def _write_release(context: Context, release: AnyRelease) -> tuple[list[Path], str | None]:
    """Write the files of a release, and return its fingerprint; only the private part if it must not be published."""
    source, place = context.load().source, context.file("handover")
    folder = place / RELEASE
    private = folder / reports.MARK
    allowed = {Verdict.RELEASE} if isinstance(release, TableRelease) else {Verdict.RELEASE, Verdict.REVIEW}
    is_public = release.audit is not None and release.verdict in allowed
    place.mkdir(mode=0o700)
    if is_public:
        verified = discreet.write_release(release, folder, source=source, published=datetime.now(UTC).date())
        write_readers(folder, verified, place / "readers")
    else:
        private.mkdir(parents=True, mode=0o700)
    (private / REPORT).write_text(_show_private(release, source), encoding="utf-8")
    private = private.replace(context.file(reports.MARK))
    secret = context.pack(private)
    if not is_public:
        rmtree(place)
        return [secret], None
    fingerprint = digest(folder / "release.json")
    summary = context.file(SUMMARY)
    summary.write_text(reports.summary_html(release, source=source, fingerprint=fingerprint), encoding="utf-8")
    report = context.file(REPORT)
    copyfile(place / "readers" / REPORT, report)
    files = [context.pack(place, name=RELEASE), report, summary, secret]
    if release.audit is not None:
        reports.write_sacro(release.audit, context.file(SACRO))
        files.append(context.pack(context.file(SACRO)))
    return files, fingerprint


def _show_private(release: AnyRelease, source: reports.Source) -> str:
    """Return the page of a release for its owner alone."""
    if isinstance(release, TableRelease):
        return reports.table_release_html(release, source=source, private=True)
    return release.to_html(source=source, private=True)
