"""Frames: one-hot, long and of lists, from every library, and never made dense."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import InputError, OptionError, Transactions, read

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
    read(frame.iloc[:10, :10])  # kernels are compiled and libraries loaded before memory is measured
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
    with pytest.raises(InputError, match=r"^column 2 of the one-hot table holds missing values; fill them") as caught:
        read(native)
    assert "label" not in str(caught.value)


@pytest.mark.parametrize("values", [[0, 2], [0.5, 1], [-1, 0], ["a", "b"], ["0", "1"]])
def test_values_that_are_not_one_hot_are_refused(values):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for frame in (pandas.DataFrame({"a": values}), polars.DataFrame({"a": values})):
        with pytest.raises(InputError, match=r"^column 1 of the one-hot table holds values other than 0, 1, True and"):
            read(frame)


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
        (lambda: read(frame, row="who"), OptionError, "row= means nothing for a one-hot frame"),
        (lambda: read(frame, separator=","), OptionError, "separator= means nothing for a one-hot frame"),
        (lambda: read(frame.lazy()), InputError, "a table of type LazyFrame cannot be read"),
        (lambda: read(np.zeros((2, 2, 2))), InputError, "an array of 3 dimensions is no table"),
    ):
        with pytest.raises(error, match=sentence):
            read_it()
