"""What would be published as an output of a running ACRO session, with the verdict and the flags of an audit."""

from inspect import signature
from typing import Any, Protocol

from discreet.data.records import load_library
from discreet.errors import OptionError
from discreet.io.notation import FORMULA
from discreet.judging.audit import Audit
from discreet.report.sacro import describe_file, describe_output
from discreet.report.sacro_tables import gather, name_labels, tabulate


class Session(Protocol):
    """What is needed of a session: an ``acro.ACRO`` of version 0.4 or later has it."""

    results: Any

    def rename_output(self, old: str, new: str) -> None:
        """Give an output another name."""

    def add_exception(self, output: str, reason: str) -> None:
        """Say why an output should be released."""


def add_to_acro(session: Session, audit: Audit) -> str:
    """Add the candidate of an audit to a running ACRO session, as a table with flagged cells; return its name.

    Its status is the verdict, and its exception says why it did not pass. The findings are not added, since every
    output of a session may be approved: ``write_sacro`` writes them for the checker.

    >>> import acro  # doctest: +SKIP
    >>> session = acro.ACRO()  # doctest: +SKIP
    >>> add_to_acro(session, audit(rows, min_support=20, policy="acro"))  # doctest: +SKIP
    'discreet_itemsets'
    """
    if getattr(session, "federated", False):
        raise OptionError("the session is federated: it keeps evidence alone; add to one that checks its outputs")
    pandas = load_library("pandas")
    signs = gather(audit)
    table = tabulate(audit, signs, name_labels(audit))
    head, *lines = [[f"'{text}" if FORMULA.match(text) else text for text in line] for line in table.lines]
    index = pandas.Index([line[0] for line in lines], name=head[0])
    frame = pandas.DataFrame([line[1:] for line in lines], index=index, columns=head[1:])
    elsewhere = ["What it gives away is no part of this session: write it with `discreet audit --sacro`."] * bool(signs)
    entry = describe_output(audit, table, elsewhere)
    fair = {"fair": entry["fair"]} if "fair" in signature(session.results.add).parameters else {}
    session.results.add(
        status=entry["status"],
        output_type=entry["type"],
        properties=entry["properties"],
        sdc=describe_file(table.flagged),
        command=entry["command"],
        summary=entry["summary"],
        outcome=pandas.DataFrame(entry["outcome"]),
        output=[frame],
        comments=entry["comments"],
        **fair,
    )
    *others, old = session.results.get_keys()
    wanted = [f"discreet_{table.name}", *(f"discreet_{table.name}_{number}" for number in range(2, len(others) + 3))]
    name = next(one for one in wanted if one not in others)
    session.rename_output(old, name)
    if entry["exception"]:
        session.add_exception(name, entry["exception"])
    return name
