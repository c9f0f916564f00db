"""Policies: what the built-in ones ask for, and what is no policy."""

import json
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import DiscreetError, InputError, OptionError, ThresholdError
from discreet.judging.policy import FOLDER, LARGEST_FILE, Policy, Verdict, as_policy, load, names

RELEASE, REVIEW, WITHHOLD = Verdict
PAGE = (Path(__file__).parent.parent / "docs" / "policies.md").read_text(encoding="utf-8")
LARGEST = 2**53

BUILT_IN = {
    "abs": (10, REVIEW, None, None),
    "acro": (10, WITHHOLD, None, None),
    "allofus": (21, RELEASE, None, None),
    "cms": (11, RELEASE, None, None),
    "cprd": (5, REVIEW, None, None),
    "darwin": (5, RELEASE, None, None),
    "datashield": (3, RELEASE, None, None),
    "epic-cosmos": (11, RELEASE, None, None),
    "manitoba": (6, RELEASE, None, None),
    "n3c": (20, RELEASE, None, None),
    "opensafely": (8, REVIEW, 5, 5000),
    "paper": (10, RELEASE, None, None),
    "pcornet": (11, RELEASE, None, None),
    "trinetx": (11, REVIEW, None, None),
    "ukllc": (10, WITHHOLD, None, None),
}
"""As the documents of each have it: k, zeros, round_to, max_itemsets."""
UNREAD = ["cprd", "darwin", "epic-cosmos", "pcornet", "trinetx"]
"""Those whose own document could not be read: their files, their sources and the page say so."""

PAIRS = 'k = 7\nzeros = "review"\nround_to = 3\nmax_itemsets = 900\nname = "ours"\nsource = "us"\nabout = "a: b # ü"\n'
OURS = Policy("ours", k=7, zeros=REVIEW, round_to=3, max_itemsets=900, source="us", about="a: b # ü")
WHOLE = f"give a whole number from 1 to {LARGEST}"
NO_YAML = "write lines such as k: 10"
NEITHER = "is neither text nor a number in plain digits; give one of them"

FILES = {
    "nothing": ("x.toml", b"", "k is missing; give the smallest safe count, such as k = 10"),
    "nothing, YAML": ("x.yaml", b"", "k is missing; give the smallest safe count, such as k = 10"),
    "comments": ("x.yml", b"# k: 10\n", "k is missing; give the smallest safe count"),
    "no k": ("x.toml", b'zeros = "ignore"', "k is missing; give the smallest safe count"),
    "an unknown word": (
        "x.toml",
        b"k = 10\nkay = 3",
        "'kay' is not a field of a policy; it has name, k, zeros, round_to, max",
    ),
    "a capital": ("x.yaml", b"K: 10", "'K' is not a field of a policy"),
    "a table": ("x.toml", b"k = 10\n[paper]\nk = 3", "'paper' is not a field of a policy"),
    "a long word": ("x.toml", b"k" * 1000 + b" = 1", f"'{'k' * 40}…' is not a field of a policy"),
    "k as bool": ("x.toml", b"k = true", f"k is True; {WHOLE}"),
    "k as text": ("x.toml", b'k = "10"', f"k is '10'; {WHOLE}"),
    "k as text, YAML": ("x.yaml", b"k: '10'", f"k is '10'; {WHOLE}"),
    "k as float": ("x.toml", b"k = 10.0", f"k is 10.0; {WHOLE}"),
    "k as date": ("x.toml", b"k = 2020-01-01", f"k is a value of type date; {WHOLE}"),
    "k as list": ("x.toml", b"k = [10]", f"k is a value of type list; {WHOLE}"),
    "k zero": ("x.toml", b"k = 0", f"k is 0; {WHOLE}"),
    "k below zero": ("x.yaml", b"k: -1", f"k is -1; {WHOLE}"),
    "k of 2^63": ("x.toml", b"k = 9223372036854775808", f"k is 9223372036854775808; {WHOLE}"),
    "k of 10,000 bits": ("x.toml", b"k = 0x" + b"f" * 2500, f"k is a number of more than 64 bits; {WHOLE}"),
    "k of 60,000 bits": ("x.toml", b"k = 0x" + b"f" * 15000, f"k is a number of more than 64 bits; {WHOLE}"),
    "k of 9,000 digits": ("x.toml", b"k = " + b"9" * 9000, "the file is not TOML; write each word once, as in k = 10"),
    "k of 9,000 digits, YAML": ("x.yaml", b"k: " + b"9" * 9000, f"k is a number of more than 64 bits; {WHOLE}"),
    "zeros unknown": (
        "x.toml",
        b'k = 9\nzeros = "hide"',
        "zeros is 'hide'; give one of ignore, review, withhold, in quotes",
    ),
    "zeros in capitals": ("x.yaml", b"k: 9\nzeros: Review", "zeros is 'Review'; give one of ignore, review, withhold"),
    "zeros as bool": ("x.toml", b"k = 9\nzeros = true", "zeros is True; give one of ignore, review, withhold"),
    "zeros as list": ("x.toml", b'k = 9\nzeros = ["ignore"]', "zeros is a value of type list; give one of ignore"),
    "round_to zero": ("x.toml", b"k = 9\nround_to = 0", f"round_to is 0; {WHOLE}"),
    "round_to as bool": ("x.toml", b"k = 9\nround_to = false", f"round_to is False; {WHOLE}"),
    "max_itemsets as text": ("x.toml", b'k = 9\nmax_itemsets = "many"', f"max_itemsets is 'many'; {WHOLE}"),
    "a name that is a number": ("x.yaml", b"k: 9\nname: 7", "name is 7; give text on one line, in quotes"),
    "no name": ("x.toml", b'k = 9\nname = ""', "name is empty; give the policy a name"),
    "two lines": ("x.toml", b'k = 9\nabout = "a\\nb"', "about is 'a\\nb'; give text on one line, in quotes"),
    "a colour": ("x.toml", b'k = 9\nsource = "\\u001b[31m"', "source is '\\x1b[31m'; give text on one line"),
    "broken TOML": ("x.toml", b"# ours\nk: 10", "the file is not TOML at line 2; write each word once, as in k = 10"),
    "twice": ("x.toml", b"k = 10\nk = 3", "the file is not TOML; write each word once, as in k = 10"),
    "twice, YAML": ("x.yaml", b"k: 10\nk: 3", "'k' is given twice; keep one of the two lines"),
    "broken YAML": ("x.yaml", b"k: 10\n\tzeros: [", "the file is not YAML at line 2; write each word once, as in k"),
    "two documents": ("x.yaml", b"k: 10\n---\nk: 3", "the file is not YAML at line 2"),
    "a list": ("x.yaml", b"- k\n- 10", f"the file has no pairs of a word and a value; {NO_YAML}"),
    "a word": ("x.yaml", b"k = 10", "the file has no pairs of a word and a value"),
    "a list for a word": ("x.yaml", b"k: 10\n? [a, b]\n: 3", f"line 2 does not begin with a word; {NO_YAML}"),
    "octal": ("x.yaml", b"k: 010", f"'k' {NEITHER}"),
    "of base 60": ("x.yaml", b"k: 1:30", f"'k' {NEITHER}"),
    "yes": ("x.yaml", b"k: yes", f"'k' {NEITHER}"),
    "null": ("x.yaml", b"k: 10\nround_to:", f"'round_to' {NEITHER}"),
    "a date": ("x.yaml", b"k: 2020-99-99", f"'k' {NEITHER}"),
    "a mapping": ("x.yaml", b"k: {v: 10}", f"'k' {NEITHER}"),
    "an object": ("x.yaml", b"k: !!python/object/apply:os.getcwd []", f"'k' {NEITHER}"),
    "an unknown tag": ("x.yaml", b"k: !a:str 10", f"'k' {NEITHER}"),
    "an alias to nothing": ("x.yaml", b"k: *a", "the file is not YAML at line 1"),
    "an alias to itself": ("x.yaml", b"k: &a [*a]", f"'k' {NEITHER}"),
    "merged": ("x.yaml", b"<<: {k: 10}", f"'<<' {NEITHER}"),
    "aliases without end": (
        "x.yaml",
        b"a0: &a0 {x: 1}\n"
        + b"".join(b"a%d: &a%d {<<: [%s]}\n" % (i, i, b"*a%d, " % (i - 1) * 9) for i in range(1, 40)),
        f"'a0' {NEITHER}",
    ),
    "deep": ("x.toml", b"k = " + b"[" * 9000, "the file is not TOML; write each word once, as in k = 10"),
    "deep, YAML": ("x.yaml", b"{k: " * 4000, "the file is not YAML"),
    "deep keys": ("x.toml", b"a." * 2000 + b"k = 10", "'a' is not a field of a policy"),
    "too long": (
        "x.toml",
        b"k = 10\n" + b"#" * LARGEST_FILE,
        f"the file has more than {LARGEST_FILE} bytes, too many for",
    ),
    "binary": ("x.toml", bytes(range(256)), "the file is not UTF-8; save it as UTF-8"),
    "a NUL byte": ("x.toml", b"k = \x00", "the file is not TOML at line 1"),
    "a NUL byte, YAML": ("x.yaml", b"k: \x00", "the file is not YAML; write each word once, as in k: 10"),
}


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_policy_is_what_its_document_says(name):
    policy = load(name)
    assert BUILT_IN[name] == (policy.k, policy.zeros, policy.round_to, policy.max_itemsets)
    assert policy.name == name
    assert policy.source
    assert policy.about


def test_the_built_in_policies_are_these():
    assert tuple(BUILT_IN) == names()


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_policy_says_what_it_was_checked_against(name):
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    assert ("\n# Checked against: " in text) is (name not in UNREAD)
    assert ("\n# Could not be read at its source on " in text) is (name in UNREAD)
    assert load(name).source.endswith("could not be read") is (name in UNREAD)


def test_the_page_says_what_the_built_in_policies_are():
    lines = (line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `"))
    found = {cells[0].strip("`"): cells[1:5] for cells in lines if len(cells) == 6}
    words = {RELEASE: "ignore", REVIEW: "review", WITHHOLD: "withhold"}
    expected = {
        name: [str(k), words[zeros], *(f"{number:,}" if number else "" for number in more)]
        for name, (k, zeros, *more) in BUILT_IN.items()
    }
    assert expected == found


def test_the_page_says_which_policies_could_not_be_read_at_their_source():
    lines = PAGE.partition("\n**Not read at the source.**")[2].split("\n\n")[1].splitlines()
    assert [f"- `{name}`" for name in UNREAD] == [line.partition(":")[0] for line in lines]


def test_the_two_files_of_the_page_give_the_same_policy(tmp_path):
    for language in ("toml", "yaml"):
        text = PAGE.partition(f"```{language}\n")[2].partition("```")[0]
        (tmp_path / f"hospital.{language}").write_text(text, encoding="utf-8")
    expected = Policy("hospital", k=5, zeros=REVIEW, source="Release rules of the hospital, 2026")
    assert [expected, expected] == [load(tmp_path / "hospital.toml"), load(tmp_path / "hospital.yaml")]


@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".YAML"])
def test_yaml_and_toml_give_the_same_policy(tmp_path, suffix):
    (tmp_path / "x.toml").write_text(PAIRS, encoding="utf-8")
    quoted = PAIRS.replace(" = ", ": ")
    (tmp_path / f"x{suffix}").write_text(quoted, encoding="utf-8")
    assert load(tmp_path / "x.toml") == OURS
    assert load(tmp_path / f"x{suffix}") == OURS


@given(
    k=st.integers(1, LARGEST),
    zeros=st.sampled_from(["ignore", "review", "withhold"]),
    more=st.fixed_dictionaries({}, optional=dict.fromkeys(["round_to", "max_itemsets"], st.integers(1, LARGEST))),
)
def test_every_policy_is_the_same_in_yaml_and_toml(tmp_path_factory, k, zeros, more):
    pairs = {"k": k, "zeros": zeros, **more}
    folder = tmp_path_factory.mktemp("policies")
    (folder / "x.toml").write_text("".join(f"{word} = {json.dumps(value)}\n" for word, value in pairs.items()))
    (folder / "x.yaml").write_text(json.dumps(pairs))
    verdict = {"ignore": RELEASE, "review": REVIEW, "withhold": WITHHOLD}[zeros]
    expected = Policy("x", **{**pairs, "zeros": verdict})
    assert [expected, expected] == [load(folder / "x.toml"), load(folder / "x.yaml")]


def test_k_is_all_that_a_file_must_say(tmp_path):
    path = tmp_path / "hospital.toml"
    path.write_bytes(b"\xef\xbb\xbfk = 6\r\n")
    assert Policy("hospital", k=6, zeros=RELEASE, round_to=None, max_itemsets=None) == load(str(path))


@pytest.mark.parametrize("case", FILES)
def test_a_wrong_file_is_refused_in_one_sentence(tmp_path, case):
    name, data, sentence = FILES[case]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: {sentence}")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200 + len(str(path))
    assert caught.value.__suppress_context__
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("nothing.toml", "there is no such file; check its name"),
        ("folder.toml", "this is a directory; give a file in it"),
        ("nul\0.yaml", "the file cannot be read (its name is no file name)"),
        ("x" * 300 + ".toml", "the file cannot be read (File name too long)"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(tmp_path, place, sentence):
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError) as caught:
        load(tmp_path / place)
    assert str(caught.value).startswith(f"{tmp_path / place}: {sentence}")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no endless file")
def test_a_file_without_end_is_refused(tmp_path):
    (tmp_path / "x.toml").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="too many for a policy"):
        load(tmp_path / "x.toml")


@pytest.mark.parametrize(
    "policy", ["ACRO", "acro ", "", "acro.ini", "policies/acro", Path("acro"), ".toml", 10, b"acro"]
)
def test_what_is_neither_a_name_nor_such_a_file_is_refused(policy):
    allowed = f"give one of {', '.join(BUILT_IN)}, or the path of a .toml, .yaml, .yml or .json file"
    with pytest.raises(OptionError, match=r"^policy is ") as caught:
        load(policy)
    assert str(caught.value).endswith(allowed)


def test_k_alone_is_a_policy_that_ignores_zeros():
    assert Policy("k", k=5, zeros=RELEASE) == as_policy(None, 5) == as_policy(k=np.int64(5))
    assert type(as_policy(k=np.int64(5)).k) is int


def test_a_policy_is_itself_by_value_name_or_path(tmp_path):
    (tmp_path / "x.toml").write_text(PAIRS, encoding="utf-8")
    assert [as_policy(OURS), as_policy(tmp_path / "x.toml")] == [OURS, OURS]
    assert load("acro") == as_policy("acro")


@pytest.mark.parametrize("k", [10, 11, LARGEST])
def test_a_stricter_k_overrides_that_of_the_policy_and_nothing_else(k):
    assert replace(load("acro"), k=k) == as_policy("acro", k)


@pytest.mark.parametrize("k", [1, 9])
def test_a_laxer_k_is_refused(k):
    with pytest.raises(
        ThresholdError, match=rf"^k is {k}, but the policy acro asks for 10; leave k out, give at least"
    ):
        as_policy("acro", k)


def test_neither_k_nor_a_policy_is_refused():
    with pytest.raises(ThresholdError, match=r"give k, or a policy$"):
        as_policy()


@pytest.mark.parametrize("policy", [None, "acro"])
@pytest.mark.parametrize("k", [0, -3, True, "10", 10.0, 2**63, 10**5000, [10]], ids=lambda k: str(type(k)))
def test_what_is_no_k_is_refused(policy, k):
    with pytest.raises(ThresholdError, match=r"^k is .*; give a whole number from 1 to 9007199254740992$"):
        as_policy(policy, k)


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": True},
        {"zeros": "review"},
        {"zeros": None},
        {"round_to": 0},
        {"max_itemsets": 1.5},
        {"name": ""},
        {"about": None},
    ],
    ids=str,
)
def test_no_wrong_policy_can_be_made(wrong):
    with pytest.raises(DiscreetError, match=r" is .*; give "):
        Policy(**{"name": "ours", "k": 10, **wrong})


def test_a_policy_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        OURS.k = 1


def test_a_policy_reads_as_its_rules():
    assert str(OURS) == "ours: k = 7, zeros: review, supports rounded to 3, at most 900 itemsets"


def test_a_policy_in_toml_loads_no_yaml(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert load("acro").k == 10
