"""Reports of what was found: text for a person, JSON for a program, and the exposed rows for their owner alone."""

from discreet.io.files import save
from discreet.io.folders import MARK
from discreet.labels import printable
from discreet.measure import percent
from discreet.report.chart import chart
from discreet.report.comparison import comparison_json, comparison_text
from discreet.report.exposed import exposed_csv, marked
from discreet.report.hidden import hidden_facts, hidden_text
from discreet.report.hiding import (
    hiding_comparison_facts,
    hiding_comparison_json,
    hiding_comparison_svg,
    hiding_comparison_text,
)
from discreet.report.json import audit_json, channels_json, tradeoff_json
from discreet.report.release import public_facts, public_text, release_facts, release_json, release_text
from discreet.report.sacro import check_sacro, write_sacro
from discreet.report.text import aligned, audit_text, channel_line, channels_text, share, tradeoff_text
from discreet.report.words import Source

__all__ = [
    "MARK",
    "Source",
    "aligned",
    "audit_json",
    "audit_text",
    "channel_line",
    "channels_json",
    "channels_text",
    "chart",
    "check_sacro",
    "comparison_json",
    "comparison_text",
    "exposed_csv",
    "hidden_facts",
    "hidden_text",
    "hiding_comparison_facts",
    "hiding_comparison_json",
    "hiding_comparison_svg",
    "hiding_comparison_text",
    "marked",
    "percent",
    "printable",
    "public_facts",
    "public_text",
    "release_facts",
    "release_json",
    "release_text",
    "save",
    "share",
    "tradeoff_json",
    "tradeoff_text",
    "write_sacro",
]
