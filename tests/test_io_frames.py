"""Frames: one-hot, long and of lists, from every library, and never made dense."""

import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import (
    DiscreetError,
    InputError,
    Merged,
    OptionError,
    Transactions,
    attack,
    audit,
    block,
    detect,
    hide,
    mine,
    read,
    tradeoff,
    write,
)

TABLE = [[True, False, True], [False, False, False], [True, True, False]]
LABELS = ["tea", "milk", "bread"]
ROWS = Transactions([["tea", "bread"], [], ["tea", "milk"]])

tables = st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(st.booleans(), min_size=width, max_size=width)))


def frames(table, labels):
    """The same table in every form that we read, by name."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    scipy = pytest.importorskip("scipy.sparse")
    array = np.array(table, dtype=bool).reshape(-1, len(labels))
    frame = pandas.DataFrame(array, columns=labels)
    sparse = scipy.csr_array(array.astype(int))
    columns = {label: array[:, at].tolist() for at, label in enumerate(labels)}
    return {
        "pandas of bool": frame,
        "pandas of integers": frame.astype("int8"),
        "pandas of floats": frame.astype(float),
        "pandas of objects": frame.astype(object),
        "pandas, nullable": frame.astype("boolean"),
        "pandas, sparse": frame.astype(pandas.SparseDtype(bool, fill_value=False)),
        "pandas, sparse integers": frame.astype(pandas.SparseDtype(int, fill_value=0)),
        "pandas, sparse zeros": frame.astype(pandas.SparseDtype(bool, fill_value=True)),
        "pandas, mixed": frame.astype({labels[0]: pandas.SparseDtype(bool, fill_value=False)}),
        "polars of bool": polars.DataFrame(columns, schema=dict.fromkeys(labels, polars.Boolean)),
        "polars of integers": polars.DataFrame(columns, schema=dict.fromkeys(labels, polars.Boolean)).cast(
            polars.UInt8
        ),
        "Arrow": polars.DataFrame(columns, schema=dict.fromkeys(labels, polars.Boolean)).to_arrow(),
        "SciPy by rows": sparse,
        "SciPy by columns": sparse.tocsc(),
        "SciPy by entries": sparse.tocoo(),
        "SciPy of bool": scipy.csr_matrix(array),
        "numpy": array,
        "numpy of integers": array.astype(int),
    }


FORMS = tuple(frames(TABLE, LABELS))


def read_onehot(frame, labels):
    matrix = not hasattr(frame, "columns")
    return Transactions.from_onehot(frame, labels=labels) if matrix else read(frame)


@pytest.mark.parametrize("form", FORMS)
def test_a_one_hot_table_is_read_in_every_form(form):
    assert read_onehot(frames(TABLE, LABELS)[form], LABELS) == ROWS


@given(table=tables)
def test_one_hot_tables_hold_the_items_of_their_ones(table):
    labels = [f"item {at}" for at in range(len(table[0]) if table else 3)]
    expected = Transactions([[label for label, one in zip(labels, row, strict=True) if one] for row in table])
    assert [form for form, frame in frames(table, labels).items() if read_onehot(frame, labels) != expected] == []


def test_columns_of_a_matrix_are_numbered():
    assert read(np.array([[0, 1], [1, 1]])) == Transactions([[1], [0, 1]])


def test_columns_may_have_labels_of_any_type():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1, 0, 1]], columns=[3, "a", ("age", 40)])
    assert read(frame) == Transactions([[3, ("age", 40)]])


def test_columns_may_be_called_as_methods_are():
    pandas = pytest.importorskip("pandas")
    assert read(pandas.DataFrame([[1, 1]], columns=["read", "tocsc"])) == Transactions([["read", "tocsc"]])


def test_zeros_that_a_sparse_table_stores_are_no_items():
    scipy = pytest.importorskip("scipy.sparse")
    matrix = scipy.csr_array((np.array([0, 1]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert read(matrix) == Transactions([[1]])


def sparse_frame():
    """20,000 rows of 4,000 items, one in 200 of them held."""
    pandas, scipy = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    matrix = scipy.random_array((20_000, 4_000), density=0.005, rng=np.random.default_rng(1), dtype=np.float64)
    matrix.data[:] = 1
    return pandas.DataFrame.sparse.from_spmatrix(matrix.astype(bool)), matrix.nnz


def test_a_sparse_frame_is_read_in_little_memory():
    frame, ones = sparse_frame()
    read(frame)  # kernels are compiled and libraries loaded before memory is measured
    tracemalloc.start()
    try:
        rows = read(frame)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert rows.offsets[-1] == ones
    assert peak < 10_000_000


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_long_frames_are_read_from_every_library(library):
    pytest.importorskip(library)
    frame = pytest.importorskip("polars").DataFrame(
        {"who": [9, 4, 9, 9], "what": ["b", "a", "a", "b"], "n": [1, 2, 3, 4]}
    )
    native = {"polars": frame, "pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}[library]
    expected = Transactions([["a", "b"], ["a"]], ids=[9, 4])
    assert read(native, row="who", item="what") == expected
    assert Transactions.from_long(native, row="who", item="what") == expected


@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc"))))
def test_long_frames_group_items_by_row(pairs):
    polars = pytest.importorskip("polars")
    ids = list(dict.fromkeys(row for row, _ in pairs))
    expected = Transactions([[item for at, item in pairs if at == row] for row in ids], ids=ids)
    frame = polars.DataFrame(pairs, schema={"row": polars.Int64, "item": polars.String}, orient="row")
    assert Transactions.from_long(frame, row="row", item="item") == expected


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_lists_are_read_from_every_library(library):
    pytest.importorskip(library)
    frame = pytest.importorskip("polars").DataFrame({"basket": [["b", "a"], [], ["b"]], "who": [9, 4, 7]})
    native = {"polars": frame, "pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}[library]
    assert read(native, items="basket") == Transactions([["a", "b"], [], ["b"]])
    assert read(native, items="basket", row="who").ids == [9, 4, 7]


def test_parquet_files_of_others_are_read(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "rows.parquet"
    polars.DataFrame({"basket": [["b", "a"], []], "items": [["c"], ["d"]]}).write_parquet(path)
    assert read(path) == Transactions([["c"], ["d"]])
    assert read(path, items="basket") == Transactions([["a", "b"], []])
    polars.DataFrame({"who": [2, 1, 2], "what": ["a", "a", "b"]}).write_parquet(path)
    assert read(path, row="who", item="what") == Transactions([["a", "b"], ["a"]], ids=[2, 1])
    polars.DataFrame({"tea": [1, 0], "milk": [1, 1]}).write_parquet(path)
    assert read(path) == Transactions([["tea", "milk"], ["milk"]])


MISSING = (
    "^column 2 of the one-hot table holds missing values; fill|2 columns hold 0 and 1, and 1 of them miss some: fill"
)


@pytest.mark.parametrize("form", ["pandas", "polars", "Arrow", "sparse", "numpy", "objects"])
def test_missing_values_in_a_one_hot_table_are_refused(form):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.DataFrame({"secret": [1, 0], "label": [1, float("nan")]})
    native = {
        "pandas": frame,
        "polars": polars.DataFrame({"secret": [1, 0], "label": [1, None]}),
        "Arrow": polars.DataFrame({"secret": [1, 0], "label": [1, None]}).to_arrow(),
        "sparse": frame.astype(pandas.SparseDtype(float)),
        "numpy": frame.to_numpy(),
        "objects": frame.astype(object),
    }[form]
    with pytest.raises(InputError, match=MISSING) as caught:
        read(native)
    assert "label" not in str(caught.value)


@pytest.mark.parametrize("values", [[0, 2], [0.5, 1], [-1, 0], ["a", "b"], ["0", "1"]])
def test_values_that_are_not_one_hot_are_refused(values):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for frame in (pandas.DataFrame({"a": values}), polars.DataFrame({"a": values})):
        with pytest.raises(InputError, match=r"^column 1 of the one-hot table holds values other than 0, 1, True and"):
            read(frame, format="onehot")


def test_tables_that_cannot_be_read_say_why():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = polars.DataFrame({"who": [1, 2, None], "what": ["a", None, "b"]})
    for read_it, error, sentence in (
        (lambda: read(pandas.DataFrame([[1, 0]], columns=["a", "a"])), InputError, "two columns have the same label"),
        (
            lambda: Transactions.from_onehot(np.zeros((2, 3)), labels=["a"]),
            InputError,
            "there are 3 columns but 1 labels",
        ),
        (lambda: read(frame, row="whom", item="what"), InputError, "none of the 2 columns is called 'whom'"),
        (lambda: read(frame, row="who", item="what"), InputError, "column 'who' holds 1 missing values"),
        (lambda: read(frame[:2], row="who", item="what"), InputError, "column 'what' holds 1 missing values"),
        (lambda: read(frame, items="what"), InputError, "row 1 of column 'what' holds no list"),
        (lambda: read(frame, row="who"), OptionError, "row= means nothing for a frame that is read as a table"),
        (
            lambda: read(frame, separator=","),
            OptionError,
            "separator= means nothing for a frame",
        ),
        (lambda: read(frame, format="csv"), OptionError, "a frame has no format 'csv'; it is read as one of table, "),
        (lambda: read(frame.lazy().select("gone")), InputError, "of type LazyFrame could not be collected"),
        (lambda: read(np.array([[1, 2]])), InputError, "column 2 of the one-hot table holds values other than 0"),
        (lambda: read({"a": [1], "b": [1, 0]}), InputError, "the columns are not equally long"),
        (lambda: read({1: [1], "1": [0]}), InputError, "two columns have the same name"),
        (lambda: read({"a": 1}), InputError, "rows are given as dict"),
        (lambda: read(polars.Series(["bread,milk"])), InputError, "row 1 is of type str"),
        (lambda: read(pandas.Series(["bread,milk"])), InputError, "row 1 is of type str"),
        (
            lambda: read(pandas.DataFrame({"support": [1], "itemsets": [["a"]]})),
            InputError,
            "frame of itemsets and supp",
        ),
        (lambda: read(np.zeros((2, 2, 2))), InputError, "an array of 3 dimensions is no table"),
    ):
        with pytest.raises(error, match=sentence):
            read_it()


SEX = ["f", "m", "f", "f", "m", "m", "f", "m"] * 3
SMOKES = ["yes", "no", None, "no", "yes", "no", "no", "yes"] * 3
PEOPLE = [{"sex": sex, "smokes": smokes} for sex, smokes in zip(SEX, SMOKES, strict=True)]
ITEMS = [[f"{name}={value}" for name, value in person.items() if value] for person in PEOPLE]


def natives(columns):
    """How to make the same table in every form in memory that we read, by name."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    frame = polars.DataFrame(columns)
    table = frame.to_arrow()
    lines = frame.rows()
    kinds = [(name, "O") for name in columns]
    return {
        "pandas": lambda: pandas.DataFrame(columns),
        "pandas of categories": lambda: pandas.DataFrame(columns).astype("category"),
        "polars": lambda: frame,
        "polars, lazy": frame.lazy,
        "Arrow table": lambda: table,
        "Arrow batch": lambda: table.to_batches()[0],
        "Arrow reader": lambda: arrow.RecordBatchReader.from_batches(table.schema, table.to_batches()),
        "Arrow stream": lambda: Stream(table),
        "DuckDB": lambda: duckdb.connect().from_arrow(table),
        "records": frame.to_dicts,
        "columns": lambda: columns,
        "columns of arrays": lambda: {name: np.array(values, dtype=object) for name, values in columns.items()},
        "structured array": lambda: np.array(lines, dtype=kinds),
        "record array": lambda: np.array(lines, dtype=kinds).view(np.recarray),
    }


class Stream:
    """A table of a library that nobody has heard of."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


NATIVES = tuple(natives({"a": [1]}))


@pytest.mark.parametrize("form", NATIVES)
def test_a_table_of_attributes_is_read_in_every_form(form):
    rows = read(natives({"sex": SEX, "smokes": SMOKES})[form]())
    assert rows == Transactions(map(set, ITEMS))
    assert rows.reading.shape == "table"
    assert [attribute.name for attribute in rows.schema.attributes] == ["sex", "smokes"]


@pytest.mark.parametrize("form", NATIVES)
def test_a_one_hot_table_in_memory_is_read_in_every_form(form):
    assert read(natives({"tea": [1, 0, 1], "milk": [0, 0, 1]})[form]()) == Transactions([["tea"], [], ["tea", "milk"]])


@pytest.mark.parametrize("form", NATIVES)
def test_a_one_hot_table_with_ids_is_read_in_every_form(form):
    columns = {"patient": [7, 3, 9], "tea": [1, 0, 1], "milk": [0, 0, 1]}
    expected = Transactions([["tea"], [], ["tea", "milk"]], ids=[7, 3, 9])
    assert read(natives(columns)[form](), format="onehot", row="patient") == expected


@pytest.mark.parametrize("form", NATIVES)
def test_a_long_table_in_memory_is_read_in_every_form(form):
    columns = {"patient": [7, 3, 7], "drug": ["a", "a", "b"]}
    expected = Transactions([["a", "b"], ["a"]], ids=[7, 3])
    assert read(natives(columns)[form](), row="patient", item="drug") == expected


@pytest.mark.parametrize("form", [form for form in NATIVES if "categories" not in form])
def test_a_column_of_lists_in_memory_is_read_in_every_form(form):
    columns = {"patient": ["x", "y", "z"], "drugs": [["a", "b"], [], ["a"]]}
    assert read(natives(columns)[form]()) == Transactions([["a", "b"], [], ["a"]])


def write_bytes(rows):
    file = io.BytesIO()
    write(rows, file, format="csv")
    return file.getvalue()


VERBS = {
    "mine": lambda rows: mine(rows, min_support=2),
    "audit": lambda rows: audit(rows, min_support=2, k=2).patterns,
    "tradeoff": lambda rows: tradeoff(rows, min_supports=[2], ks=[2]).channels.tolist(),
    "block": lambda rows: block(rows, min_support=2, k=2).patterns,
    "hide": lambda rows: Transactions(hide(rows, [["sex=f", "smokes=no"]], below=2).rows),
    "detect": lambda rows: len(detect(mine(ITEMS, min_support=2), rows=rows, k=2)),
    "attack": lambda rows: len(attack(mine(ITEMS, min_support=2), rows=rows, k=2).findings),
    "merge": lambda rows: Merged.of(rows, 2),
    "write": write_bytes,
    "Transactions": Transactions,
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_every_form_of_rows(verb):
    expected = VERBS[verb](Transactions(map(set, ITEMS)))
    wrong = [form for form, make in natives({"sex": SEX, "smokes": SMOKES}).items() if VERBS[verb](make()) != expected]
    assert wrong == []


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "Transactions"])
def test_every_verb_takes_files(verb, tmp_path):
    path = tmp_path / "clinic.csv"
    path.write_text("sex;smokes\n" + "".join(f"{one['sex']};{one['smokes'] or ''}\n" for one in PEOPLE))
    expected = VERBS[verb](Transactions(map(set, ITEMS)))
    assert VERBS[verb](path) == expected
    assert VERBS[verb](str(path)) == expected
    with path.open("rb") as file:
        assert VERBS[verb](file) == expected


class Strange:
    columns = ()


NO_ROWS = {
    "a number": 7,
    "bytes": b"1 2",
    "a missing file": "no/such/file.csv",
    "a mapping": {"a": 1},
    "patterns": mine([["a"]] * 3, min_support=1),
    "a strange table": Strange(),
    "text in a column": [["a", ["b"]]],
    "an array of three dimensions": np.zeros((2, 2, 2)),
    "an array of numbers": np.arange(6).reshape(2, 3),
    "numbers": [1, 2, 3],
    "texts": ["bread", "milk"],
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", NO_ROWS)
def test_what_is_no_rows_is_refused_by_every_verb_with_a_sentence(verb, name):
    with pytest.raises(DiscreetError):
        VERBS[verb](NO_ROWS[name])


def test_frames_of_spark_have_a_door_of_their_own():
    kind = type("DataFrame", (), {"columns": (), "__module__": "pyspark.sql.dataframe"})
    with pytest.raises(InputError, match=r"use the functions of discreet\.spark"):
        read(kind())


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_series_of_lists_holds_rows(library):
    series = pytest.importorskip(library).Series([["a", "b"], ["a"]])
    assert read(series) == Transactions([["a", "b"], ["a"]])


def test_people_with_several_rows_are_merged_in_every_shape():
    expected = Transactions([["a", "b"], ["b"]], ids=["Ann", "Ben"])
    onehot = {"who": ["Ann", "Ben", "Ann"], "a": [1, 0, 0], "b": [0, 1, 1]}
    lists = {"who": ["Ann", "Ben", "Ann"], "items": [["a"], ["b"], ["b"]]}
    long = {"visit": [1, 2, 3], "who": ["Ann", "Ben", "Ann"], "what": ["a", "b", "b"]}
    assert read(onehot, format="onehot", person="who") == expected
    assert read(lists, items="items", person="who") == expected
    assert read(long, row="visit", item="what", person="who") == expected
    assert read(long, item="what", person="who") == expected
    assert read(onehot, format="onehot", person="who", per="visit").people.tolist() == [0, 1, 0]


def test_cells_are_items_if_that_is_said():
    columns = {"column1": ["tea", "tea"], "column2": ["milk", None]}
    assert read(columns, format="baskets") == Transactions([["tea", "milk"], ["tea"]])


def test_names_of_columns_may_be_of_any_type():
    pandas = pytest.importorskip("pandas")
    numbered = read(pandas.DataFrame({1: SEX, 2: SMOKES}))
    assert [attribute.name for attribute in numbered.schema.attributes] == ["1", "2"]
    assert read(pandas.DataFrame({("a", "b"): SEX})).support(["('a', 'b')=f"]) == SEX.count("f")


@pytest.mark.parametrize("values", [[{"x": 1}, {"x": 0}], [[1], [0]]])
def test_records_and_lists_in_a_column_are_no_ones(values):
    polars = pytest.importorskip("polars")
    dtypes = {dict: None, list: polars.Array(polars.Int64, 1)}
    frame = polars.DataFrame({"a": polars.Series(values, dtype=dtypes[type(values[0])])})
    with pytest.raises(InputError, match="holds values other than 0, 1, True and False"):
        read(frame, format="onehot")


def test_records_without_columns_are_refused():
    with pytest.raises(InputError, match="the records have no columns"):
        read([{}, {}])
