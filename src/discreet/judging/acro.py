"""The rules of ACRO, its default.yaml or the config.json of a session, as a policy; what we do not judge is said."""

from collections.abc import Mapping
from typing import Final

from discreet.errors import InputError

THRESHOLD: Final = "safe_threshold"
ZEROS: Final = "zeros_are_disclosive"
UNJUDGED: Final = {
    "safe_nk_n": "dominance",
    "safe_pratio_p": "dominance",
    "safe_dof_threshold": "degrees of freedom",
    "survival_safe_threshold": "survival tables",
    "check_missing_values": "missing values",
}
"""Rules of ACRO about what is no count of people, and what each is about."""


def translate(pairs: Mapping[str, object]) -> dict[str, str | int]:
    """Return ACRO's rules, as texts, in the words of a policy.

    Rounding to ``safe_round_base`` is what ACRO does if it is asked to, not a demand.

    >>> for word, value in translate({"safe_threshold": "10", "safe_nk_n": "2"}).items():
    ...     print(word, "=", value)
    name = acro settings
    k = 10
    zeros = withhold
    source = a configuration of ACRO
    about = Counts below 10 are withheld, and so are zeros.
    not_judged = dominance
    """
    threshold, zeros = pairs[THRESHOLD], str(pairs.get(ZEROS, "true")).casefold()
    if not (isinstance(threshold, str) and threshold.isascii() and threshold.isdecimal() and len(threshold) < 10):  # noqa: PLR2004 - a count
        raise InputError(f"{THRESHOLD} is no whole number; give the smallest safe count, such as 10")
    if zeros not in {"true", "false"}:
        raise InputError(f"{ZEROS} is neither true nor false; give one of them")
    others = dict.fromkeys(about for word, about in UNJUDGED.items() if word in pairs)
    return {
        "name": "acro settings",
        "k": int(threshold),
        "zeros": "withhold" if zeros == "true" else "ignore",
        "source": "a configuration of ACRO",
        "about": f"Counts below {threshold} are withheld{', and so are zeros' * (zeros == 'true')}.",
        "not_judged": ", ".join(others),
    }
