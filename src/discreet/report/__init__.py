"""Reports of what was found: pages and text for people, JSON and CSV for programs; and for the owner, exposed rows."""

from discreet.data.thresholds import share
from discreet.io.files import MARK, save
from discreet.io.files import aside as aside
from discreet.report.acro import add_to_acro
from discreet.report.advice import advice_facts, advice_json, advice_text
from discreet.report.attack import attack_json, attack_text, bounds_json, bounds_text
from discreet.report.belief import belief_json, belief_text
from discreet.report.deciding import Decisive, Part, decisive, explain_finding
from discreet.report.figures import (
    before_after_figure,
    cell_sizes_figure,
    tradeoff_figure,
)
from discreet.report.findings import Source, database_source, exposed_csv, findings_csv, marked
from discreet.report.hidden import (
    hidden_facts,
    hidden_text,
    hiding_comparison_facts,
    hiding_comparison_json,
    hiding_comparison_svg,
    hiding_comparison_text,
)
from discreet.report.html.audit import audit_html
from discreet.report.html.release import folder_html, is_readers_html, readers_html, release_html
from discreet.report.html.summary import summary_html
from discreet.report.html.table_release import table_release_html
from discreet.report.json import audit_json, channels_json, tradeoff_json
from discreet.report.release import (
    comparison_json,
    comparison_text,
    public_facts,
    public_text,
    release_facts,
    release_json,
    release_text,
)
from discreet.report.sacro import check_sacro, write_sacro
from discreet.report.suspicion import suspicion_json, suspicion_text
from discreet.report.text import aligned, audit_text, channels_text, chart, show_sum, tradeoff_text
from discreet.runtime.text import percent, printable

__all__ = [
    "MARK",
    "Decisive",
    "Part",
    "Source",
    "add_to_acro",
    "advice_facts",
    "advice_json",
    "advice_text",
    "aligned",
    "attack_json",
    "attack_text",
    "audit_html",
    "audit_json",
    "audit_text",
    "before_after_figure",
    "belief_json",
    "belief_text",
    "bounds_json",
    "bounds_text",
    "cell_sizes_figure",
    "channels_json",
    "channels_text",
    "chart",
    "check_sacro",
    "comparison_json",
    "comparison_text",
    "database_source",
    "decisive",
    "explain_finding",
    "exposed_csv",
    "findings_csv",
    "folder_html",
    "hidden_facts",
    "hidden_text",
    "hiding_comparison_facts",
    "hiding_comparison_json",
    "hiding_comparison_svg",
    "hiding_comparison_text",
    "is_readers_html",
    "marked",
    "percent",
    "printable",
    "public_facts",
    "public_text",
    "readers_html",
    "release_facts",
    "release_html",
    "release_json",
    "release_text",
    "save",
    "share",
    "show_sum",
    "summary_html",
    "suspicion_json",
    "suspicion_text",
    "table_release_html",
    "tradeoff_figure",
    "tradeoff_json",
    "tradeoff_text",
    "write_sacro",
]
