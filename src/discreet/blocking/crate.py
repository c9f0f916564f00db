"""A release as an RO-Crate: which policy, thresholds and program made it, and the digests of its files, for archives.

The crate (RO-Crate 1.2, w3id.org/ro/crate/1.2) states what release.json states, in the terms that archives and trusted
research environments read. The check for disclosure is described as the Five Safes RO-Crate profile does
(w3id.org/5s-crate/0.4); its other phases, such as the request of a workflow, are not ours to state, so the crate does
not claim to conform to it.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final

from discreet.io.notation import as_json, write_text

CRATE: Final = "ro-crate-metadata.json"
CHECK: Final = "https://w3id.org/shp#DisclosureCheck"
LARGEST: Final = 1 << 20  # bytes of a crate
PUBLISHED: Final = re.compile(rb'"datePublished": "(\d{4}-\d\d-\d\d)"')
ABOUT: Final = {
    "certificate.json": "The cells of each maximal itemset, to be counted again",
    "counts.json": "Each count with its place and its limits",
    "release.json": "What was asked for, the policy, and the SHA-256 of each other file",
    "report.txt": "What is published and promised, in words",
}
MEDIA: Final = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
STATED: Final = ("method", "min_support", "n", "kind", "max_length", "listed", "against")
"""Facts of release.json, beside those of its policy, that are parameters of the check."""


def write_crate(folder: Path, facts: Mapping[str, Any], published: date) -> None:
    """Write the crate of a release folder, whose release.json holds ``facts``."""
    write_text(folder / CRATE, [as_json(_describe(folder, facts, published))])


def check_crate(folder: Path, facts: Mapping[str, Any]) -> str:
    """Return a fault if there is a crate that does not describe this release; only its date is its own."""
    path = folder / CRATE
    if not path.is_symlink() and not path.exists():
        return ""
    state = path.lstat()
    if not S_ISREG(state.st_mode) or state.st_size > LARGEST:
        return f"{CRATE!r} is no plain file, or too large"
    data = path.read_bytes()
    try:
        published = date.fromisoformat(PUBLISHED.findall(data)[0].decode())
        is_same = data == f"{as_json(_describe(folder, facts, published))}\n".encode()
    except (AttributeError, IndexError, KeyError, OSError, TypeError, ValueError):
        is_same = False
    return "" if is_same else f"{CRATE!r} does not describe this release: it was changed, or is of another one"


def _describe(folder: Path, facts: Mapping[str, Any], published: date) -> dict[str, Any]:
    """Return the crate as JSON-LD."""
    policy = facts["policy"]
    rule = f"k = {policy['k']}" if policy["name"] == "k" else f"the policy {policy['name']}, k = {policy['k']}"
    digests = {**facts["files"], "release.json": sha256((folder / "release.json").read_bytes()).hexdigest()}
    named = {**{word: facts.get(word) for word in STATED}, **policy}
    stated = {
        word: value for word, value in named.items() if value is not None and word not in {"name", "source", "about"}
    }
    graph = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "about": _refer("./"),
            "conformsTo": _refer("https://w3id.org/ro/crate/1.2"),
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": f"Release by {rule}",
            "description": "Published counts, and the evidence that they were checked for disclosure",
            "datePublished": published.isoformat(),
            "license": _refer("#terms"),
            "hasPart": [_refer(name) for name in sorted(digests)],
            "mentions": _refer("#disclosure-check"),
        },
        *_list_files(folder, digests),
        {
            "@id": "#disclosure-check",
            "@type": "AssessAction",
            "additionalType": _refer(CHECK),
            "name": f"Disclosure check by {rule}",
            "description": "By a program: report.txt says what is promised, and `discreet verify FOLDER` checks it "
            "again. Where the policy asks for a review, a person decides.",
            "agent": _refer("#discreet"),
            "instrument": [_refer("#discreet"), _refer("#policy")],
            "object": [_refer("./"), *(_refer(f"#{word}") for word in stated)],
            "actionStatus": "http://schema.org/CompletedActionStatus",
        },
        {"@id": CHECK, "@type": "DefinedTerm", "name": "Disclosure check"},
        {
            "@id": "#discreet",
            "@type": "SoftwareApplication",
            "name": "discreet",
            "version": facts["discreet"],
        },
        {
            "@id": "#policy",
            "@type": "CreativeWork",
            "name": policy["name"],
            "description": policy["about"] or policy["name"],
        }
        | ({"citation": policy["source"]} if policy["source"] else {}),
        *(
            {"@id": f"#{word}", "@type": "PropertyValue", "name": word, "value": value}
            for word, value in stated.items()
        ),
        {
            "@id": "#terms",
            "@type": "CreativeWork",
            "name": "Terms of use",
            "description": "Those of the publisher, who states them where the release is published",
        },
    ]
    return {"@context": "https://w3id.org/ro/crate/1.2/context", "@graph": graph}


def _list_files(folder: Path, digests: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for name, digest in sorted(digests.items()):
        yield {
            "@id": name,
            "@type": "File",
            "name": name,
            "description": ABOUT.get(name, "What is published"),
            "encodingFormat": MEDIA.get(Path(name).suffix, "text/plain"),
            "contentSize": str((folder / name).stat().st_size),
            "sha256": digest,
        }


def _refer(name: str) -> dict[str, str]:
    return {"@id": name}
