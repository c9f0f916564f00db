"""What is written of tables of counts: nothing that was not judged, and nothing that a forger can change unseen."""

import json
import random
import shutil
from contextlib import suppress
from hashlib import sha256
from io import BytesIO, StringIO
from itertools import product
from zipfile import ZipFile, is_zipfile

import pandas as pd
import pytest
import xlsxwriter
from click.testing import CliRunner

from discreet import DiscreetError, block, read_counts, verify, write_counts, write_release
from discreet.cli import main
from discreet.io.formats.counts.stated import decode, encode
from discreet.io.write_counts import render_counts
from discreet.report import readers_html, table_release_html, write_sacro
from discreet.report.tables import describe_costs, table_release_json
from discreet.web.readers import write_readers

SENTINELS = ("86753", "zyzzyva", "86.753", "8,675,309")  # in no table otherwise, and in no digest as texts


def bytes_of(folder):
    """All bytes of the public files below a folder; spreadsheets unpacked."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "DO-NOT-RELEASE" not in path.parts:
            data = path.read_bytes()
            yield path.name, data
            if is_zipfile(path):
                with ZipFile(path) as archive:
                    yield from ((f"{path.name}/{name}", archive.read(name)) for name in archive.namelist())


def draw_counts(chance):
    """Draw the counts of people by two attributes, with margins: {(sex, age): count}, "Total" for all."""
    sexes, ages = ("f", "m"), ("young", "old", "oldest")[: chance.randint(2, 3)]
    inner = {at: chance.choice([0, 3, 7, *range(12, 90, 7)]) for at in product(sexes, ages)}
    every = product((*sexes, "Total"), (*ages, "Total"))
    return {
        (sex, age): sum(many for at, many in inner.items() if sex in {at[0], "Total"} and age in {at[1], "Total"})
        for sex, age in every
    }


def draw_long(chance, counts):
    """Lines of a long table with columns beside it, and how they are left out."""
    names = chance.sample(["rate", "percent", "deaths", "note", "n2", "id"], chance.randint(1, 3))
    lines = [["sex", "age", "n"], *([*at, str(many)] for at, many in counts.items())]
    places = {name: chance.randint(0, 3) for name in names}
    for name, place in places.items():
        lines = [
            [*line[:place], name if line is lines[0] else f"{chance.choice(SENTINELS)}", *line[place:]]
            for line in lines
        ]
    how = {"columns": ("sex", "age")} if chance.random() < 0.5 else {"drop": tuple(names)}
    return lines, {**how, "counts": "n"}


def draw_crosstab(chance, counts):
    """Lines of a crosstab with text around it, and perhaps a column that is left out."""
    rows, columns = (list(dict.fromkeys(axis)) for axis in zip(*counts, strict=True))
    lines = [["sex", *columns], *([row, *(str(counts[row, column]) for column in columns)] for row in rows)]
    dropped = chance.random() < 0.5
    if dropped:
        place = chance.randint(1, len(columns) + 1)
        lines = [
            [*line[:place], "rate" if at == 0 else chance.choice(SENTINELS), *line[place:]]
            for at, line in enumerate(lines)
        ]
    above = [[f"{chance.choice(SENTINELS)} people"]] * chance.randint(0, 2)
    below = [[f"Note: of these {chance.choice(SENTINELS)}."]] * chance.randint(0, 2)
    return [*above, *lines, *below], {"format": "crosstab", **({"drop": ("rate",)} if dropped else {})}


def as_csv(lines, separator):
    quoted = [[f'"{field}"' if separator in field else field for field in line] for line in lines]
    return "".join(f"{separator.join(line)}\n" for line in quoted).encode()


def as_xlsx(lines):
    """A workbook whose first sheet holds the lines, with comments, hidden columns and another sheet."""
    file = BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet, other = book.add_worksheet("table"), book.add_worksheet("more")
        for at, line in enumerate(lines):
            sheet.write_row(at, 0, [int(field) if field.isdecimal() else field for field in line])
        sheet.write_comment(1, 1, SENTINELS[0])
        other.write(0, 0, SENTINELS[1])
        book.set_properties({"comments": SENTINELS[0]})
    return file.getvalue()


def write_all(chance, folder):
    """Write a random table in all ways for release; return whether it was safe."""
    counts = draw_counts(chance)
    lines, how = chance.choice([draw_long, draw_crosstab])(chance, counts)
    if chance.random() < 0.7:
        source = BytesIO(as_csv(lines, chance.choice(",;\t")))
    else:
        source, how = folder / "source.xlsx", {**how, "sheet": "table"}
        source.write_bytes(as_xlsx(lines))
    with suppress(DiscreetError):
        read = read_counts(source, **how)
        release = block(read, k=10, method=chance.choice(["suppress", "collapse", "round"]))
        place = folder / "public"
        place.mkdir()
        verified = write_release(release, place / "release")
        write_counts(release.counts, place / "written.csv")
        write_readers(place / "release", verified, place / "readers")
        write_sacro(release.audit, place / "sacro")
        (place / "page.html").write_text(table_release_html(release), encoding="utf-8")
        (place / "release.json").write_bytes(b"".join(table_release_json(release)))
        return True
    return False


def test_nothing_is_written_that_was_not_judged(tmp_path):
    written = 0
    for seed in range(60):
        folder = tmp_path / str(seed)
        folder.mkdir()
        written += write_all(random.Random(seed), folder)  # noqa: S311 - tables that can be drawn again
        for name, data in bytes_of(folder / "public"):
            assert not any(one.encode() in data for one in SENTINELS), (seed, name)
    assert written >= 40


SMOKERS = """\
sex,smoker,n,percent
Total,Total,180,100.0
f,Total,90,50.0
m,Total,90,50.0
Total,yes,50,27.8
Total,no,130,72.2
f,yes,5,5.6
f,no,85,94.4
m,yes,45,50.0
m,no,45,50.0
"""
SAFE = """\
sex,smoker,n
Total,Total,180
f,Total,90
m,Total,90
Total,yes,50
Total,no,130
f,yes,*
f,no,*
m,yes,*
m,no,*
"""
CROSSTAB = """\
Of 86753 people

sex,young,rate,old,Total
f,99,86.1,81,180
m,3,86.2,25,28
Total,102,86.3,106,208
Note: 86753.
"""


def published(text, folder, **how):
    """The table of a release of a text, which must be good."""
    counts = read_counts(BytesIO(text.encode()), **how)
    assert write_release(block(counts, k=11, method="suppress"), folder).is_good
    return (folder / "table.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (SMOKERS, {"drop": "percent"}),
        (SMOKERS.replace("percent", "deaths"), {"counts": "n", "columns": ["sex", "smoker"]}),
        (SMOKERS.replace("percent", "n2"), {"counts": "n", "drop": "n2"}),
    ],
)
def test_a_column_that_was_left_out_is_not_published(tmp_path, text, how):
    assert published(text, tmp_path / "release", **how) == SAFE


def test_text_around_a_crosstab_and_columns_that_were_left_out_are_not_published(tmp_path):
    told = published(CROSSTAB, tmp_path / "release", drop="rate")
    assert told == "sex,young,old,Total\nf,*,*,180\nm,*,*,28\nTotal,102,106,208\n"
    counts = read_counts(BytesIO(CROSSTAB.encode()), drop="rate")
    costs = describe_costs(block(counts, k=11, method="suppress"))
    assert costs["left out of the file"] == "the column rate, 2 lines of text"


def test_the_command_says_what_it_leaves_out(tmp_path):
    (tmp_path / "table.csv").write_text(SMOKERS)
    words = ["block", str(tmp_path / "table.csv"), "--counts", "--drop", "percent", "-k", "11"]
    shown = CliRunner().invoke(main, words).stdout
    assert "left out of the file: the column percent" in shown
    assert "5.6" not in shown


def test_frames_and_spreadsheets_keep_nothing_that_was_left_out(tmp_path):
    frame = pd.read_csv(StringIO(SMOKERS))
    lines = [line.split(",") for line in SMOKERS.splitlines()]
    (tmp_path / "table.xlsx").write_bytes(as_xlsx(lines))
    for number, source in enumerate([frame, tmp_path / "table.xlsx"]):
        counts = read_counts(source, drop="percent", **({"sheet": "table"} if number else {}))
        write_release(block(counts, k=11, method="suppress"), tmp_path / str(number))
        assert (tmp_path / str(number) / "table.csv").read_text() == SAFE


def test_known_formats_keep_no_number_beside_their_counts(tmp_path):
    achilles = "analysis_id,stratum_1,count_value,avg_value\n1,,180 (5),86.753\n2,8507,90,86.753\n2,8532,90 (3),\n"
    expected = "analysis_id,stratum_1,count_value\n1,,180\n2,8507,90\n2,8532,90\n"
    assert published(achilles, tmp_path / "achilles") == expected
    head = "cdm_name,group_name,group_level,strata_name,strata_level,variable_name,variable_level,estimate_name,"
    head += "estimate_type,estimate_value\n"
    line = "mock,overall,overall,overall,overall,Number subjects,NA,count,{},180\n"
    median = "mock,overall,overall,overall,overall,Age,NA,median,numeric,86.753\n"
    assert published(head + line.format("integer") + median, tmp_path / "result") == head + line.format("integer")
    assert "86" not in published(head + line.format("86"), tmp_path / "type")


def test_what_cannot_be_read_back_is_published_as_a_long_table():
    text = "age,n\n1,30\n2,4\n3,50\n4,60\nTotal,144\n"  # merged values have no line of their own
    counts = block(read_counts(BytesIO(text.encode())), k=11, method="collapse").counts
    assert {name: file.data for name, file in render_counts(counts).items()} == {
        "table.csv": b"age,count\n1,30\n2 or 3,54\n4,60\nTotal,144\n"
    }


# Forgers

SOURCES = {
    "long": (
        "sex,smoker,n\nTotal,Total,180\nf,Total,90\nTotal,yes,50\nf,yes,5\nf,no,85\nm,yes,45\nm,no,45\n",
        "suppress",
    ),
    "crosstab": ("sex,young,old,Total\nf,99,81,180\nm,3,25,28\nTotal,102,106,208\n", "suppress"),
    "shares": ("sex,n,%\nf,87,48.3\nm,90,50\nother,3,1.7\nTotal,180,100\n", "suppress"),
    "rounded": ("sex;n\nTotal;180\nf;177\nm;3\n", "round"),
    "merged": ("age,n\n1,30\n2,4\n3,50\n4,60\nTotal,144\n", "collapse"),
    "achilles": (
        "analysis_id,stratum_1,stratum_2,count_value\n1,,,180\n2,8507,,90\n2,8532,,90\n4,8515,,30\n",
        "suppress",
    ),
}


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """Good releases of all shapes."""
    folders = {}
    for name, (text, method) in SOURCES.items():
        folders[name] = tmp_path_factory.mktemp("releases") / name
        write_release(block(read_counts(BytesIO(text.encode())), k=11, method=method), folders[name])
    return folders


def sign(folder):
    """Write the digests in release.json anew, as a forger would."""
    facts = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    facts["files"] = {name: sha256((folder / name).read_bytes()).hexdigest() for name in facts["files"]}
    (folder / "release.json").write_text(json.dumps(facts), encoding="utf-8")


def walk(value, path=()):
    """Every value within JSON, with the way to it."""
    yield path, value
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in pairs:
        yield from walk(below, (*path, key))


def put(value, path, new):
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


def forge_json(chance, folder, name):
    """Change one value of a JSON file, or add a key."""
    facts = json.loads((folder / name).read_text(encoding="utf-8"))
    within = facts["tables"] if name == "counts.json" else {word: facts[word] for word in facts if word != "files"}
    every = [(path, one) for path, one in walk(within) if path]
    if chance.random() < 0.2:
        _, one = chance.choice([pair for pair in every if isinstance(pair[1], dict)])
        one["true"] = 5
        if within is not facts.get("tables") and "true" in within:
            facts["true"] = 5
    else:
        path, one = chance.choice([pair for pair in every if not isinstance(pair[1], dict | list)])
        put(within, path, forge_value(chance, one))
    facts |= within if isinstance(within, dict) else {}
    text = json.dumps(facts, ensure_ascii=False)
    if name == "counts.json":
        with suppress(DiscreetError):
            text = "".join(f"{line}\n" for line in encode(decode(text)))
    (folder / name).write_text(text, encoding="utf-8")


def forge_value(chance, value):
    """Return another value of the same type, or of one that may stand there too."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return max(0, value + chance.choice([-3, -1, 1, 4, 20]))
    if value is None:
        return chance.choice([5, 10, "f"])
    return chance.choice([f"{value}x", "magic", "*", "round"]) if value != "round" else "suppress"


def forge_table(chance, folder):
    """Change the fields of table.csv."""
    text = (folder / "table.csv").read_text(encoding="utf-8")
    separator = ";" if ";" in text else ","
    lines = [line.split(separator) for line in text.splitlines()]
    kind = chance.choice(["swap", "mark", "count", "label", "header", "column", "line", "text", "cut"])
    at, column = chance.randrange(len(lines)), chance.randrange(len(lines[0]))
    other, beside = chance.randrange(len(lines)), chance.randrange(len(lines[0]))
    if kind == "swap":
        lines[at][column], lines[other][beside] = lines[other][beside], lines[at][column]
    elif kind == "column":
        lines = [[*line[:column], str(chance.randint(1, 90)), *line[column:]] for line in lines]
        lines[0][column] = chance.choice(["true", "n", "%", ""])
    elif kind == "line":
        lines.insert(at, [chance.choice([field, "3", "f"]) for field in lines[other]])
    elif kind == "text":
        lines.insert(at, [chance.choice(["Note: 5 are f, yes.", "f, yes: 5", "5"])])
    elif kind == "cut":
        del lines[at]
    else:
        at = 0 if kind == "header" else at
        field = lines[at][column]
        forged = {"mark": chance.choice(["*", "<11", "x", "5", ""]), "label": f"{field} (5)", "header": f"{field}5"}
        lines[at][column] = forged.get(kind, str(int(field) + 1) if field.isdecimal() else "5")
    (folder / "table.csv").write_text("".join(f"{separator.join(line)}\n" for line in lines), encoding="utf-8")


FORGERIES = {
    "table.csv": forge_table,
    "counts.json": lambda chance, folder: forge_json(chance, folder, "counts.json"),
    "release.json": lambda chance, folder: forge_json(chance, folder, "release.json"),
}


def forge(releases, seed, target):
    """Return the verification of a release of which something was changed, and whether it still says the same."""
    chance = random.Random(seed)  # noqa: S311 - forgeries that can be made again
    source = releases[chance.choice([*releases])]
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    name = chance.choice([*FORGERIES])
    FORGERIES[name](chance, target)
    sign(target)
    old, new = (sorted((place / name).read_text(encoding="utf-8").splitlines()) for place in (source, target))
    if name == "release.json":
        old, new = (json.loads((place / name).read_text(encoding="utf-8")) for place in (source, target))
    return verify(target), old == new


def test_no_forgery_is_good_though_its_digests_are(releases, tmp_path):
    for seed in range(500):
        found, is_same = forge(releases, seed, tmp_path / "forged")
        assert found.is_good <= is_same, seed


def change(name, old, new, count=1):
    def edit(folder):
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, count), encoding="utf-8")

    return edit


def add_counts(folder):
    """Add a column of true counts."""
    lines = (folder / "table.csv").read_text().splitlines()
    (folder / "table.csv").write_text("".join(f"{line},{'true' if not at else 5}\n" for at, line in enumerate(lines)))


def add_file(folder):
    (folder / "report.html").write_text("f, yes: 5")
    change("release.json", '"files": {', '"files": {"report.html": "", ')(folder)


EXAMPLES = {
    "a column": (add_counts, "table.csv has the attribute 'true', which counts.json lacks"),
    "swapped labels": (change("table.csv", "f,Total", "m,Total"), "line 3, column 3 of table.csv shows something else"),
    "a count in a label": (
        change("table.csv", "f,yes", "f (5),yes"),
        "table.csv has 1 value of 'sex' that counts.json",
    ),
    "a count in a total": (change("table.csv", "Total,yes", "Total (5),yes"), "1 value of 'sex'"),
    "a line of text": (change("table.csv", "m,no,*\n", "m,no,*\nf yes is 5,,\n"), "1 value of 'sex'"),
    "a header": (change("table.csv", ",n\n", ",n (5 f yes)\n"), "table.csv cannot be read"),
    "an attribute": (change("table.csv", "smoker", "smoker 5"), "the attribute 'smoker 5', which counts.json lacks"),
    "a share": (change("table.csv", "f,yes,*", "f,yes,* (6%)"), "line "),
    "a key of a release": (change("release.json", '"k": 11', '"true": 5, "k": 11'), "the unknown key 'true'"),
    "a key of a table": (change("counts.json", '"counted"', '"true": 5, "counted"'), "the unknown key 'true'"),
    "a key of a cell": (change("counts.json", '"low"', '"true": 5, "low"'), "the unknown key 'true'"),
    "a key of an attribute": (change("counts.json", '"values"', '"true": 5, "values"'), "the unknown key 'true'"),
    "a method": (change("release.json", "suppress", "magic"), "the method 'magic' in release.json is unknown"),
    "another method": (change("release.json", "suppress", "round"), "report.txt says something else"),
    "a version": (change("release.json", '"0.', '"f yes 5 '), "'release' or 'discreet' is no version"),
    "a policy": (change("release.json", '"name": "k"', '"name": "cms"'), "is not the one named 'cms'"),
    "k": (change("release.json", '"k": 11', '"k": 3', 2), "report.txt says something else"),
    "a text": (change("report.txt", "Rule", "f yes is 5. Rule"), "report.txt says something else"),
    "limits": (change("counts.json", '"low": 1, "high": null', '"low": 2, "high": null'), "report.txt says"),
    "a file": (add_file, "'report.html' is listed in release.json, but no part of a release"),
}


@pytest.mark.parametrize(("forgery", "fault"), EXAMPLES.values(), ids=EXAMPLES)
def test_a_forgery_is_named(releases, tmp_path, forgery, fault):
    shutil.copytree(releases["long"], tmp_path / "forged")
    forgery(tmp_path / "forged")
    sign(tmp_path / "forged")
    found = verify(tmp_path / "forged")
    assert any(fault in one for one in found.faults), found.faults


def test_a_page_for_readers_that_was_changed_is_named(releases, tmp_path):
    for folder in (releases["long"], tmp_path / "of itemsets"):
        if not folder.exists():
            write_release(block([["a"]] * 20 + [["a", "b"]] * 30, min_support=10, k=10), folder)
        release = shutil.copytree(folder, tmp_path / folder.name / "release", dirs_exist_ok=True)
        page = tmp_path / folder.name / "readers" / "report.html"
        page.parent.mkdir()
        page.write_text(readers_html(release, verify(release)), encoding="utf-8")
        assert CliRunner().invoke(main, ["verify", str(release)]).exit_code == 0
        page.write_text(page.read_text(encoding="utf-8").replace("RELEASE", "release", 1), encoding="utf-8")
        found = CliRunner().invoke(main, ["verify", str(release)])
        assert (found.exit_code, "readers/report.html is not the page that this release makes" in found.stdout) == (
            1,
            True,
        )
