"""Laws of rules: what supports and confidences tell, whatever was cut off them, and files and frames of rules."""

import json
from fractions import Fraction
from functools import cache
from io import BytesIO
from itertools import groupby

import oracle
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from mlxtend.frequent_patterns import association_rules, fpgrowth
from strategies import detected_databases

from discreet import InputError, OptionError, Patterns, Policy, Transactions, Verdict, audit
from discreet.cli import main
from discreet.generate import clinic
from discreet.report import facts_json, facts_text
from discreet.rules import Rules, read_rules
from discreet.rules.narrowed import TRIED, fitted, narrowed
from discreet.rules.rounding import Interval, Rounding

modes = st.sampled_from(["round", "truncate"])


def listed(channels):
    """Return {(base, top): count} of channels."""
    return {(channel.base, channel.top): channel.count for channel in channels}


def stated(supports, digits, mode):
    """Return all rules of itemsets with these supports, their confidences cut to some digits."""
    return [
        (held, also, count, oracle.cut(Fraction(count, base), digits, mode))
        for held, also, count, base in oracle.every_rule(supports)
    ]


def by_name(found):
    """Return the checks of an audit by their names."""
    return {check.name: check for check in found.checks}


# Example 1 of k-anonymous patterns (PKDD 2005).


@pytest.mark.parametrize("n", [None, 100])
def test_support_80_and_a_confidence_of_98_7_percent_cannot_have_been_rounded(n):
    found = audit(Rules.from_rules([(["a1", "a2", "a3"], ["a4"], 80, "98.7%")], n=n, rounding="round"), k=5)
    assert (found.verdict, found.facts, found.findings) == (Verdict.WITHHOLD, None, ())
    assert [check.name for check in found.checks] == ["consistency"]


@pytest.mark.parametrize("n", [None, 100])
def test_support_80_and_a_truncated_confidence_of_98_7_percent_tell_of_one_row(n):
    found = audit(Rules.from_rules([(["a1", "a2", "a3"], ["a4"], 80, "98.7%")], n=n, rounding="truncate"), k=5)
    assert found.verdict is Verdict.WITHHOLD
    assert [str(one) for one in found.findings] == ["a1 ∧ a2 ∧ a3 ∧ ¬a4: 1 row"]
    assert [one.explain() for one in found.findings] == ["sup(a1, a2, a3) 81 − sup(a1, a2, a3, a4) 80 = 1"]


# Narrowing against its definition.


@given(both=st.integers(0, 40), digits=st.integers(0, 4), mode=modes, data=st.data())
def test_a_rule_leaves_exactly_those_antecedents_whose_confidence_is_printed_so(both, digits, mode, data):
    most = 60
    confidence = oracle.cut(Fraction(both, data.draw(st.integers(max(1, both), most))), digits, mode)
    expected = oracle.antecedents(both, confidence, digits, mode, most)
    (interval,) = Rounding(mode, digits).intervals([confidence])
    fit = fitted(interval, (0, most), (both, both))
    ends = (expected[0], expected[-1])
    assert fit == (ends, (both, both), tuple(one - both for one in ends))


@given(both=st.integers(1, 9), wrong=st.integers(1, 99))
def test_a_rule_that_no_numbers_of_rows_have_is_called_inconsistent(both, wrong):
    confidence = f"0.{wrong:02}"
    possible = oracle.antecedents(both, confidence, 2, "truncate", 100 * both)
    found = audit(Rules.from_rules([(["a"], ["b"], both, confidence)], rounding="truncate", digits=2), k=2)
    assert (found.facts is None) == (not possible)


@given(
    low=st.integers(0, 3000), wide=st.integers(TRIED, 3 * TRIED), held=st.integers(1, 9000), share=st.fractions(0, 1)
)
def test_wide_supports_are_narrowed_by_their_ends_and_never_too_far(low, wide, held, share):
    both = min(held, low + wide // 2)
    confidence = Interval(max(Fraction(0), Fraction(both, held) - share / 10), Fraction(both, held) + share / 10)
    fit = fitted(confidence, (0, 10_000), (low, low + wide))
    if low <= both <= low + wide:
        assert fit is not None
        for truth, (least, most) in ((held, fit.held), (both, fit.both), (held - both, fit.gap)):
            assert least <= truth <= most


@settings(max_examples=50)
@given(case=detected_databases(), digits=st.integers(0, 5), mode=modes, known=st.booleans())
def test_what_rules_tell_is_true_of_the_rows_that_they_are_of(case, digits, mode, known):
    rows, sigma, k = case
    supports = oracle.frequent(rows, sigma)
    said = stated(supports, digits, mode)
    found = audit(Rules.from_rules(said, n=len(rows) if known else None, digits=digits, rounding=mode), k=k)
    if not said:
        assert found.verdict is Verdict.WITHHOLD
        return
    assert found.facts is not None
    database = {row: len(list(same)) for row, same in groupby(sorted(rows, key=lambda row: sorted(map(str, row))))}
    for codes, (low, high) in found.facts.listed.items():
        assert low <= oracle.support({found.facts.labels[code] for code in codes}, rows) <= high
    for one in found.findings:
        assert 1 <= one.low <= oracle.holders(one.base, one.lacked, database) <= one.high < k
    for channel in found.channels or ():
        assert oracle.cell(channel.base, channel.top, rows) == channel.count < k
    assert (found.verdict is Verdict.WITHHOLD) >= bool(found.findings or found.channels)


@cache
def alike(sigma, mode, n=5, items="abc"):
    """Return {rules that are published: the databases that have them}, of all databases of some rows."""
    found = {}
    for database in oracle.databases_of(items, n):
        supports = {one: count for one, count in oracle.supports_of(database, items).items() if count >= sigma}
        found.setdefault(frozenset(stated(supports, 1, mode)), []).append(database)
    return found


@settings(max_examples=60)
@given(data=st.data(), sigma=st.integers(1, 2), mode=modes, k=st.integers(2, 4))
def test_every_finding_holds_in_all_databases_that_have_the_rules(data, sigma, mode, k):
    published = alike(sigma, mode)
    rules = data.draw(st.sampled_from(sorted(published, key=lambda rules: sorted(map(str, rules)))))
    found = audit(Rules.from_rules(rules, n=5, digits=1, rounding=mode), k=k)
    for database in published[rules]:
        for one in found.findings:
            assert one.low <= oracle.holders(one.base, one.lacked, database) <= one.high


@settings(max_examples=50)
@given(case=detected_databases())
def test_exact_rules_of_all_frequent_itemsets_give_the_channels_that_these_give(case):
    rows, sigma, k = case
    supports = oracle.frequent(rows, sigma)
    rules = [(held, also, count, repr(count / base)) for held, also, count, base in oracle.every_rule(supports)]
    told = {part: supports[part] for held, also, _, _ in rules for part in oracle.subsets(held | also)}
    if not told:
        return
    told[frozenset()] = len(rows)
    found = audit(Rules.from_rules(rules, n=len(rows), rounding="exact"), k=k)
    assert dict(found.patterns) == told
    assert listed(found.channels) == oracle.maximal_channels_of(told, k)
    assert (found.verdict is Verdict.RELEASE) == (not found.channels and min(told.values()) >= k)


def clinic_frames(n=400, sigma=30):
    """Return the itemsets and the rules that mlxtend finds in clinic data."""
    rows = clinic(n, seed=3)
    table = pd.DataFrame([[label in row for label in rows.labels] for row in map(set, rows)], columns=list(rows.labels))
    itemsets = fpgrowth(table, min_support=(sigma - 0.5) / n, use_colnames=True)
    return rows, itemsets, association_rules(itemsets, metric="confidence", min_threshold=0)


def test_rules_of_mlxtend_itself_give_the_channels_of_the_itemsets_behind_them():
    rows, itemsets, rules = clinic_frames()
    single = {one for one in itemsets["itemsets"] if len(one) == 1}
    in_rules = {label for side in rules["antecedents"] for label in side}
    expected = {
        pair: count
        for pair, count in listed(audit(Patterns.from_pandas(itemsets, n=len(rows)), k=10).channels).items()
        if len(pair[1]) > 1 or pair[1] <= in_rules  # an item that goes with no other is in no rule
    }
    found = audit(read_rules(rules, n=len(rows)), k=10, rows=rows)
    assert len(expected) > 20
    assert single
    assert listed(found.channels) == expected
    assert found.verdict is Verdict.WITHHOLD
    assert found.exposed.rows == audit(Patterns.from_pandas(itemsets, n=len(rows)), k=10, rows=rows).exposed.rows


def test_rules_that_leave_gaps_are_never_released():
    found = audit(read_rules([(["a"], ["b"], 0.4, 0.8)], n=100, rounding="exact"), k=5)
    assert (found.verdict, found.findings) == (Verdict.REVIEW, ())
    assert by_name(found)["bounds"].verdict is Verdict.REVIEW


def test_rules_without_exception_are_judged_by_what_a_policy_says_of_zeros():
    rules = Rules.from_rules([(["a"], ["b"], 40, 1.0)], rounding="exact")
    assert "class disclosure" not in by_name(audit(rules, k=5))
    found = audit(rules, policy=Policy("ours", k=5, zeros=Verdict.WITHHOLD))
    assert by_name(found)["class disclosure"].verdict is found.verdict is Verdict.WITHHOLD


def test_an_item_on_both_sides_is_refused():
    with pytest.raises(InputError, match="rule 1 has no consequent"):
        Rules.from_rules([(["a"], ["a"], 4, 0.5)])


def test_rows_that_rules_are_not_of_are_refused():
    rules = Rules.from_rules([(["a"], ["b"], 4, 0.5), (["b"], ["a"], 4, 1.0)], n=10, rounding="exact")
    with pytest.raises(InputError, match="give the rows"):
        audit(rules, k=2, rows=Transactions([["a", "b"]] * 10))


@pytest.mark.parametrize("rules", [[], [(["a"], ["b"], 0, 0.0)]])
def test_rules_that_say_nothing_are_not_released(rules):
    assert audit(Rules.from_rules(rules, n=9), k=2).verdict is not Verdict.RELEASE


# Digits.


@given(
    shares=st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)).map(sorted), min_size=1, max_size=9),
    digits=st.integers(1, 6),
    mode=modes,
    shape=st.sampled_from(["fixed", "without zeros at the end", "percent"]),
)
def test_numbers_with_as_many_digits_as_others_lie_where_they_lay(shares, digits, mode, shape):
    numbers = [Fraction(part, whole) for part, whole in shares]
    texts = [oracle.cut(number * (100 if shape == "percent" else 1), digits, mode) for number in numbers]
    if shape == "without zeros at the end":
        texts = [text.rstrip("0").rstrip(".") for text in texts]
    if shape == "percent":
        texts = [f"{text}%" for text in texts]
    for number, interval in zip(numbers, Rounding(mode).intervals(texts), strict=True):
        assert interval.low <= number <= interval.high
        assert number < interval.high or not interval.open


@given(shares=st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)).map(sorted), min_size=1, max_size=9))
def test_floats_and_numbers_of_seven_significant_digits_lie_where_they_lay(shares):
    numbers = [Fraction(part, whole) for part, whole in shares]
    for texts in ([repr(part / whole) for part, whole in shares], [f"{part / whole:.7g}" for part, whole in shares]):
        for number, interval in zip(numbers, Rounding().intervals(texts), strict=True):
            assert interval.low <= number <= interval.high


@settings(max_examples=60)
@given(case=detected_databases(), digits=st.integers(1, 5), mode=modes)
def test_a_table_of_rules_with_numbers_cut_short_tells_only_what_is_true(case, digits, mode):
    rows, sigma, k = case
    n, supports = len(rows), oracle.frequent(rows, sigma)
    rules = list(oracle.every_rule(supports))
    if not rules:
        return
    numbers = {
        "support": [Fraction(count, n) for _, _, count, _ in rules],
        "confidence": [Fraction(count, base) for _, _, count, base in rules],
        "coverage": [Fraction(base, n) for _, _, _, base in rules],
        "lift": [Fraction(count * n, base * supports[also]) for _, also, count, base in rules],
    }
    frame = pd.DataFrame({"lhs": [held for held, _, _, _ in rules], "rhs": [also for _, also, _, _ in rules]})
    for name, column in numbers.items():
        frame[name] = [oracle.cut(number, digits, mode) for number in column]
    found = audit(read_rules(frame, n=n, digits=digits, rounding=mode), k=k)
    assert found.facts is not None
    for codes, (low, high) in found.facts.listed.items():
        assert low <= oracle.support({found.facts.labels[code] for code in codes}, rows) <= high


@pytest.mark.parametrize("text", ["", "half", "-0.5", "nan", "inf", "1e999", "0" * 50, "٣"])
def test_what_is_no_number_is_refused_by_its_place(text):
    with pytest.raises(InputError, match="confidence 2 is no number"):
        Rules.from_rules([(["a"], ["b"], 4, "0.5"), (["a"], ["c"], 4, text)])


@pytest.mark.parametrize(
    "options", [{"digits": -1}, {"digits": True}, {"rounding": "up"}, {"rounding": "exact", "digits": 2}]
)
def test_a_rounding_that_is_none_is_refused(options):
    with pytest.raises(OptionError):
        read_rules([(["a"], ["b"], 4, 0.5)], **options)


def test_shares_of_nobody_knows_how_many_rows_are_refused():
    with pytest.raises(InputError, match="say it with n="):
        read_rules([(["a"], ["b"], 0.25, 0.5)])


# Files and frames.


SPMF = (
    b"@CONVERTED_FROM_TEXT\n@ITEM=1=tea\n@ITEM=2=milk\n@ITEM=3=red/dry\n"
    b"1 2 ==> 3 #SUP: 4 #CONF: 0.66667 #LIFT: 1.33333\n1 ==> 2 #SUP: 6 #CONF: 0.75\n"
)
ARULES = (
    b'"rules","support","confidence","coverage","lift","count"\n'
    b'"{tea,milk} => {red/dry}",0.2,0.666666666666667,0.3,1.33333333333333,4\n"{tea} => {milk}",0.3,0.75,0.4,1.25,6\n'
)
FRAME = pd.DataFrame(
    {
        "antecedents": [frozenset({"tea", "milk"}), frozenset({"tea"})],
        "consequents": [frozenset({"red/dry"}), frozenset({"milk"})],
        "antecedent support": [0.3, 0.4],
        "consequent support": [0.5, 0.6],
        "support": [0.2, 0.3],
        "confidence": [0.2 / 0.3, 0.75],
        "lift": [4 / 3, float("nan")],
    }
)
PMML = b"""<?xml version="1.0" encoding="UTF-8"?>
<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header/><AssociationModel functionName="associationRules"
numberOfTransactions="20" numberOfItems="3" minimumSupport="0.1" minimumConfidence="0.5" numberOfItemsets="4"
numberOfRules="2"><MiningSchema/>
<Item id="1" value="tea"/><Item id="2" value="milk"/><Item id="3" value="red/dry"/>
<Itemset id="1" support="0.3" numberOfItems="2"><ItemRef itemRef="1"/><ItemRef itemRef="2"/></Itemset>
<Itemset id="2" support="0.5"><ItemRef itemRef="3"/></Itemset>
<Itemset id="3"><ItemRef itemRef="1"/></Itemset><Itemset id="4"><ItemRef itemRef="2"/></Itemset>
<AssociationRule antecedent="1" consequent="2" support="0.2" confidence="0.666666666666667"/>
<AssociationRule antecedent="3" consequent="4" support="0.3" confidence="0.75"/>
</AssociationModel></PMML>
"""
LINES = ARULES.splitlines()
FILES = {
    "arules": (ARULES, "csv", {}),
    "arules with names of lines": (
        LINES[0] + b"\n" + b"\n".join(b'"%d",%s' % (at, line) for at, line in enumerate(LINES[1:], start=1)),
        "csv",
        {"n": 20},
    ),
    "a frame that was saved": (FRAME.to_csv(index=False).encode(), "csv", {"n": 20}),
    "a frame that was saved with its index": (FRAME.to_csv().encode(), "csv", {"n": 20}),
    "lhs and rhs": (
        b"lhs,rhs,count,confidence\n{tea;milk},x,4,0.5\n".replace(b"{tea;milk},x,4,0.5", b"tea;milk,red/dry,4,0.666667")
        + b"tea,milk,6,0.75\n",
        "csv",
        {"n": 20},
    ),
    "PMML": (PMML, "pmml", {}),
    "spmf": (SPMF, "spmf", {"n": 20}),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_rules(name):
    data, form, options = FILES[name]
    rules = read_rules(BytesIO(data), format=form, **options)
    assert rules.n == 20
    told = {(rule.antecedent, rule.consequent): rule.support for rule in rules}
    assert told == {
        (frozenset({"tea", "milk"}), frozenset({"red/dry"})): (4, 4),
        (frozenset({"tea"}), frozenset({"milk"})): (6, 6),
    }
    facts = narrowed(rules).facts
    known = {frozenset(facts.labels[code] for code in codes): limits for codes, limits in facts.listed.items()}
    assert known[frozenset({"tea", "milk"})] == (6, 6)
    assert known[frozenset({"tea"})] == (8, 8)
    if name in {"spmf", "arules"}:  # by its lift
        assert known[frozenset({"red/dry"})] == (10, 10)


@pytest.mark.parametrize(
    "frame",
    [FRAME, pl.from_pandas(FRAME.map(lambda one: list(one) if isinstance(one, frozenset) else one))],
    ids=["pandas", "polars"],
)
def test_frames_give_the_same_rules_and_the_supports_of_both_sides(frame):
    rules = read_rules(frame, n=20)
    assert [rule.support for rule in rules] == [(4, 4), (6, 6)]
    assert dict(rules.more)[frozenset({"red/dry"})] == (10, 10)


def test_frames_that_were_rounded_need_to_say_so():
    rounded = FRAME.round(2)
    assert audit(read_rules(rounded, n=20), k=2).facts is None
    assert audit(read_rules(rounded, n=20, digits=2), k=2).facts is not None


def test_items_that_hold_a_comma_within_an_interval_are_one_item():
    data = b'rules,count,confidence\n"{age=[20,30),sex=f} => {tea}",4,0.5\n'
    (rule,) = read_rules(BytesIO(data), format="csv")
    assert (rule.antecedent, rule.consequent) == ({"age=[20,30)", "sex=f"}, {"tea"})


def test_numbers_as_labels_are_numbers():
    (rule,) = read_rules(BytesIO(b"1 2 ==> 3 #SUP: 4 #CONF: 0.5\n"), format="spmf")
    assert (rule.antecedent, rule.consequent) == ({1, 2}, {3})


BROKEN = {
    "no rule": (b"1 2 #SUP: 4\n", "spmf", "line 1 is no rule"),
    "no count": (b"1 ==> 2 #SUP: 0.4 #CONF: 1\n", "spmf", "line 1 has a support that is no count"),
    "a share above 1": (b"rules,support,confidence\n{a} => {b},0.2,1.5\n", "csv", "confidence 1 is above 1"),
    "no columns": (b"left,right\nsecret,2\n", "csv", "needs the columns"),
    "no arrow": (b"rules,support,confidence\nsecret,0.2,0.5\n", "csv", "rule 1 is no rule such as"),
    "too many fields": (
        b"rules,support,confidence\n{a} => {b},0.2,0.5\n{secret} => {b},0.2,0.5,1\n",
        "csv",
        "rule 2 has 4",
    ),
    "code": (b"antecedents,consequents,count,confidence\nfrozenset(secret()),b,4,0.5\n", "csv", "rule 1 has a side"),
    "a quote": (b'lhs,rhs,count,confidence\n"""secret",b,4,0.5\n', "csv", "rule 1 has a quote"),
    "no XML": (b"<PMML><secret>", "pmml", "this is no XML"),
    "no model": (b"<PMML/>", "pmml", "0 association models"),
    "two models": (b"<PMML><AssociationModel/><AssociationModel/></PMML>", "pmml", "2 association models"),
    "entities": (
        b'<!DOCTYPE a [<!ENTITY secret SYSTEM "file:///etc/passwd">]><PMML>&secret;</PMML>',
        "pmml",
        "document type",
    ),
    "no item": (PMML.replace(b'<Item id="2" value="milk"/>', b""), "pmml", "names an item that is not there"),
    "no itemset": (PMML.replace(b'consequent="4"', b'consequent="9"'), "pmml", "rule 2 of the PMML names an itemset"),
    "no value": (PMML.replace(b' value="tea"', b""), "pmml", "Item of the PMML has no value"),
    "the same item twice": (PMML.replace(b"milk", b"tea"), "pmml", "same value"),
    "another n": (PMML, "pmml", "the source says n is 20"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_a_file_is_said_without_labels(name):
    data, form, sentence = BROKEN[name]
    with pytest.raises(InputError, match=sentence) as raised:
        read_rules(BytesIO(data), format=form, n=9)
    assert not any(label in str(raised.value) for label in ("secret", "tea", "milk"))


def test_a_suffix_tells_the_format_and_none_is_asked_for(tmp_path):
    (tmp_path / "rules.pmml").write_bytes(PMML)
    assert len(read_rules(tmp_path / "rules.pmml")) == 2
    (tmp_path / "rules.dat").write_bytes(PMML)
    with pytest.raises(OptionError, match="tells no format of rules"):
        read_rules(tmp_path / "rules.dat")
    with pytest.raises(OptionError, match="one of spmf, csv, pmml"):
        read_rules(tmp_path / "rules.pmml", format="xlsx")
    with pytest.raises(InputError, match="no such file"):
        read_rules(tmp_path / "none")


# Reports and the command line.


def test_a_report_tells_the_sums_and_its_json_all_findings():
    rules = [([f"x{at}"], ["y"], 80, "98.7%") for at in range(5)]
    found = audit(Rules.from_rules(rules, rounding="truncate"), k=5)
    text = "\n".join(facts_text(found, explain=2))
    assert "x0 ∧ ¬y: 1 row, as sup(x0) 81 − sup(x0, y) 80 = 1" in text
    assert "… and 3 more" in text
    told = json.loads(b"".join(facts_json(found)))
    assert told["verdict"] == "WITHHOLD"
    assert [(one["base"], one["lacked"], one["low"], one["high"]) for one in told["findings"]] == [
        ([f"x{at}"], [["y"]], 1, 1) for at in range(5)
    ]
    assert "Its .findings" in found._repr_html_()
    assert "x0 ⇒ y" in Rules.from_rules(rules)._repr_html_()


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_the_command_line_judges_rules(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text("1 2 ==> 3 #SUP: 80 #CONF: 0.987\n")
    rounded, truncated = (
        run("audit", file, "--rules", "-k", 5),
        run("audit", file, "--rules", "-k", 5, "--rounding", "truncate"),
    )
    assert (rounded.exit_code, truncated.exit_code) == (1, 1)
    assert "No rows can have these numbers" in rounded.stdout
    assert "1 ∧ 2 ∧ ¬3: 1 row" in truncated.stdout
    assert json.loads(run("audit", file, "--rules", "-k", 5, "--json").stdout)["verdict"] == "WITHHOLD"


@pytest.mark.parametrize(
    "options",
    [["--min-support", "5%"], ["--sacro", "x"], ["--kind", "closed"], ["--top"], ["--row", "id"], ["--threads", "2"]],
)
def test_options_that_mean_nothing_for_rules_are_refused(tmp_path, options):
    file = tmp_path / "rules.txt"
    file.write_text("1 ==> 3 #SUP: 80 #CONF: 0.987\n")
    result = run("audit", file, "--rules", "-k", 5, *options)
    assert result.exit_code == 2
    assert "leave" in result.stderr
