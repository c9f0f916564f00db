"""What HTML reports explain to whoever has never heard of any of it: limits, and the words of output checkers."""

from typing import Final

from discreet.report.page import Table

LIMITS: Final = (
    "Other releases. Two releases of the same rows, or of rows that differ little, can be subtracted from each other.",
    "What is missing. That an itemset is not listed tells that it has less than the minimum support.",
    "Bounds. Where the maximal itemsets form a cycle, inequalities between supports may tell more than sums do.",
    "Other knowledge. What a reader knows of single people from elsewhere is not reckoned with.",
    "Probability. That most people of a group have something is what frequent itemsets are published for.",
    "Dominance, the n–k and p% rules of output checkers, is about amounts: it does not apply to counts of people.",
)
"""What RELEASE does not promise."""

BLOCKED_LIMITS: Final = (
    *LIMITS,
    "Blocking changes what is published, as little as it can. Single supports may be off by more than the average.",
)

GLOSSARY: Final = Table(
    "The words of output checkers, and ours",
    ["checker's word", "here", "what it means"],
    [
        ("primary disclosure, low count", "low counts", "a published support from 1 to k − 1"),
        (
            "secondary disclosure, differencing",
            "inference channel",
            "a sum of supports that tells of 1 to k − 1 people who have some items and lack others",
        ),
        (
            "class or group disclosure",
            "implication",
            "a derived count of exactly 0: everyone with some items is known to have another one too",
        ),
        ("approximate disclosure", "bounds", "a count that is not known exactly, but within narrow bounds"),
        ("frequency, cell count", "support", "how many rows hold every item of an itemset"),
        ("table, cross-tabulation", "itemsets", "sets of items, such as diagnoses or goods, each with its support"),
        ("threshold", "k", "the smallest count that may be told; minimum support is another thing"),
        ("margin, sub-total", "base", "the itemset that the people of a finding do have"),
        ("mitigation", "block", "suppressing rows, adding rows or withholding itemsets until no channel is left"),
        ("respondent, unit", "row", "one person, patient or basket"),
    ],
)
