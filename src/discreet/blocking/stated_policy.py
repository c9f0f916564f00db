"""The policy that a release states: valid, and the one that its name stands for."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from discreet.blocking.verify_cells import visible
from discreet.errors import DiscreetError
from discreet.judging.policy import ZEROS, Policy, load, names


def read_policy(facts: Mapping[str, Any]) -> Policy:
    """Return the policy that release.json states."""
    return Policy(**{**facts, "zeros": ZEROS[facts["zeros"]]})


def check_policy(facts: Mapping[str, Any]) -> str:
    """Return the fault of a policy that is invalid, or has the name of another one; it may be stricter.

    >>> check_policy(Policy("k", k=11).facts()), check_policy({**Policy("k", k=11).facts(), "name": "cms"})
    ('', "the policy in release.json is not the one named 'cms'")
    """
    try:
        policy = read_policy(facts)
        name = visible(policy.name).strip().casefold()
    except (DiscreetError, KeyError, TypeError):
        return "the policy in release.json is invalid"
    known = Policy("k", k=1) if name == "k" else load(name) if name in names() else policy
    is_same = policy == replace(known, k=max(policy.k, known.k), max_belief=policy.max_belief or known.max_belief)
    return "" if is_same else f"the policy in release.json is not the one named {known.name!r}"
