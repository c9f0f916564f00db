"""What HTML reports explain to whoever has never heard of any of it: limits, and the words of output checkers."""

from typing import Final

from discreet.report.html.page import Table

LIMITS: Final = (
    "Other releases. Two releases of the same rows, or of rows that differ little, can be subtracted from each other.",
    "What is missing. That an itemset is not listed tells that it has less than the minimum support.",
    "Bounds. Where the maximal itemsets form a cycle, inequalities between supports may tell more than sums do.",
    "Other knowledge. What a reader knows of single people from elsewhere is not reckoned with.",
    "Probability. That most people of a group have something is what frequent itemsets are published for.",
    "Dominance, the n–k and p% rules of output checkers, is about amounts: it does not apply to counts of people.",
)
"""What RELEASE does not promise."""

AGAINST_LIMITS: Final = (
    "Other releases than the older ones that it was compared with, and itemsets that only one of these tells of.",
    *LIMITS[1:],
)
"""The same, where older releases were looked at."""

TREE_LIMITS: Final = (
    "Other releases. Other trees, or lists, of the same rows can be subtracted from this.",
    "Means. Whether one row dominates the mean that a leaf tells is not looked at.",
    "Probability. That most people who reach a leaf are of one class is what trees are published for.",
    LIMITS[3],
)

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
            "differencing of two releases",
            "change",
            "a count that was published before, with 1 to k − 1 people more or fewer",
        ),
        (
            "total less its parts",
            "rest",
            "people with none of the listed values of an attribute: everyone less those with one of them",
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

TREE_GLOSSARY: Final = Table(
    GLOSSARY.caption,
    GLOSSARY.head,
    [
        ("table", "leaves", "groups of rows that exclude each other, each with how many rows of a class it holds"),
        ("cell", "leaf and class", "the rows that meet all conditions of a path and are of a class"),
        ("primary disclosure, low count", "low counts", "a count of a leaf and a class from 1 to k − 1"),
        (
            "differencing",
            "several trees",
            "an overlap of leaves of several trees that holds 1 to k − 1 rows of a class",
        ),
        ("class or group disclosure", "class disclosure", "a leaf that tells what all who reach it have"),
        ("threshold", "k", "the smallest count that may be told; the threshold of a tree is another thing"),
        ("respondent, unit", "row", "one person, patient or basket"),
    ],
)
