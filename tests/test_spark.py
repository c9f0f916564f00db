"""On Spark all comes out as it does locally, to the byte: on the driver, and where rows stay in the executors."""

import os
import secrets
import subprocess
import sys

import numpy as np
import oracle
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from spark_session import MARKS, MIN_SUPPORT, ROWS, SWAPPED, THREADS, K, are_same, changing, frame_of, named
from strategies import databases, detected_databases, lengths, mined_databases

import discreet
import discreet.spark as far
from discreet import Merged, Patterns, Transactions, kernels
from discreet.data.itemsets import Weighted
from discreet.errors import BudgetError, InputError, OptionError, ThresholdError
from discreet.io import datasets
from discreet.judging.policy import Policy
from discreet.mining.search import find_root, plan_jobs
from discreet.report import audit_json, exposed_csv
from discreet.runtime import resources
from discreet.spark import frames, shards
from discreet.spark.failures import in_one_sentence
from discreet.spark.merged import Part, merge_frame, read_parts, write_parts

pytestmark = MARKS
MASTER = THREADS
few = settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
BUDGETS = pytest.mark.parametrize("budget", [None, 0], ids=["driver", "executors"])


@pytest.fixture(scope="module")
def frame(spark):
    return frame_of(spark, ROWS, "int32").cache()


def are_same_channels(left, right):
    pairs = [(left.cells.tops, right.cells.tops), (left.cells.counts, right.cells.counts)]
    pairs += zip(left.cells.bases.flat + left.tops.flat, right.cells.bases.flat + right.tops.flat, strict=True)
    return left.labels == right.labels and left == right and all(np.array_equal(*pair) for pair in pairs)


@few
@given(case=mined_databases())
def test_merged_rows_are_those_that_are_merged_locally(spark, case):
    rows, min_support, _ = case
    expected = Merged.of(named(rows), min_support)
    with merge_frame(frame_of(spark, named(rows)), min_support, {}) as found:
        assert found == expected


@few
@given(rows=databases())
def test_rows_may_come_an_item_a_line(spark, rows):
    lines = [(number, str(item)) for number, row in enumerate(rows) for item in row]
    expected = Merged.of([row for row in named(rows) if row], 2)
    with merge_frame(spark.createDataFrame(lines, "id long, drug string"), 2, {"row": "id", "item": "drug"}) as found:
        assert found == expected


@pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
@few
@given(case=mined_databases(), max_length=st.none() | lengths)
def test_shards_hold_the_itemsets_of_all_rows(spark, kind, case, max_length):
    rows, min_support, _ = case
    expected = discreet.mine(
        Merged.of(named(rows), min_support), min_support=min_support, kind=kind, max_length=max_length
    )
    found = far.mine(frame_of(spark, named(rows)), min_support=min_support, kind=kind, max_length=max_length, budget=0)
    assert are_same(found, expected)


def in_shards(rows, count, kind, max_length, many):
    """Mine merged rows by shards, with what the executors run, but without Spark."""
    data = Merged.of(named(rows), count)
    batch = write_parts([Part(0, data.itemsets)])
    supports = kernels.merge_rows.count(data.offsets, data.items, data.weights, len(data.labels))
    longest = int(np.diff(data.offsets).max(initial=0))

    def weigh(heads):
        [found] = shards.weigh_partition(iter([batch]), heads, supports.size)
        numbers = np.frombuffer(found.column("weights")[0].as_py(), dtype=np.int64)
        return [shards.ShardLoads(*pair) for pair in numbers.reshape(len(heads), 2, supports.size)]

    found = []
    for job in plan_jobs(kind, supports, data.n, count, longest, max_length):
        found.append(find_root(job, data.n))
        if not job.menu.size or job.root.size >= job.span[1]:
            continue
        plan, heads = shards.plan_shards(job, count, many, weigh)
        [dealt] = shards.deal_partition(iter([batch]), job, plan, supports.size)
        tables = [pa.Table.from_batches([dealt.slice(line, 1)]) for line in range(dealt.num_rows)]
        done = [shards.search_shard(table, job, plan, count, supports.size) for table in tables]
        found.extend([*heads, *map(read_parts, done)])
    return dict(
        Patterns.from_codes(*Weighted.concat(found).arrays, data.labels, n=data.n, min_support=count, kind=kind)
    )


@pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
@settings(max_examples=100)
@given(
    case=mined_databases(),
    max_length=st.none() | lengths,
    many=st.integers(1, 5),
    heaviest=st.sampled_from([1, 4, 30, 10**9]),
)
def test_closedness_and_maximality_are_local_to_a_shard(kind, case, max_length, many, heaviest):
    rows, _, count = case
    assume(count <= len(rows))
    expected = oracle.KINDS[kind]([frozenset(row) for row in named(rows)], count, max_length)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "SHARD", heaviest)
        assert in_shards(rows, count, kind, max_length, many) == expected


@pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
def test_shards_that_are_too_heavy_are_split(frame, kind, monkeypatch):
    monkeypatch.setattr(shards, "SHARD", 300)
    expected = discreet.mine(Merged.of(ROWS, MIN_SUPPORT), min_support=MIN_SUPPORT, kind=kind)
    assert are_same(far.mine(frame, min_support=MIN_SUPPORT, kind=kind, budget=0), expected)


@few
@given(case=detected_databases())
def test_counts_of_partitions_add_up_to_the_cells(spark, case):
    rows, count, k = case
    patterns = discreet.mine(Transactions(named(rows)), min_support=count, kind="maximal")
    expected = discreet.detect(patterns, k=k, rows=Transactions(named(rows)))
    found = far.detect(patterns, k=k, rows=frame_of(spark, named(rows)), budget=0)
    assert are_same_channels(found, expected)


def test_a_top_may_have_more_items_than_a_word_has_bits(spark):
    rows = [list(range(70))] * 3 + [list(range(69))] * 2 + [[0], [69]]
    patterns = discreet.mine(rows, min_support=3)
    expected = discreet.detect(patterns, k=3)
    assert are_same_channels(far.detect(patterns, k=3, rows=frame_of(spark, rows, "int32"), budget=0), expected)


def test_rows_that_the_patterns_were_not_mined_from_are_refused(frame):
    patterns = discreet.mine([*ROWS[1:], ROWS[1]], min_support=MIN_SUPPORT)
    with pytest.raises(InputError, match="give the rows that they were mined from"):
        far.detect(patterns, k=K, rows=frame, budget=0)


@BUDGETS
def test_an_audit_reports_the_same_bytes(frame, budget):
    expected = b"".join(audit_json(discreet.audit(Transactions(ROWS), min_support=MIN_SUPPORT, k=K)))
    found = far.audit(frame, min_support=MIN_SUPPORT, k=K, budget=budget)
    assert b"".join(audit_json(found)) == expected


@pytest.mark.parametrize(("name", "min_support"), [("mushroom", "15%"), ("chess", "80%"), ("retail", 353)])
def test_public_files_are_audited_to_the_same_bytes_in_shards(spark, name, min_support):
    if not os.environ.get("DISCREET_DATA"):
        pytest.skip("DISCREET_DATA names no folder of data sets")
    rows = datasets.load(name)
    arrays = pa.ListArray.from_arrays(rows.offsets.astype("i4"), pa.array(rows.labels).take(pa.array(rows.items)))
    frame = spark.createDataFrame(pa.table({"items": arrays}))
    expected = b"".join(audit_json(discreet.audit(rows, min_support=min_support, k=10)))
    assert b"".join(audit_json(far.audit(frame, min_support=min_support, k=10, budget=0))) == expected


@BUDGETS
def test_a_trade_off_has_the_same_numbers(frame, budget):
    grid = {"min_supports": [MIN_SUPPORT, "10%"], "ks": [2, K]}
    expected = discreet.tradeoff(Transactions(ROWS), **grid)
    found = far.tradeoff(frame, **grid, budget=budget)
    assert found.safe == expected.safe
    for name in ("itemsets", "channels", "exposed"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))


@BUDGETS
@pytest.mark.parametrize("method", ["suppress", "add"])
def test_a_block_publishes_the_same_bytes(frame, method, budget, tmp_path):
    options = {"min_support": MIN_SUPPORT, "k": K, "method": method}
    expected = discreet.block(Merged.of(ROWS, MIN_SUPPORT), **options)
    found = far.block(frame, **options, budget=budget)
    for name, release in (("expected", expected), ("found", found)):
        discreet.write_release(release, tmp_path / name)
    left, right = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in sorted((tmp_path / name).rglob("*.*"))}
        for name in ("expected", "found")
    )
    assert left == right
    assert len(left) > 5
    assert found.patterns == discreet.block(Transactions(ROWS), **options).patterns


@BUDGETS
@pytest.mark.parametrize("method", ["suppress", "add"])
def test_where_few_rows_are_possible_a_block_withstands_all_who_can_list_them(spark, method, budget):
    rows = [["a"]] * 3 + [["a", "b"]] * 3 + [["c"]] * 2 + [["a", "c"]] * 2 + [["b", "c"]] * 4
    options = {"min_support": 4, "k": 3, "method": method}
    expected = [discreet.block(Merged.of(rows, 4), **options, against=against).patterns for against in (None, "plain")]
    frame = frame_of(spark, rows)
    found = [far.block(frame, **options, against=against, budget=budget).patterns for against in (None, "plain")]
    assert expected[0] != expected[1]
    assert all(map(are_same, found, expected))


def test_where_few_items_are_left_rows_that_stay_in_spark_are_not_enough(spark):
    rows = [[*"abcdefghij", str(number)] for number in range(2)] + [["a"]] * 5
    with pytest.raises(BudgetError, match="raise budget= until they fit the driver"):
        far.block(frame_of(spark, rows), min_support=2, k=3, budget=0)


def test_an_option_that_is_not_there_is_refused(frame):
    with pytest.raises(TypeError, match="there is no option 'strategy'"):
        far.mine(frame, min_support=MIN_SUPPORT, strategy="dense")
    with pytest.raises(OptionError, match="against is 'linear'; on Spark it must be plain"):
        far.block(frame, min_support=MIN_SUPPORT, k=K, against="linear")


def test_a_release_whose_rows_stay_in_spark_has_no_witness(frame):
    release = far.block(frame, min_support=MIN_SUPPORT, k=K, budget=0)
    with pytest.raises(InputError, match="there is no witness"):
        release.witness  # noqa: B018 - it is computed when it is asked for


SENSITIVE = [[1, 2], [2], [3, 5], [0, 7, 9], [2, 7]]


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("naive", {}),
        ("naive", {"disclosure": 0.3}),
        ("minfia", {"disclosure": [0.5, 0.9, 0, 1, 0.2]}),
        ("maxfia", {"below": 9}),
        ("iga", {"disclosure": 0.4}),
    ],
)
def test_the_same_items_are_hidden_in_the_same_rows(spark, method, options):
    items = sorted({item for row in ROWS for item in row})
    sensitive = [[items[place] for place in itemset] for itemset in SENSITIVE]
    expected = discreet.hide(Transactions(ROWS), sensitive, method=method, **options)
    # Ids that are text, in whose order the rows came.
    frame = spark.createDataFrame(
        [(f"é{number:04}", row) for number, row in enumerate(ROWS)], "id string, row array<int>"
    )
    found = far.hide(frame.repartition(3), sensitive, method=method, row="id", items="row", **options)
    hidden = [(line["row"], frozenset(line["items"])) for line in found.frame.orderBy("row").collect()]
    assert hidden == [(f"é{number:04}", row) for number, row in enumerate(expected.transactions)]
    assert (found.rows_touched, found.items_removed, found.n) == (
        expected.rows_touched,
        expected.items_removed,
        len(ROWS),
    )
    assert (found.before.tolist(), found.after.tolist()) == (expected.before.tolist(), expected.after.tolist())


@pytest.mark.parametrize("wanted", ["3 & ~(5 | '7')", "~3", [3, 5], [], ["3"], "not 1000 and wine"])
def test_a_query_finds_the_same_rows(frame, wanted):
    expected = Transactions(ROWS).rows(wanted).tolist()
    assert sorted(line["row"] for line in far.query(frame, wanted, row="row").collect()) == expected


def test_generated_rows_do_not_hang_on_the_number_of_partitions(spark):
    one, three = (far.quest(spark, 20_000, seed=7, partitions=many).toArrow().sort_by("row") for many in (1, 3))
    assert one.equals(three)
    assert one.num_rows == 20_000


@pytest.mark.parametrize("rows", [[(1, ["a", None])], [(1, None)], [(None, ["a"])]])
def test_missing_values_are_refused(spark, rows):
    frame = spark.createDataFrame(rows, "row long, items array<string>")
    with pytest.raises(InputError, match="the frame holds 1 missing values, or rows with other values"):
        far.mine(frame, min_support=1, row="row")


def test_a_row_id_that_is_there_twice_is_refused(spark):
    frame = spark.createDataFrame([(1, ["a"]), (1, ["b"])], "row long, items array<string>")
    with pytest.raises(InputError, match="there are 2 rows but 1 row ids"):
        far.hide(frame, [["a"]], row="row")


@pytest.mark.parametrize(
    ("kind", "shape", "error", "sentence"),
    [
        ("items array<date>", {}, InputError, "of type date; cast them"),
        ("items string", {}, OptionError, "0 columns of arrays"),
        ("items array<int>", {"items": "goods"}, InputError, "none of the 1 columns is called 'goods'"),
        ("items array<int>", {"item": "items"}, OptionError, "item= needs row="),
    ],
)
def test_a_frame_of_another_shape_is_refused(spark, kind, shape, error, sentence):
    with pytest.raises(error, match=sentence):
        far.mine(spark.createDataFrame([], kind), min_support=1, **shape)


LATER = pytest.mark.parametrize("later", [SWAPPED, [["a", "b"]], []], ids=["swapped", "fewer", "none"])


@LATER
def test_a_frame_that_changes_while_it_is_read_is_refused(spark, tmp_path, later):
    with pytest.raises(InputError, match="held other rows when it was read again"):
        far.mine(changing(spark, tmp_path, after=1, later=later), min_support=1)


@LATER
@BUDGETS
def test_a_frame_that_changes_when_it_is_computed_again_is_refused(spark, tmp_path, later, budget, monkeypatch):
    def lose(*_):
        spark.catalog.clearCache()  # as if the executor had died
        return 10**9

    monkeypatch.setattr(resources, "size", lose)
    with pytest.raises(InputError, match="held other rows when it was read again"):
        far.mine(changing(spark, tmp_path, after=2, later=later), min_support=1, budget=budget)


def test_supports_of_other_rows_than_the_totals_are_refused(spark, monkeypatch):
    tally = frames.tally_partition

    def mix(batches):  # as if an executor had died between the totals and the supports
        for batch in tally(batches):
            lines = batch.to_pylist()
            yield pa.RecordBatch.from_pylist(
                [line | {"count": line["count"] + (line["item"] == "b")} for line in lines], schema=batch.schema
            )

    monkeypatch.setattr(frames, "tally_partition", mix)
    with pytest.raises(InputError, match="held other rows when it was read again"):
        far.mine(frame_of(spark, [["a", "b"], ["a"]]), min_support=1)


def test_row_ids_that_change_are_refused(spark):
    def draw(batches):
        for _ in batches:
            ids = [secrets.token_hex() for _ in range(4)]
            yield pa.RecordBatch.from_pydict({"row": ids, "items": [["a", "b"]] * 4})

    frame = spark.range(0, 1, 1, 1).mapInArrow(draw, "row string, items array<string>")
    with pytest.raises(InputError, match="held other rows when it was read again"):
        far.hide(frame, [["a", "b"]], disclosure=0.5, row="row")


def test_a_query_refuses_missing_values_when_it_is_computed(spark):
    from pyspark.errors import PySparkException

    arrays = spark.createDataFrame([(1, ["a", None]), (2, ["b"])], "row long, items array<string>")
    flags = spark.createDataFrame([(1, 2), (2, 0)], "row long, a int")
    for frame in (arrays, flags):
        with pytest.raises(PySparkException, match="the frame holds missing values, or rows with other values than 0"):
            far.query(frame, "~a", row="row").collect()


def test_texts_are_compared_as_they_are_written(spark):
    texts = [("A", "Tea"), ("a", "tea"), ("a", "TEA"), ("b", "tea")]
    lines = spark.createDataFrame(texts, "id string collate UTF8_LCASE, drug string collate UTF8_LCASE")
    expected = {frozenset(): 3, frozenset({"Tea"}): 1, frozenset({"tea", "TEA"}): 1, frozenset({"tea"}): 2}
    assert dict(far.mine(lines, min_support=1, row="id", item="drug")) == expected
    arrays = lines.selectExpr("array(drug) as items")
    assert dict(far.mine(arrays, min_support=2)) == {frozenset(): 4, frozenset({"tea"}): 2}


def test_a_stream_is_refused(spark):
    frame = spark.readStream.format("rate").load().selectExpr("array(value) as items")
    for run in (lambda: far.mine(frame, min_support=1), lambda: far.query(frame, [1])):
        with pytest.raises(InputError, match="the frame is a stream"):
            run()


def test_bytes_may_be_large(spark):
    large = "spark.sql.execution.arrow.useLargeVarTypes"
    spark.conf.set(large, "true")
    try:
        found = far.mine(frame_of(spark, named(ROWS)), min_support=MIN_SUPPORT, budget=0)
    finally:
        spark.conf.unset(large)
    assert are_same(found, discreet.mine(Merged.of(named(ROWS), MIN_SUPPORT), min_support=MIN_SUPPORT))


def test_rows_that_stay_in_spark_are_not_enough_for_a_bound_on_beliefs(frame):
    policy = Policy("ours", k=K, max_belief=0.9)
    with pytest.raises(BudgetError, match="the policy bounds beliefs, for which all rows are needed"):
        far.block(frame, min_support=MIN_SUPPORT, policy=policy, budget=0)


@pytest.mark.parametrize(
    ("condition", "words", "sentence"),
    [
        (None, "A shuffle map stage with indeterminate output was failed", "held other rows when it was read again"),
        ("INVALID_HANDLE.SESSION_CLOSED", "The handle is invalid.", "the session of Spark has ended"),
    ],
)
def test_errors_with_a_remedy_name_it(condition, words, sentence):
    from pyspark.errors import PySparkException

    with pytest.raises(InputError, match=sentence), in_one_sentence():
        raise PySparkException(words, errorClass=condition)


@pytest.mark.parametrize("budget", [-1, 0.5, True])
def test_a_budget_is_a_number_of_bytes(frame, budget):
    with pytest.raises(ThresholdError, match="give a whole number of at least 0"):
        far.mine(frame, min_support=1, budget=budget)


def test_rows_that_stay_in_spark_cannot_be_listed(frame):
    with pytest.raises(InputError, match="only how many"):
        next(exposed_csv(far.audit(frame, min_support=MIN_SUPPORT, k=K, budget=0)))


def test_without_spark_one_sentence_names_the_extra():
    lines = ["import sys", "sys.modules['pyspark'] = None", "import discreet", "try: import discreet.spark"]
    code = "\n".join([*lines, "except ImportError as error: print(error)"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("discreet.spark needs pyspark, which is not installed")
    assert "pip install 'discreet[spark]'" in done.stdout
