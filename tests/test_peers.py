"""Patterns of other programs, as the real ones have written them: equal itemsets, supports and labels, both ways."""

import json
import shutil
import subprocess
from io import BytesIO
from itertools import combinations
from pathlib import Path

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import (
    InputError,
    OutputError,
    Patterns,
    audit,
    read,
    read_patterns,
    read_rules,
    read_tree,
    write_patterns,
)
from discreet.io.formats.cells import split_joined
from discreet.io.mined import find_counts

PEERS = Path(__file__).parent / "peers"
ROWS = [frozenset(labels) for many, labels in json.loads((PEERS / "rows.json").read_text("utf-8")) for _ in range(many)]
N, LEAST = len(ROWS), 3
FREQUENT = Patterns.from_itemsets(oracle.frequent(ROWS, LEAST).items(), n=N, min_support=LEAST)
LABELS = sorted(frozenset().union(*ROWS))
STRIPPED = [frozenset(map(str.strip, row)) for row in ROWS]

FREQUENT_FILES = [
    "arules.csv",
    "arules.txt",
    "arules.tsv",
    "arules-2.csv",
    "arules-shares.csv",
    "arules.pmml",
    "mlxtend.csv",
    "mlxtend.tsv",
    "spmf-frequent-names.txt",
]


@pytest.mark.parametrize("name", FREQUENT_FILES)
def test_itemsets_of_the_real_programs_are_read_exactly(name):
    found = read_patterns(PEERS / name, n=N)
    assert dict(found) == dict(FREQUENT)
    assert found.reading.doubts == ()
    assert audit(PEERS / name, n=N, k=2).verdict == audit(FREQUENT, k=2).verdict


def test_closed_itemsets_of_arules_are_the_right_ones_and_in_doubt_for_commas():
    found = read_patterns(PEERS / "arules-closed.csv", n=N, kind="closed")
    assert found.supports.tolist() == [count for _, count in read_patterns(PEERS / "arules-closed.csv", n=N)]
    assert "A comma has a blank beside it" in str(found.reading.doubts[0])
    assert audit(PEERS / "arules-closed.csv", n=N, kind="closed", k=1).verdict == "REVIEW"


@pytest.mark.parametrize("name", ["pami-FPGrowth.txt", "pami-Apriori.txt", "pami-ECLAT.txt"])
def test_itemsets_of_pami_are_read_exactly(name):
    assert dict(read_patterns(PEERS / name, n=N)) == oracle.frequent(STRIPPED, LEAST)


def test_maximal_itemsets_of_pami_are_read_exactly():
    found = read_patterns(PEERS / "pami-MaxFPGrowth.txt", n=N, kind="maximal")
    assert dict(found) == oracle.KINDS["maximal"](STRIPPED, LEAST, None)


@pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
def test_numbers_of_spmf_have_the_names_in_its_input(kind, tmp_path):
    names = [line for line in (PEERS / "spmf-rows.txt").read_text("utf-8").splitlines() if line.startswith("@ITEM=")]
    path = tmp_path / "found.txt"
    path.write_text("\n".join([*names, (PEERS / f"spmf-{kind}.txt").read_text()]), encoding="utf-8")
    listed = {itemset: count for itemset, count in oracle.KINDS[kind](ROWS, LEAST, None).items() if itemset}
    assert {one: count for one, count in read_patterns(path, n=N, kind=kind) if one} == listed
    assert read(PEERS / "spmf-rows.txt").labels == tuple(LABELS)


def test_names_of_spmf_that_may_hold_blanks_are_in_doubt_if_not_all_itemsets_are_listed():
    found = read_patterns(PEERS / "spmf-closed-names.txt", n=N, kind="closed")
    assert "Labels that may hold blanks have blanks between" in str(found.reading.doubts[0])
    assert audit(PEERS / "spmf-closed-names.txt", n=N, kind="closed", k=1).verdict == "REVIEW"


def test_names_of_spmf_may_begin_with_the_signs_of_its_comments():
    lines = "% a note\ntea #SUP: 12\n#N/A #SUP: 30\n@home #SUP: 20\n#N/A @home #SUP: 9\n"
    found = dict(read_patterns(_as_file(lines), format="spmf", n=40))
    assert found == {frozenset(): 40, frozenset(["tea"]): 12, frozenset(["#N/A"]): 30} | {
        frozenset(["@home"]): 20,
        frozenset(["#N/A", "@home"]): 9,
    }
    with pytest.raises(InputError, match="line 2 is no pattern such as"):
        read_patterns(_as_file("1 2 #SUP: 20\n% 3 #SUP: 30\n"), format="spmf", n=40)


@pytest.mark.parametrize("name", ["arules.csv", "arules-2.csv", "arules.tsv", "arules.txt"])
def test_counts_and_shares_of_arules_must_agree_on_n(name):
    with pytest.raises(InputError, match=f"a count and a support that do not agree on {N + 1} rows"):
        read_patterns(PEERS / name, format="arules", n=N + 1)


def test_columns_of_mlxtend_without_names_are_numbers():
    found = read_patterns(PEERS / "mlxtend-numbers.csv", n=N)
    assert {frozenset(LABELS[item] for item in itemset): count for itemset, count in found} == dict(FREQUENT)


REPORTED = json.loads((PEERS / "pyfim.json").read_text("utf-8"))


@pytest.mark.parametrize("report", REPORTED)
def test_every_report_of_pyfim_gives_the_counts(report):
    assert dict(read_patterns(REPORTED[report], n=N)) == dict(FREQUENT)


def test_totals_where_supports_should_be_are_in_doubt():
    totals = [(tuple(itemset), N) for itemset, _ in FREQUENT if itemset]  # as pyfim has them for report="Q"
    lines = "".join(f"i{number} ({N})\n" for number in range(3))
    for found in (read_patterns(totals, n=N), read_patterns(_as_file(lines), format="borgelt", n=N)):
        assert "check that these are supports, not totals" in str(found.reading.doubts[0])
        assert audit(found, k=2).verdict == "REVIEW"
    assert read_patterns([((), N)]).reading is None


@pytest.mark.parametrize("report", REPORTED)
def test_borgelt_s_programs_print_the_same_values(report):
    rename = {label: f"i{code}" for code, label in enumerate(LABELS)}
    lines = []
    for items, *values in REPORTED[report]:
        printed = ", ".join(f"{value:.6g}" for value in (values[0] if isinstance(values[0], list) else values))
        lines.append(f"{' '.join(rename[item] for item in items)} ({printed})\n")
    found = read_patterns(_as_file("".join(lines)), format="borgelt", n=N)
    assert dict(found) == {frozenset(rename[item] for item in one): count for one, count in FREQUENT}


def _as_file(text):
    return BytesIO(text.encode())


@pytest.mark.parametrize(
    ("pairs", "n", "words"),
    [
        ([(["a"], 0.5), (["b"], 0.3)], 1000, "may be shares, percentages or something else"),
        ([(["a"], 0), (["b"], 0)], 10, "every support is 0"),
        ([(["a"], (3, 7)), (["b"], (4, 5))], 10, "may be shares, percentages or something else"),
        ([(["a"], ()), (["b"], ())], 10, "entry 1 is no itemset with its support"),
        ([(["a"], 3), (["b"], (4, 5))], 10, "entry 2 is no itemset with its support"),
        ([(["a"], 54.0)], 11, "that is no count of 11 rows"),
    ],
)
def test_numbers_that_may_be_other_counts_are_refused(pairs, n, words):
    with pytest.raises(InputError, match=words):
        read_patterns(pairs, n=n)


def test_without_n_counts_are_read_beside_shares_and_q_alone_is_not_one():
    assert read_patterns([((), 9, 1.0), (("a",), 3, 1 / 3)]).n == 9
    with pytest.raises(InputError, match="the supports are shares; say of how many rows with n="):
        read_patterns([(("a",), 1 / 3, 9), (("b",), 2 / 3, 9)])


def test_a_whole_percentage_among_others_is_no_count():
    found = read_patterns(_as_file("a (50)\nb (12.5)\n"), format="borgelt", n=8)
    assert dict(found) == {frozenset(): 8, frozenset("a"): 4, frozenset("b"): 1}


def test_rules_of_borgelt_are_no_patterns():
    with pytest.raises(InputError, match="this file lists rules"):
        read_patterns(_as_file("a <- b (12.5, 80)\n"), format="borgelt", n=8)


def _find_alone(column, n):
    try:
        return tuple(find_counts([column], n, "line"))
    except InputError:
        return None


@given(st.lists(st.integers(1, 50), min_size=1, max_size=4), st.integers(50, 10**6))
def test_counts_come_back_from_shares_and_percentages_or_are_refused(counts, n):
    shares = [[repr(count / n) for count in counts], [repr(count / n * 100) for count in counts]]
    assert tuple(find_counts(shares, n, "line")) == tuple(counts)
    for column in shares:
        assert _find_alone(column, n) in {tuple(counts), None}


def test_rules_of_arules_are_read_alike_from_both_of_its_formats():
    table, model = (read_rules(PEERS / f"arules-rules.{suffix}", n=N) for suffix in ("csv", "pmml"))
    assert {label for rule in table.rules for label in rule.antecedent | rule.consequent} <= {*LABELS}
    sides = [[(rule.antecedent, rule.consequent) for rule in one.rules] for one in (table, model)]
    assert sides[0] == sides[1]


def test_rules_are_no_patterns():
    with pytest.raises(InputError, match="this file lists rules; judge it with rules=True"):
        read_patterns(PEERS / "arules-rules.csv", n=N)


def test_rules_whose_labels_may_hold_commas_are_refused():
    data = 'rules,support,confidence\n"{milk, whole,rye} => {tea}",0.5,0.8\n'
    with pytest.raises(InputError, match="a comma has a blank beside it, so a label may hold it: write PMML"):
        read_rules(_as_file(data), format="csv", n=10)


def test_a_forest_of_r_is_judged_with_its_rows():
    with pytest.raises(InputError, match=r"no numbers of rows, .* or give the rows that it was fitted on with rows="):
        read_tree(PEERS / "randomForest.pmml")
    forest = read_tree(PEERS / "randomForest.pmml", rows=PEERS / "iris.csv")
    assert [sum(leaf.rows for leaf in tree.leaves) for tree in forest] == [150] * 3
    assert [leaf.rows for leaf in forest[0].leaves] == [47, 12, 45, 46]
    assert audit(forest, k=10).verdict == "WITHHOLD"
    assert audit(forest, k=2).verdict == "REVIEW"


WRITTEN = {
    "csv": ".csv",
    "csv by tabs": ".tsv",
    "mlxtend": ".csv",
    "mlxtend by tabs": ".tsv",
    "spmf": ".txt",
    "json": ".json",
}
WRITTEN |= {"pmml": ".pmml", "arules": ".csv", "arules by tabs": ".tab", "pami": ".txt", "parquet": ".parquet"}


@pytest.mark.parametrize("form", WRITTEN)
def test_labels_are_written_and_read_back_with_their_blanks(form, tmp_path):
    path, name = tmp_path / f"found{WRITTEN[form]}", form.partition(" ")[0]
    write_patterns(FREQUENT, path, format=name)
    assert read_patterns(path, n=N, min_support=LEAST) == FREQUENT
    assert form == "parquet" or (b"\t" in path.read_bytes()) == ("tabs" in form or form == "pami")


def test_labels_that_arules_cannot_tell_apart_are_not_written_as_its_table(tmp_path):
    for labels in (["x,y"], ["x ", "y"], ['x\\"', "y"]):
        with pytest.raises(OutputError, match="write PMML, which arules reads"):
            write_patterns(
                Patterns.from_itemsets([(labels, 2)], n=3, kind="maximal"), tmp_path / "a.csv", format="arules"
            )


FIELDS = "itemset,support\ntea,20\n{0},30\ntea;{0},10\n"
ALIKE = {
    "csv": FIELDS.format('"tea "'),
    "json": json.dumps({"n": 99, "patterns": [{"items": [one], "support": 20} for one in ("tea", "tea ")]}),
    "spmf": "@ITEM=1=tea\n@ITEM=2=tea \n1 #SUP: 20\n2 #SUP: 30\n",
    "pami": "tea:20\ntea :30\n",
}


@pytest.mark.parametrize("form", ALIKE)
def test_labels_that_differ_only_in_blanks_stay_apart_and_are_pointed_out(form):
    found = read_patterns(_as_file(ALIKE[form]), format=form, n=99)
    assert {"tea", "tea "} <= {*found.labels}
    assert "2 labels differ from one another only in blanks" in str(found.reading.doubts[0])
    assert audit(found, k=2).verdict == "REVIEW"


def test_labels_in_memory_that_differ_only_in_blanks_are_pointed_out_too():
    found = read_patterns([(["tea"], 20), (["tea "], 30)], n=99)
    assert "2 labels differ" in str(found.reading.doubts[0])
    assert read_patterns([(["tea"], 20), (["milk "], 30)], n=99, max_length=1).reading is None


words = st.sampled_from([["ab", "c", "de"], ["ab", "c", "a"], ["ab", "bc", "c", "d"]])
families = words.flatmap(lambda parts: st.lists(st.frozensets(st.sampled_from(parts), min_size=1), min_size=3))


@given(families, st.permutations("abcde"), st.sampled_from(["closed", "maximal"]))
def test_parts_are_one_label_only_if_the_same_rows_hold_them(groups, order, kind):
    """Lists of closed and maximal itemsets are split wrongly only where that does not matter."""
    rows = [frozenset("".join(group)) for group in groups]
    listed = [one for one in oracle.KINDS[kind](rows, 1, None) if one]
    found = split_joined([" ".join(sorted(one, key=order.index)) for one in listed], " ")
    for label in {label for labels in found or () for label in labels}:
        held = [{at for at, row in enumerate(rows) if part in row} for part in label.split()]
        assert all(one == other for one, other in combinations(held, 2))


def test_pyfim_itself_is_read():
    fim = pytest.importorskip("fim")
    for report in REPORTED:
        assert dict(read_patterns(fim.fpgrowth(ROWS, supp=-LEAST, report=report), n=N)) == dict(FREQUENT)
    totals = read_patterns(fim.fpgrowth(ROWS, supp=-LEAST, report="Q"), n=N)
    assert totals.reading.doubts
    for report in ("#", "=", "|"):
        with pytest.raises(InputError):
            read_patterns(fim.fpgrowth(ROWS, supp=-LEAST, report=report), n=N)


def test_mlxtend_itself_is_read_and_reads_what_we_write(tmp_path):
    pandas, mlxtend = pytest.importorskip("pandas"), pytest.importorskip("mlxtend.frequent_patterns")
    frame = pandas.DataFrame([{label: label in row for label in LABELS} for row in ROWS])
    found = mlxtend.fpgrowth(frame, min_support=LEAST / N, use_colnames=True)
    assert dict(read_patterns(found, n=N)) == dict(FREQUENT)
    path = tmp_path / "mlxtend.csv"
    write_patterns(FREQUENT, path, format="mlxtend")
    again = pandas.read_csv(path, converters={"itemsets": lambda text: eval(text, {})})  # noqa: S307 - as its users do
    assert {itemset: share for share, itemset in again.itertuples(index=False) if itemset} == {
        itemset: share for share, itemset in found[["support", "itemsets"]].itertuples(index=False)
    }


def test_pami_itself_is_read(tmp_path):
    pami = pytest.importorskip("PAMI.frequentPattern.basic.FPGrowth", exc_type=ImportError)
    rows, found = tmp_path / "rows.txt", tmp_path / "found.txt"
    rows.write_text("".join("\t".join(sorted(row)) + "\n" for row in STRIPPED), encoding="utf-8")
    miner = pami.FPGrowth(str(rows), LEAST)
    miner.mine()
    miner.save(str(found))
    assert dict(read_patterns(miner.getPatterns(), n=N)) == oracle.frequent(STRIPPED, LEAST)
    assert dict(read_patterns(found, n=N)) == oracle.frequent(STRIPPED, LEAST)


def test_arules_itself_reads_what_we_write(tmp_path):
    command = shutil.which("Rscript")
    packages = "quit(status = !all(sapply(c('arules', 'XML'), requireNamespace, quietly = TRUE)))"
    if command is None or subprocess.run([command, "-e", packages], capture_output=True, check=False).returncode:
        pytest.skip("R with arules and XML is not installed")
    source, target = tmp_path / "ours.pmml", tmp_path / "theirs.tsv"
    write_patterns(FREQUENT, source)
    script = [command, str(PEERS / "check.R"), str(source), str(target)]
    assert subprocess.run(script, capture_output=True, check=True, text=True).stdout == str(N)
    assert dict(read_patterns(target, n=N)) == dict(FREQUENT)
