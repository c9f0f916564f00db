"""Over Spark Connect all comes out as it does locally; frames that change are refused; errors are one sentence."""

import ast
import re
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from spark_session import CONNECT, MARKS, MIN_SUPPORT, ROWS, SWAPPED, THREADS, K, are_same, changing, frame_of

import discreet
import discreet.spark as far
from discreet import Merged, Transactions
from discreet.errors import BudgetError, InputError, OptionError
from discreet.report import audit_json

pytest.importorskip("grpc", reason="Spark Connect is in the extra spark: pip install '.[spark]'")

pytestmark = MARKS
MASTER = CONNECT + THREADS
CHANGED = "the frame held other rows when it was read again"

COMMONEST = [item for item, _ in Counter(item for row in ROWS for item in row).most_common(3)]
NAMES = dict(zip(COMMONEST, ["bread", "milk", "red wine"], strict=True))
GOODS = [sorted(NAMES.get(item, f"item {item}") for item in set(row)) for row in ROWS if row]


def as_lines(kind=str):
    """Return the rows with one item per line."""
    pairs = [(number, item) for number, row in enumerate(GOODS if kind is str else ROWS) for item in set(row)]
    return pa.table({"id": [float(row) for row, _ in pairs], "drug": [kind(item) for _, item in pairs]})


def as_flags():
    """Return the rows with one column per item: of doubles, of booleans, and of whole numbers."""
    items = sorted({item for row in GOODS for item in row})
    kinds = [pa.float64(), pa.bool_(), pa.int32()]
    columns = {
        item: pa.array([item in row for row in GOODS]).cast(kinds[at % 3], safe=False) for at, item in enumerate(items)
    }
    return pa.table({"id": list(range(len(GOODS))), **columns})


def in_bytes(audit):
    return b"".join(audit_json(audit))


def test_the_calls_of_the_documents_give_what_they_give_locally(spark):
    text = Path(__file__).parent.parent.joinpath("docs", "scale.md").read_text("utf-8")
    code = ast.parse(re.search(r"```python\n(.+?)```", text, re.DOTALL)[1])
    names = {
        "frame": frame_of(spark, GOODS).withColumnRenamed("row", "id"),
        "lines": spark.createDataFrame(as_lines()),
        "flags": spark.createDataFrame(as_flags()),
        "session": spark,
    }
    found = []
    for line in code.body:
        exec(compile(ast.Module([line], []), "scale.md", "exec"), names)  # noqa: S102 - the documents are ours
        found += [names[target.id] for target in getattr(line, "targets", [])]
    arrays, lines, flags, patterns, channels, grid, release, hidden, rows, baskets = found
    data = Transactions(GOODS)
    for audit in (arrays, lines, flags):
        assert in_bytes(audit) == in_bytes(discreet.audit(data, min_support="1%", k=10))
    assert are_same(patterns, discreet.mine(data, min_support="1%", kind="maximal"))
    assert channels == discreet.detect(patterns, k=10, rows=data)
    assert grid.safe == discreet.tradeoff(data, min_supports=["1%", "2%"], ks=[5, 10]).safe
    assert release.patterns == discreet.block(Merged.of(GOODS, 4), min_support="1%", k=10, method="suppress").patterns
    expected = discreet.hide(data, [["bread", "milk"]], method="iga")
    assert [frozenset(line["items"]) for line in hidden.frame.orderBy("row").collect()] == list(expected.transactions)
    assert rows.count() == data.support("bread & ~'red wine'")
    assert baskets.count() == 10_000


def test_rows_that_stay_in_the_executors_give_the_same_bytes(spark):
    found = far.audit(frame_of(spark, ROWS, "int32"), min_support=MIN_SUPPORT, k=K, budget=0)
    assert in_bytes(found) == in_bytes(discreet.audit(Transactions(ROWS), min_support=MIN_SUPPORT, k=K))


def test_items_and_ids_may_be_doubles(spark):
    table = as_lines(float)
    expected = in_bytes(discreet.audit(Transactions.from_long(table, row="id", item="drug"), min_support=9, k=K))
    lines = spark.createDataFrame(table)
    assert in_bytes(far.audit(lines, min_support=9, k=K, row="id", item="drug")) == expected
    arrays = spark.createDataFrame([(1, [0.0, 2.5]), (2, [-0.0, 2.0])], "row int, items array<float>")
    assert dict(far.mine(arrays, min_support=2)) == {frozenset({0.0}): 2}
    for wanted in ("2.5", [2.5]):
        assert [line["row"] for line in far.query(arrays, wanted, row="row").collect()] == [1]


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([(1.0, 2.0)], "tea double, milk double"),
        ([(1, None)], "tea int, milk int"),
        ([(float("nan"), True)], "tea float, milk boolean"),
    ],
)
def test_columns_of_items_hold_0_and_1_only(spark, rows, kind):
    with pytest.raises(InputError, match="the frame holds 1 missing values, or rows with other values than 0 and 1"):
        far.mine(spark.createDataFrame(rows, kind), min_support=1)


def test_other_columns_are_no_items(spark):
    with pytest.raises(OptionError, match="0 columns of arrays"):
        far.mine(spark.createDataFrame([(1, "f")], "tea int, sex string"), min_support=1)


def test_a_frame_whose_counts_stay_and_whose_rows_change_is_refused(spark, tmp_path):
    with pytest.raises(InputError, match=CHANGED):
        far.mine(changing(spark, tmp_path, after=1, later=SWAPPED), min_support=1)


@pytest.mark.parametrize("after", range(1, 4))
def test_hidden_rows_are_the_ones_that_were_counted(spark, tmp_path, after):
    frame = changing(spark, tmp_path, after=after, later=SWAPPED)
    with pytest.raises(InputError, match=CHANGED):
        far.hide(frame, [["a", "b"]], row="row")


def test_hidden_rows_are_not_computed_again(spark, tmp_path):
    hidden = far.hide(changing(spark, tmp_path, after=99, later=[]), [["a", "b"]], row="row").frame
    read = len(list(tmp_path.iterdir()))
    assert sorted(map(len, hidden.toArrow().column("items").to_pylist())) == [1, 2]
    assert len(list(tmp_path.iterdir())) == read


def test_an_error_of_spark_is_one_sentence_without_values(spark, capfd):
    frame = spark.createDataFrame([(1, "secret")], "id int, drug string")
    with pytest.raises(InputError, match=r"^Spark could not compute the rows \(CAST_INVALID_INPUT\); check [^\n]+$"):
        far.mine(frame.selectExpr("id", "cast(drug as int) as drug"), min_support=1, row="id", item="drug")
    with pytest.raises(InputError, match=r"^Spark could not compute the rows \(UNRESOLVED_COLUMN[.A-Z_]+\); [^\n]+$"):
        far.mine(frame.select("secret"), min_support=1)
    assert "secret" not in capfd.readouterr().err  # Spark logs its own words, too


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (BudgetError("too many rows; take fewer"), BudgetError, "too many rows; take fewer"),
        (ValueError("secret"), InputError, r"Spark could not compute the rows \(\w+\); [^\n]+"),
        (ImportError("No module named 'discreet'"), InputError, "discreet is not installed where Spark runs Python"),
    ],
)
def test_an_error_of_an_executor_is_one_sentence(spark, error, kind, sentence):
    def fail(_batches):
        raise error

    frame = spark.range(1).mapInArrow(fail, "items array<string>")
    with pytest.raises(kind, match=sentence) as caught:
        far.mine(frame, min_support=1)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
