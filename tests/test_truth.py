"""Traps of Python: a result is neither true nor false, and a verdict is compared by its name or not at all."""

import pickle
from inspect import isclass
from io import BytesIO

import pytest

import discreet
from discreet import Channels, DiscreetError, OptionError, Patterns, TruthError, Verdict, audit
from discreet.blocking.problem import Proof

UNSAFE = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
SAFE = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10
PLAIN = {
    *("Bounded", "Change", "Channel", "Difference", "Finding", "Implication", "PeopleCell", "Rule"),  # they are there
    *("Attribute", "Leaves", "Merged", "Plan", "Policy", "Reading", "Schema", "Sensitive"),  # they are given, or read
}
"""Public values that are true because they exist."""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Results by their types; each says that something is unsafe, lost or left."""
    found = audit(UNSAFE, min_support=10, k=10)
    release = discreet.block(UNSAFE, min_support=10, k=10, method="add")
    hidden = discreet.hide(UNSAFE, [["a", "b"]], disclosure="50%")
    folder = tmp_path_factory.mktemp("truth") / "release"
    discreet.write_release(release, folder)
    (folder / "report.txt").unlink()
    values = [
        *(found, found.verdict, found.checks[0], found.exposed),
        *(release, release.distortion, Proof(1.0, 0.0, 1, whole=True, stopped=False), discreet.verify(folder)),
        *(hidden, hidden.measures(10), discreet.compare_hiding(UNSAFE, [["a"]], min_supports=[10], methods=["iga"])),
        discreet.attack(found.patterns, k=10),
        discreet.belief(found.patterns, k=10),
        discreet.belief(discreet.read_counts(BytesIO(b"sex,n\nTotal,20\nf,<10\nm,*\n")), k=10),
        discreet.attack(UNSAFE, sensitive=[["a", "b"]]),
        discreet.bounds(found.patterns, "a AND NOT b"),
        discreet.compare(UNSAFE, min_support=10, k=10, seconds=1),
        discreet.advise(UNSAFE, min_support=10, k=10),
        discreet.tradeoff(UNSAFE, min_supports=[10], ks=[10]),
    ]
    return {type(value).__name__: value for value in values}


def public_values():
    """The public classes but errors."""
    every = {name: getattr(discreet, name) for name in discreet.__all__}
    return {name: one for name, one in every.items() if isclass(one) and not issubclass(one, Exception)}


def test_each_public_value_refuses_a_truth_value_or_says_why_it_has_one(results):
    counted = {name for name, one in public_values().items() if hasattr(one, "__len__") and name not in results}
    assert results.keys() | PLAIN | counted - PLAIN == public_values().keys()
    assert results.keys().isdisjoint(PLAIN)


def test_no_result_is_true_or_false(results):
    for value in results.values():
        with pytest.raises(TruthError, match=r"is neither true nor false, so `if` would always hold; ask .+"):
            bool(value)
        with pytest.raises(TypeError):
            _ = not value


def test_the_question_to_ask_exists(results):
    asked = {"Audit": "is_safe", "Release": "is_safe", "Attack": "is_safe", "Verification": "is_good"}
    for name, question in asked.items():
        with pytest.raises(TruthError, match=rf"^{name} .*; ask \.{question}$"):
            bool(results[name])
    assert [getattr(results[name], question) for name, question in asked.items()] == [False, True, False, False]


def test_an_error_about_truth_is_one_of_ours_and_survives_a_process_border():
    with pytest.raises(DiscreetError) as caught:
        bool(audit(SAFE, min_support=10, k=10))
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (type(copy), str(copy), copy.exit_code) == (TruthError, str(caught.value), 2)


def test_collections_keep_their_truth_value():
    unsafe, safe = (audit(rows, min_support=10, k=10) for rows in (UNSAFE, SAFE))
    assert isinstance(unsafe.channels, Channels)
    assert isinstance(unsafe.patterns, Patterns)
    assert [bool(one) for one in (unsafe.channels, unsafe.patterns, unsafe.findings)] == [True, True, True]
    assert [bool(one) for one in (safe.channels, safe.patterns, safe.findings)] == [False, True, False]


@pytest.mark.parametrize("zeros", Verdict)
def test_only_the_verdict_release_is_safe(zeros):
    found = audit([["a", "b"]] * 4 + [["b"]] * 4, min_support=2, policy=discreet.Policy("own", 2, zeros))
    assert found.verdict is zeros
    assert found.is_safe is (zeros is Verdict.RELEASE)


@pytest.mark.parametrize("name", Verdict.__members__)
@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_equals_its_name_and_no_other(verdict, name):
    is_same = verdict is Verdict[name]
    assert (verdict == name) is is_same
    assert (name == verdict) is is_same
    assert (verdict != name) is (name != verdict) is not is_same
    verdicts, names = [verdict], [name]
    assert (name in verdicts) is (verdict in names) is (name in set(verdicts)) is (verdict in set(names)) is is_same
    assert (hash(verdict) == hash(name)) is is_same


@pytest.mark.parametrize("word", ["release", "Withhold", "WITHOLD", "PASS", "", " RELEASE", "W" * 1000])
@pytest.mark.parametrize("verdict", Verdict)
def test_a_word_that_is_no_verdict_is_never_compared(verdict, word):
    sentence = r"^'.{0,40}' is no verdict; there are RELEASE, REVIEW, WITHHOLD$"
    for compare in (verdict.__eq__, verdict.__ne__, lambda word: word == verdict, lambda word: word != verdict):
        with pytest.raises(OptionError, match=sentence):
            compare(word)
    with pytest.raises(OptionError, match=sentence):
        _ = verdict in ("REVIEW", word)[1:]


@pytest.mark.parametrize("word", ["RELEASE", "REVIEW", "WITHHOLD", "anything"])
def test_words_have_no_order_among_verdicts(word):
    with pytest.raises(TypeError):
        sorted([Verdict.REVIEW, word])
    with pytest.raises(TypeError):
        _ = word >= Verdict.REVIEW


def test_a_verdict_is_the_same_key_as_its_name_and_survives_a_process_border():
    assert {Verdict.REVIEW: 1}["REVIEW"] == {"REVIEW": 1}[Verdict.REVIEW] == 1
    assert pickle.loads(pickle.dumps(Verdict.REVIEW)) is Verdict.REVIEW  # noqa: S301 - our own bytes
