"""People with several rows, in the long form and one-hot: rows are merged, or stay with the person of each."""

from io import BytesIO
from random import Random

import oracle
import polars as pl
import pytest

from discreet import InputError, OptionError, read, rewrite

HEAD = {"format": "long", "separator": ",", "header": True, "row": "visit", "item": "drug"}


def visits(seed):
    """Return random visits: the person of each, and a set of at least one drug."""
    random = Random(seed)  # noqa: S311 - no secret
    people = random.randint(1, 6)
    return [
        (f"p{random.randrange(people)}", frozenset(random.sample("abcd", random.randint(1, 4))))
        for _ in range(random.randint(1, 12))
    ]


def as_long(made):
    lines = [f"{who},v{at},{drug}" for at, (who, drugs) in enumerate(made) for drug in sorted(drugs)]
    return "\n".join(["who,visit,drug", *lines, ""]).encode()


def as_onehot(made):
    lines = [",".join([who, *(str(int(drug in drugs)) for drug in "abcd")]) for who, drugs in made]
    return "\n".join(["who,a,b,c,d", *lines, ""]).encode()


SHAPES = {"long": (as_long, HEAD), "onehot": (as_onehot, {"format": "onehot", "separator": ",", "header": True})}


@pytest.mark.parametrize("shape", SHAPES)
def test_people_are_merged_as_by_brute_force(shape):
    make, how = SHAPES[shape]
    for seed in range(300):
        made = visits(seed)
        expected = oracle.merged_people([drugs for _, drugs in made], [who for who, _ in made])
        rows = read(BytesIO(make(made)), person="who", **how)
        assert dict(zip(rows.ids, rows, strict=True)) == expected
        assert (rows.people, rows.reading.people, rows.reading.n) == (None, len(expected), len(expected))


@pytest.mark.parametrize("shape", SHAPES)
def test_visits_stay_apart_with_their_people(shape):
    make, how = SHAPES[shape]
    for seed in range(300):
        made = visits(seed)
        rows = read(BytesIO(make(made)), person="who", per="visit", **how)
        order = list(dict.fromkeys(who for who, _ in made))
        assert [(order[person], row) for person, row in zip(rows.people, rows, strict=True)] == made
        assert (rows.reading.people, rows.reading.per) == (len(order), "visit")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("per", [{}, {"per": "visit"}])
def test_people_lose_items_in_every_line(shape, per):
    make, how = SHAPES[shape]
    data = make([("p1", "ab"), ("p2", "ab"), ("p1", "ac")])
    target = BytesIO()
    rewrite(BytesIO(data), target, [(0, frozenset("a"))], person="who", **per, **how)
    rows = read(BytesIO(target.getvalue()), person="who", **per, **how)
    kept = [{"b"}, {"a", "b"}, {"a", "c"}] if per else [{"b", "c"}, {"a", "b"}]
    assert list(rows) == kept


def test_a_person_cannot_lose_what_no_line_holds():
    with pytest.raises(InputError, match="row 1 does not hold an item"):
        rewrite(
            BytesIO(as_onehot([("p1", "a"), ("p1", "b")])),
            BytesIO(),
            [(0, frozenset("ac"))],
            person="who",
            **SHAPES["onehot"][1],
        )


PARQUET = pl.DataFrame({"visit": [1, 2, 3], "who": [7, 7, 8], "drug": ["a", "b", "a"], "sex": ["f", "f", "m"]})


@pytest.mark.parametrize(
    ("how", "lost", "kept"),
    [
        ({"row": "visit", "item": "drug", "person": "who"}, (0, "a"), [{"b"}, {"a"}]),
        (
            {"format": "table", "person": "who", "drop": "visit"},
            (0, "sex=f"),
            [{"drug=a", "drug=b"}, {"drug=a", "sex=m"}],
        ),
        ({"format": "table", "columns": "sex"}, (1, "sex=f"), [{"sex=f"}, set(), {"sex=m"}]),
    ],
)
def test_parquet_of_people_and_attributes_loses_what_it_must(how, lost, kept, tmp_path):
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    PARQUET.write_parquet(old)
    rewrite(old, new, [(lost[0], frozenset(lost[1:]))], **how)
    assert list(read(new, **{name: value for name, value in how.items() if name != "drop"})) == kept


def test_merged_rows_of_lists_in_parquet_are_not_changed(tmp_path):
    old = tmp_path / "old.parquet"
    pl.DataFrame({"who": [7, 7, 8], "items": [["a"], ["b"], ["a"]]}).write_parquet(old)
    with pytest.raises(OptionError, match="keep rows apart with per="):
        rewrite(old, tmp_path / "new.parquet", [(1, frozenset("a"))], items="items", person="who")


def test_the_long_form_of_people_needs_no_row():
    rows = read(BytesIO(b"who,drug\n1,a\n2,b\n1,b\n"), format="long", person="who", item="drug")
    assert dict(zip(rows.ids, rows, strict=True)) == {1: {"a", "b"}, 2: {"b"}}


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (
            b"who,visit,drug\n1,7,a\n2,7,b\n",
            {"per": "visit"},
            "column 'visit' has 1 row id that more than one person has; check row=",
        ),
        (b"who,visit,drug\n1,7,a\n,8,b\n", {"per": "visit"}, "record 3 has no row id, no item or no person"),
        (b"who,visit,drug\n1,7,a\n,8,b\n", {}, "record 3 has no row id, no item or no person"),
        (
            b"who,visit,drug\n1,7,a\n2,8,b\n",
            {"person": "whom"},
            "none of the 3 columns is called 'whom'; did you mean 'who'?",
        ),
    ],
)
def test_rows_without_a_person_of_their_own_are_refused(data, options, message):
    with pytest.raises(InputError) as refused:
        read(BytesIO(data), **{**HEAD, "person": "who", **options})
    assert message in str(refused.value)


def test_a_onehot_table_has_one_column_of_ids():
    with pytest.raises(OptionError, match="take the row ids out of the file, and leave row= out"):
        read(BytesIO(b"id,who,a\n1,2,0\n2,2,1\n"), format="onehot", row="id", person="who")
