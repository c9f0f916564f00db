"""A table of bad inputs: each ends in one sentence that says what came and what to do, and holds no label."""

import gzip
import lzma
from io import BytesIO
from itertools import product

import oracle
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet import (
    BudgetError,
    DiscreetError,
    InconsistencyError,
    InputError,
    OptionError,
    OutputError,
    Patterns,
    ThresholdError,
    Transactions,
)
from discreet.cli import main

zstandard = pytest.importorskip("zstandard")

ROWS = b"1 2 3\n" * 1000
SECRET = "secret"  # noqa: S105 - a label that no message may hold

FILES = {
    "empty": ("rows.dat", b"", "the file is empty; an export has probably failed: write it again"),
    "empty, packed": ("rows.dat.gz", gzip.compress(b""), "the file is empty; an export has probably failed"),
    "binary junk": (
        "rows.dat",
        bytes(range(256)),
        "this is not a text table. Is it a zip file or a spreadsheet? Export it as CSV",
    ),
    "packed, but not by name": ("rows.dat", gzip.compress(ROWS)[:-9], "the gzip data is broken or cut short"),
    "a word": (
        "rows.dat",
        b"1 2\n3 secret\n",
        "line 2 holds something that is no whole number; items are whole numbers",
    ),
    "a word after a number": ("rows.dat", b"1 2secret\n1 2\n", "line 1 holds something that is no whole number"),
    "a decimal": ("rows.dat", b"1 2.5\n", "line 1 holds something that is no whole number"),
    "a negative item": (
        "rows.dat",
        b"1\n\n2 -3\n",
        "line 3 holds a negative number; items are whole numbers from 0 to",
    ),
    "a lonely minus": ("rows.dat", b"1 - 3\n", "line 1 holds something that is no whole number"),
    "an item above 2^31 - 1": ("rows.dat", b"2147483648\n", "line 1 holds a number above 2147483647; items are whole"),
    "an item of 30 digits": ("rows.dat", b"1\n" + b"9" * 30, "line 2 holds a number above 2147483647; items are whole"),
    "10^6 numbers in a line": (
        "rows.dat",
        b" ".join(b"%d" % item for item in range(10**6)),
        "the first 1 MB are fewer than 10 lines, which is too little to go by; say what is meant: format='fimi'",
    ),
    "150,000 items in a line": (
        "rows.dat",
        b" ".join(b"%d" % item for item in range(150_000)),
        "row 1 holds 150,000 items; at most 100,000 are allowed: check the line ends",
    ),
    "10^6 fields in a line": (
        "rows.csv",
        b",".join(b"%d" % item for item in range(10**6)),
        "the first 1 MB are fewer than 10 lines, which is too little to go by; say what is meant: format='onehot'",
    ),
    "carriage returns alone": ("rows.dat", b"1 2\r3 4\r", "line 1 holds a carriage return that ends no line; save the"),
    "a NUL byte": ("rows.dat", b"1 2\n3 \x00 4\n", "line 2 holds a byte that is no text"),
    "a NUL byte in CSV": (
        "rows.csv",
        b"secret\na\x00b\n",
        "this is not a text table. Is it a zip file or a spreadsheet? Export it as CSV",
    ),
    "a NUL byte in SPMF": ("rows.txt", b"@ITEM=1=\x00\n1\n", "line 1 holds a NUL byte"),
    "broken gzip": ("rows.dat.gz", b"1 2 3\n", "the gzip data is broken or cut short; copy or compress the file again"),
    "truncated gzip": ("rows.dat.gz", gzip.compress(ROWS)[:-10], "the gzip data is broken or cut short"),
    "gzip with a wrong sum": (
        "rows.dat.gz",
        gzip.compress(ROWS)[:-8] + bytes(8),
        "the gzip data is broken or cut short",
    ),
    "broken xz": ("rows.dat.xz", b"1 2 3\n", "the xz data is broken or cut short; copy or compress the file again"),
    "truncated xz": ("rows.dat.xz", lzma.compress(ROWS)[:-10], "the xz data is broken or cut short"),
    "broken zst": ("rows.dat.zst", b"1 2 3\n", "the zstd data is broken or cut short; copy or compress the file again"),
    "truncated zst": ("rows.dat.zst", zstandard.compress(ROWS)[:-3], "the zstd data is broken or cut short"),
    "a NUL byte far down": ("rows.csv", b"a,b\nb\n" * 300_000 + b"secret\0\n", "line 600001 holds a NUL byte"),
    "no text": ("rows.csv", b"a\nsecr\x81t\n", "this text is neither in UTF-8 nor in Windows-1252; save the file"),
    "not UTF-8 far down": (
        "rows.csv",
        b"a,b\nb\n" * 300_000 + b"secr\xe9t\n",
        "line 600001 is not UTF-8; save the file as UTF-8, or name its encoding with encoding=",
    ),
    "UTF-16 without a mark": ("rows.csv", "a,b\nsecret\n".encode("utf-16-le"), "this looks like UTF-16 without a"),
    "a quote that does not end": ("rows.csv", b'a\n"secret\n', "line 2 has a quote that does not end"),
    "text after a quote": ("rows.csv", b'"secret"a\n', "line 1 has a quote that does not end, text after a quote"),
    "a giant field": (
        "rows.csv",
        b"x" * 200_000,
        "line 1 has a quote that does not end, text after a quote, or a field of",
    ),
    "an item without a name": (
        "rows.txt",
        b"@ITEM=1=secret\n1 2 3\n",
        "2 of 3 items have no @ITEM line, though others",
    ),
    "a name given twice": ("rows.txt", b"@ITEM=1=secret\n@ITEM=2=secret\n1 2\n", "two @ITEM lines give the same label"),
    "an item named twice": ("rows.txt", b"@ITEM=1=secret\n@ITEM=1=b\n1\n", "line 2 must name a number once"),
    "a name without a number": (
        "rows.txt",
        b"@ITEM=secret\n1\n",
        "line 1 must name a number once, such as @ITEM=1=apple",
    ),
    "no Parquet": ("rows.parquet", b"secret" * 10, "this is no Parquet file, or a damaged one; check its format"),
}


@pytest.mark.parametrize(("name", "data", "sentence"), FILES.values(), ids=FILES)
def test_a_bad_file_is_refused_in_a_sentence(tmp_path, name, data, sentence):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        discreet.read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: {sentence}")
    assert caught.value.exit_code == 2
    assert SECRET not in message
    assert "\n" not in message


PATTERNS = {
    "empty": ("p.json", b"", "the file is empty"),
    "no JSON": ("p.json", b'{"n": secret', "this is no JSON (line 1 breaks its rules); mend it"),
    "JSON of something else": ("p.json", b'["secret"]', "the JSON holds no patterns; it must look like"),
    "deep JSON": ("p.json", b"[" * 100_000, "the JSON is nested too deeply"),
    "a wrong n": (
        "p.json",
        b'{"n": "3", "patterns": []}',
        "the source says that its patterns were mined in a way that cannot be",
    ),
    "a negative n": (
        "p.json",
        b'{"n": -3, "patterns": []}',
        "the source says that its patterns were mined in a way that cannot be; n must be",
    ),
    "a wrong pattern": (
        "p.json",
        b'{"n": 3, "patterns": [{"items": "secret", "support": 1}]}',
        "pattern 1 of the JSON",
    ),
    "a share for a support": (
        "p.json",
        b'{"n": 3, "patterns": [{"items": [], "support": 0.5}]}',
        "pattern 1 of the JSON",
    ),
    "a support above n": (
        "p.json",
        b'{"n": 3, "patterns": [{"items": ["secret"], "support": 4}]}',
        "an itemset of 1 item",
    ),
    "a huge support": (
        "p.json",
        b'{"n": 3, "patterns": [{"items": [], "support": 99999999999999999999}]}',
        "an itemset has",
    ),
    "no JSON number": (
        "p.json",
        b'{"n": NaN, "patterns": []}',
        "the source says that its patterns were mined in a way",
    ),
    "no header": ("p.csv", b"secret,3\n", "the first line must be the header itemset,support"),
    "a field too many": ("p.csv", b"itemset,support\nsecret,3,4\n", "pattern 1 has 3 fields; it must have 2"),
    "a share in CSV": ("p.csv", b"itemset,support\nsecret,0.5\n", "pattern 1 has a support that is no count"),
    "a quote in a cell": ("p.csv", b'itemset,support\n"""secret",5\n', "pattern 1 has a quote that does not end"),
    "no n": (
        "p.csv",
        b"itemset,support\nsecret,5\n",
        "the source does not say of how many rows these are patterns; say it",
    ),
    "no n, in Borgelt's": ("p.out", b"secret (3)\n", "the source does not say of how many rows these are patterns"),
    "no support": ("p.out", b"secret\n", "line 1 is no pattern such as 'a b c (12)'"),
    "percent without n": ("p.out", b"secret (12.5)\n", "the supports are shares; say of how many rows with n="),
    "listed twice": ("p.out", b"(9)\nsecret (3)\nsecret (4)\n", "an itemset of 1 item is listed twice"),
    "words beside names in SPMF": (
        "p.txt",
        b"@ITEM=1=a\nsecret #SUP: 3\n",
        "line 2 is no pattern such as '1 2 3 #SUP: 4'; name items by lines",
    ),
    "no support in SPMF": ("p.txt", b"1 2 3\n", "line 1 is no pattern such as '1 2 3 #SUP: 4'"),
    "a wrong n in SPMF": ("p.txt", b"@N=many\n1 #SUP: 3\n", "the line @N= has a support that is no count"),
    "no Parquet": ("p.parquet", b"secret" * 10, "this is no Parquet file, or a damaged one"),
}


@pytest.mark.parametrize(("name", "data", "sentence"), PATTERNS.values(), ids=PATTERNS)
def test_a_bad_file_of_patterns_is_refused_in_a_sentence(tmp_path, name, data, sentence):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        discreet.read_patterns(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: {sentence}")
    assert caught.value.exit_code == 2
    assert SECRET not in message
    assert "\n" not in message


def read_bytes(data=b"1", **options):
    return discreet.read(BytesIO(data), **options)


LONG = b"who,what\n1,secret\n"
MINED = Transactions([["secret"], ["secret", "b"]])
CLOSED, MAXIMAL = (discreet.mine(MINED, min_support=1, kind=kind) for kind in ("closed", "maximal"))

CALLS = {
    "missing file": (
        lambda at: discreet.read(at / "no.dat"),
        InputError,
        "no.dat: there is no such file; check its name",
    ),
    "directory": (lambda at: discreet.read(at, format="fimi"), InputError, "this is a directory; give a file in it"),
    "no file name": (
        lambda _: discreet.read("a\0.dat"),
        InputError,
        "the file cannot be read (its name is no file name)",
    ),
    "a file in a file": (
        lambda at: discreet.read(file_in(at) / "a.dat"),
        InputError,
        "the file cannot be read (Not a dir",
    ),
    "unknown format": (
        lambda _: read_bytes(format="arff"),
        OptionError,
        "format is 'arff'; rows can be in one of fimi, spmf",
    ),
    "a format of patterns": (
        lambda _: read_bytes(format="json"),
        OptionError,
        "format is 'json'; rows can be in one of",
    ),
    "unknown suffix": (
        lambda at: discreet.write([[1]], at / "file.xyz"),
        OptionError,
        "the suffix '.xyz' is of no format of rows; name",
    ),
    "no suffix": (
        lambda _: discreet.write([[1]], "-"),
        OptionError,
        "there is no suffix that shows the format of rows; name one with format=:",
    ),
    "no file, and an unknown suffix": (
        lambda at: discreet.read(at / "a.xls"),
        InputError,
        "a.xls: there is no such file; check its name",
    ),
    "a directory, which tells no format": (
        discreet.read_patterns,
        InputError,
        "this is a directory; give a file in it",
    ),
    "unknown suffix of patterns": (
        lambda at: discreet.read_patterns(file_in(at, "file.dat")),
        OptionError,
        "is of no format of patterns",
    ),
    "missing column": (
        lambda _: read_bytes(LONG, format="csv", row="whom", item="what"),
        InputError,
        "none of the 2 columns is called 'whom'; did you mean 'who'?",
    ),
    "an empty field in long form": (
        lambda _: read_bytes(LONG + b"2,\n", format="csv", row="who", item="what"),
        InputError,
        "record 3 has no row id or no item; leave such lines out, or fill them",
    ),
    "a ragged line in long form": (
        lambda _: read_bytes(LONG + b"2,secret,3\n", format="csv", row="who", item="what"),
        InputError,
        "this is no CSV table with as many fields in each line as in the header",
    ),
    "text for rows": (
        lambda _: discreet.read(["secret"]),
        OptionError,
        "several files are joined by their row ids; name the columns with row= and item=",
    ),
    "text among rows": (
        lambda _: discreet.read([["a"], "secret"]),
        InputError,
        "row 2 is of type str; a row is a collection of items",
    ),
    "a row of missing values": (lambda _: discreet.read([[None]]), InputError, "the rows hold missing values"),
    "min support 0": (
        lambda _: discreet.mine(MINED, min_support=0),
        ThresholdError,
        "min support is the count 0; a count",
    ),
    "min support 1.5": (
        lambda _: discreet.mine(MINED, min_support=1.5),
        ThresholdError,
        "min support is 1.5; as a share",
    ),
    "min support abc": (
        lambda _: discreet.mine(MINED, min_support="abc"),
        ThresholdError,
        "min support is 'abc', which is no",
    ),
    "min support NaN": (
        lambda _: discreet.mine(MINED, min_support=float("nan")),
        ThresholdError,
        "min support is 'nan'",
    ),
    "min support 10**20": (
        lambda _: discreet.mine(MINED, min_support=10**20),
        ThresholdError,
        "min support is the count 1000",
    ),
    "unknown kind": (
        lambda _: discreet.mine(MINED, min_support=1, kind="free"),
        OptionError,
        "kind is 'free'; it must be one",
    ),
    "unknown kind of patterns": (
        lambda _: discreet.read_patterns([(["secret"], 1)], n=2, kind="free"),
        OptionError,
        "kind is 'free'; it must be one of frequent, closed, maximal",
    ),
    "a wrong n": (
        lambda _: discreet.read_patterns([(["secret"], 1)], n=2.5),
        InputError,
        "n must be a number of rows, a",
    ),
    "output in a folder that is not there": (
        lambda at: discreet.write(MINED, at / "no" / "rows.csv"),
        OutputError,
        "cannot be written (No such file or directory); give a file in a folder where you may write",
    ),
    "output in a file": (
        lambda at: discreet.write(MINED, file_in(at) / "rows.csv"),
        OutputError,
        "cannot be written (Not a",
    ),
    "output is a directory": (
        lambda at: discreet.write(MINED, at, format="csv"),
        OutputError,
        "is a directory; give the name of a file",
    ),
    "output of an unknown format": (
        lambda at: discreet.write(MINED, at / "a.doc"),
        OptionError,
        "the suffix '.doc' is of no",
    ),
    "patterns to a directory": (
        lambda at: discreet.write_patterns(Patterns.from_itemsets([], n=1), at, format="json"),
        OutputError,
        "is a directory; give the name of a file",
    ),
    "k 0": (
        lambda _: discreet.detect(CLOSED, k=0),
        ThresholdError,
        "k is '0'; give a whole number from 1 on, such as 10",
    ),
    "k of a word": (lambda _: discreet.detect(CLOSED, k="ten"), ThresholdError, "k is 'ten'; give a whole number"),
    "k as a share": (lambda _: discreet.detect(CLOSED, k=0.1), ThresholdError, "k is '0.1'; give a whole number"),
    "k that is true": (lambda _: discreet.detect(CLOSED, k=True), ThresholdError, "k is 'True'; give a whole number"),
    "an unknown method": (
        lambda _: discreet.detect(CLOSED, k=2, method="quick" * 9),
        OptionError,
        "it must be one of auto, naive, closed, projection",
    ),
    "projection without rows": (
        lambda _: discreet.detect(CLOSED, k=2, method="projection"),
        OptionError,
        "method 'projection' counts rows; give them with rows=, or use method='auto'",
    ),
    "maximal itemsets for sums": (
        lambda _: discreet.detect(MAXIMAL, k=2, rows=MINED, method="naive"),
        OptionError,
        "method 'naive' adds supports, and maximal itemsets have too few; give closed or frequent ones",
    ),
    "maximal itemsets without rows": (
        lambda _: discreet.detect(MAXIMAL, k=2),
        InputError,
        "maximal itemsets do not tell the supports of their subsets; give the rows as well",
    ),
    "rows of another number": (
        lambda _: discreet.detect(CLOSED, k=2, rows=Transactions([["secret"]])),
        InputError,
        "the patterns are about 2 rows, but 1 were given; give the rows that the patterns were mined from",
    ),
    "rows of other items": (
        lambda _: discreet.detect(CLOSED, k=2, rows=Transactions([["secret"], []])),
        InputError,
        "another support in the rows than in the patterns; give the rows that they were mined from",
    ),
    "sums that do not end": (
        lambda _: discreet.detect(discreet.mine([range(26)], min_support=1), k=2, method="closed"),
        BudgetError,
        "method 'closed' adds 2 ** 26 supports for an itemset of 26 items",
    ),
    "a missing subset": (
        lambda _: discreet.detect(Patterns.from_itemsets([(["secret", "b"], 1)], n=2), k=2),
        InconsistencyError,
        "an itemset of 2 items is listed, but not all of its subsets: this is no list of all frequent itemsets; list",
    ),
    "a rising support": (
        lambda _: discreet.detect(
            Patterns.from_itemsets([([], 3), (["secret"], 1), (["b"], 2), (["secret", "b"], 2)], n=3), k=2
        ),
        InconsistencyError,
        "an itemset of 2 items has a larger support than one of its subsets; no rows can have both",
    ),
    "fewer than no rows": (
        lambda _: discreet.detect(
            Patterns.from_itemsets([([], 3), (["secret"], 2), (["b"], 2), (["secret", "b"], 0)], n=3), k=2
        ),
        InconsistencyError,
        "the supports say that -1 rows hold 0 items of an itemset and no other of it; no rows can have them",
    ),
    "an audit by nothing": (
        lambda _: discreet.audit(MINED, min_support=1),
        ThresholdError,
        "neither k nor a policy is given; give k, or a policy",
    ),
    "an audit of rows at no support": (
        lambda _: discreet.audit(MINED, k=2),
        ThresholdError,
        "min_support= is missing; give the least support of what would be published, such as '10%'",
    ),
    "rows given twice": (
        lambda _: discreet.audit(MINED, min_support=1, k=2, rows=MINED),
        OptionError,
        "rows are given twice; give rows= only with patterns",
    ),
    "a support for what is mined already": (
        lambda _: discreet.audit(CLOSED, min_support=1, k=2),
        OptionError,
        "patterns were mined already; leave min_support= and limits on mining out",
    ),
    "a limit for what is mined already": (
        lambda _: discreet.audit(CLOSED, k=2, threads=1),
        OptionError,
        "patterns were mined already; leave",
    ),
    "an unknown policy": (
        lambda _: discreet.audit(CLOSED, policy="none"),
        OptionError,
        "policy is 'none'; give one of abs, acro,",
    ),
    "k below that of the policy": (
        lambda _: discreet.audit(CLOSED, policy="acro", k=5),
        ThresholdError,
        "k is 5, but the policy acro asks for 10; leave k out, give at least as much",
    ),
    "too many patterns": (
        lambda _: discreet.audit(MINED, min_support=1, k=2, max_patterns=1),
        BudgetError,
        "1",
    ),
    "a share that is no count": (
        lambda _: discreet.audit(
            discreet.read_patterns(pl.DataFrame({"support": [0.3], "itemsets": [["secret"]]}), n=7), k=2
        ),
        InputError,
        "itemset 1 has support 0.3, which is no count of 7 rows; give the n that was mined, or a column of counts",
    ),
    "an n that is too small": (
        lambda _: discreet.audit(discreet.read_patterns([(["secret"], 9)], n=7), k=2),
        InputError,
        "an itemset of 1 item has support 9 of 7 rows; a support lies between 0 and n",
    ),
    "a trade-off of nothing": (
        lambda _: discreet.tradeoff(MINED, min_supports=[], ks=[2]),
        ThresholdError,
        "there is nothing to compare; give at least one minimum support and one k",
    ),
    "a trade-off for no k": (
        lambda _: discreet.tradeoff(MINED, min_supports=[1], ks=[0]),
        ThresholdError,
        "k is '0'; give a whole number from 1 on",
    ),
    "a trade-off at no support": (
        lambda _: discreet.tradeoff(MINED, min_supports=["150%"], ks=[2]),
        ThresholdError,
        "min support is 150%; as a share it must be above 0 and at most 1",
    ),
}


def file_in(folder, name="file"):
    path = folder / name
    path.write_bytes(b"1")
    return path


@pytest.mark.parametrize(("call", "error", "sentence"), CALLS.values(), ids=CALLS)
def test_a_bad_call_is_refused_in_a_sentence_and_leaves_nothing(tmp_path, call, error, sentence):
    with pytest.raises(DiscreetError) as caught:
        call(tmp_path)
    message = str(caught.value)
    assert type(caught.value) is error
    assert sentence in message
    assert caught.value.exit_code == 2
    assert SECRET not in message
    assert [path.name for path in tmp_path.iterdir() if path.stem != "file"] == []


def test_no_rows_are_legal_where_they_are_meant():
    assert len(Transactions([])) == 0
    assert list(discreet.read(BytesIO(b"\n"), format="fimi", empty_rows=True)) == [frozenset()]


EXTREMES = [
    *(
        "1e999999999",
        "1e-999999999",
        "1E+400",
        "-1e5",
        "1e16",
        "1e-30",
        "nan",
        "inf",
        "-0",
        "+7",
        "1_000",
        "٣",
        "½",
        "1/3",
    ),
    *("0", "5", "50%", "9" * 16, str(2**53), str(2**53 + 1), str(2**62), str(2**63 - 1), str(2**63), str(2**64)),
    *("9" * 41, "9" * 5000, f"0.{'0' * 5000}1", "0." + "9" * 30, "1e" + "9" * 5000, "", "7.0", "7.5", " 7 "),
]

FRAME = "antecedents,consequents,support,confidence,lift\n\"frozenset({{'a'}})\",\"frozenset({{'b'}})\",{},{},{}\n"

NUMBERS = {
    "SPMF items": ("patterns", "spmf", "{} #SUP: {}\n"),
    "SPMF names": ("patterns", "spmf", "@ITEM={}=a\n@N={}\n1 #SUP: 5\n"),
    "SPMF thresholds": ("patterns", "spmf", "@N={}\n@MIN_SUPPORT={}\n1 #SUP: 5\n"),
    "Borgelt": ("patterns", "borgelt", "a b ({})\na ({})\n"),
    "CSV": ("patterns", "csv", "itemset,support\na,{}\na;b,{}\n"),
    "JSON": ("patterns", "json", '{{"n": {}, "patterns": [{{"items": ["a"], "support": {}}}]}}'),
    "JSON items": ("patterns", "json", '{{"n": 9, "patterns": [{{"items": [{}, {}], "support": 5}}]}}'),
    "SPMF rules": ("rules", "spmf", "1 ==> 2 #SUP: {} #CONF: {}\n1 ==> 3 #SUP: 5 #CONF: 0.5\n"),
    "SPMF sides": ("rules", "spmf", "1 {} ==> 2 {} #SUP: 5 #CONF: 0.5\n"),
    "arules": ("rules", "csv", 'rules,support,confidence,count\n"{{a}} => {{b}}",{},{},{}\n'),
    "mlxtend": ("rules", "csv", FRAME),
    "PMML rules": (
        "rules",
        "pmml",
        (
            '<PMML><AssociationModel numberOfTransactions="{}"><Item id="1" value="a"/><Item id="2" value="b"/>'
            '<Itemset id="1" support="{}"><ItemRef itemRef="1"/></Itemset><Itemset id="2"><ItemRef itemRef="2"/>'
            '</Itemset><AssociationRule antecedent="1" consequent="2" support="0.5" confidence="{}" lift="{}"/>'
            "</AssociationModel></PMML>"
        ),
    ),
    "shares": ("facts", "csv", "itemset,support\na,{}\na;b,{}\n"),
    "a drawn tree": (
        "tree",
        "dot",
        (
            'digraph Tree {{\n0 [label="age <= {}\\nsamples = {}\\nvalue = [{}, 5]"] ;\n'
            '1 [label="samples = 5\\nvalue = [5, 0]"] ;\n0 -> 1 ;\n2 [label="samples = 5\\nvalue = [0, 5]"] ;\n'
            "0 -> 2 ;\n}}\n"
        ),
    ),
    "a printed tree": (
        "tree",
        "text",
        "|--- a <= {}\n|   |--- weights: [{}, 5] class: x\n|--- a >  {}\n|   |--- weights: [{}, 5] class: y\n",
    ),
    "a tree in JSON": ("tree", "json", '{{"leaves": [{{"rows": {}, "counts": {{"a": {}}}, "box": {{}}}}]}}'),
    "rules in JSON": ("tree", "json", '{{"rules": [{{"counts": {{"a": {}, "b": {}}}}}, {{"counts": {{"a": {}}}}}]}}'),
    "a tree in PMML": (
        "tree",
        "pmml",
        (
            '<PMML><TreeModel><Node recordCount="{}"><True/><ScoreDistribution value="a" recordCount="{}"/></Node>'
            "</TreeModel></PMML>"
        ),
    ),
}
"""What is read, the format, and a file with places for numbers."""

READ = {
    "patterns": (discreet.read_patterns, []),
    "rules": (discreet.read_rules, ["--rules"]),
    "facts": (lambda *of, **told: discreet.read_facts(*of, rounding="round", **told), ["--rounding", "round"]),
    "tree": (discreet.read_tree, ["--tree"]),
}


def check_numbers(name, numbers, n):
    """Read a file with these numbers and judge it: nothing but our errors comes of it, and supports are exact."""
    what, form, text = NUMBERS[name]
    data = text.format(*numbers).encode()
    try:
        value = READ[what][0](BytesIO(data), format=form, n=n)
        discreet.audit(value, k=3)
    except DiscreetError:
        return
    listed = value if what == "patterns" else Patterns.from_itemsets([], n=0)
    assert listed.n <= 2**53
    assert all(str(support).encode() in data or form == "borgelt" or support == n for _, support in listed)


@pytest.mark.parametrize("name", NUMBERS)
def test_each_number_beyond_measure_is_exact_or_refused(name):
    for place, number in product(range(NUMBERS[name][2].count("{}")), EXTREMES):
        numbers = ["5"] * 4
        numbers[place] = number
        check_numbers(name, numbers, 9)


@given(
    st.sampled_from(sorted(NUMBERS)),
    st.lists(st.sampled_from(EXTREMES), min_size=4, max_size=4),
    st.sampled_from([None, None, 9, 2**33, 2**53, 2**53 + 1, 2**63, 10**400, 10**5000]),
)
def test_numbers_beyond_measure_are_exact_or_refused(name, numbers, n):
    check_numbers(name, numbers, n)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("number", ["1e999999999", "9" * 5000], ids=["exponent", "digits"])
def test_numbers_beyond_measure_end_in_exit_code_2(tmp_path, name, number):
    what, form, text = NUMBERS[name]
    path = tmp_path / "file"
    path.write_text(text.format(*[number] * 4), encoding="utf-8")
    result = CliRunner().invoke(main, ["audit", str(path), "-k", "3", "--format", form, "--n", "9", *READ[what][1]])
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("number", ["1e999999999", "9" * 5000, "1e-999999999%"], ids=["power", "digits", "percent"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["mine", "{file}", "--min-support", "{number}"],
        ["audit", "{file}", "-k", "3", "--min-support", "{number}"],
        ["audit", "{file}", "--min-support", "1", "-k", "{number}"],
        ["audit", "{file}", "--min-support", "1", "-k", "3", "--memory", "{number}GB"],
        ["tradeoff", "{file}", "-k", "{number}"],
        ["tradeoff", "{file}", "--min-support", "{number}"],
        ["audit", "{file}", "-k", "3", "--rules", "--format", "spmf", "--min-confidence", "{number}"],
        ["hide", "{file}", "--sensitive", "1", "--disclosure", "{number}", "--out", "{file}.out"],
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[-2]}",
)
def test_an_option_beyond_measure_ends_in_exit_code_2(tmp_path, arguments, number):
    path = tmp_path / "rows.dat"
    path.write_bytes(b"1 2\n" * 9)
    result = CliRunner().invoke(main, [text.format(file=path, number=number) for text in arguments])
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("count", [2.5, float("nan"), 2.0**60, "5", None, 2**53 + 1], ids=repr)
def test_a_frame_of_counts_that_are_none_is_refused(count):
    frame = pl.DataFrame({"count": [count], "itemsets": [["a"]]})
    with pytest.raises(InputError, match="supports are whole numbers of rows from 0 to 9007199254740992"):
        discreet.read_patterns(frame, n=9)


def test_shares_of_more_rows_than_floats_tell_apart_are_refused():
    frame = pl.DataFrame({"support": [0.5], "itemsets": [["a"]]})
    with pytest.raises(InputError, match="floats tell counts of up to 8589934592 rows: give a column of counts"):
        discreet.read_patterns(frame, n=2**53)


@pytest.mark.parametrize(
    "number", [-1, 2**53 + 1, 2**63, 10**5000, 2.5], ids=lambda number: f"{float(min(number, 1e30)):g}"
)
def test_limits_that_are_no_counts_are_refused(number):
    for limits, n in (((5, number), 9), ((number, 9), 9), ((5, 9), number)):
        with pytest.raises(InputError, match="these are whole numbers of rows from 0 to 9007199254740992"):
            discreet.Facts.from_limits([(["a"], *limits)], n=n)


def test_a_small_confidence_beside_a_large_support_is_judged():
    rules = discreet.read_rules(BytesIO(b"1 ==> 2 #SUP: 9007199254740992 #CONF: 1e-30\n"), format="spmf")
    assert discreet.audit(rules, k=3).verdict is discreet.Verdict.WITHHOLD


@given(
    st.lists(st.sampled_from([0, 1, 2, 5, 2**49, 2**50 - 1, 2**50]), min_size=8, max_size=8),
    st.sampled_from(["frequent", "closed"]),
    st.integers(2, 4),
)
def test_supports_near_the_largest_are_added_up_exactly(weights, kind, k):
    kinds = dict(zip(map(frozenset, oracle.subsets("abc")), weights, strict=True))
    held = {one: sum(many for row, many in kinds.items() if one <= row) for one in kinds}
    listed = {one: many for one, many in held.items() if many >= 2**49}
    small = any(
        0 < sum(many for row, many in kinds.items() if row & top == base) < k
        for top in listed
        for base in oracle.subsets(top)
    )
    if kind == "closed":
        listed = {one: many for one, many in listed.items() if not any(one < top and held[top] == many for top in held)}
    found = discreet.audit(Patterns.from_itemsets(listed.items(), n=sum(weights), min_support=2**49, kind=kind), k=k)
    assert bool(found.channels) == small
