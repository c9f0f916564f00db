"""Releases in the app: what a verification claims is what it proves, and two are compared as the library does."""

import io
import zipfile

import pytest
from web import answer, facts, served, upload

import discreet
from discreet.data.generate import clinic
from discreet.report import readers_html

ROWS = list(clinic(2000, seed=1))
AT = {"min_support": "5%", "k": 10}
SMOKERS = (
    "sex,smoker,n\nTotal,Total,180\nf,Total,90\nm,Total,90\nTotal,yes,50\nTotal,no,130\n"
    "f,yes,<11\nf,no,85\nm,yes,45\nm,no,45\n"
)
APRIL = "sex,smoker,n\nTotal,Total,177\nf,Total,88\nm,Total,89\n"
FOR_READERS = ("patterns.csv", "patterns.xlsx", "report.html")


@pytest.fixture(scope="module")
def client():
    with served(many=1) as found:
        yield found


def withheld(rows, folder, **options):
    discreet.write_release(discreet.block(discreet.Transactions(rows), method="withhold", **AT, **options), folder)
    return folder


@pytest.fixture(scope="module")
def older(tmp_path_factory):
    """The release of last year's patients."""
    return withheld(ROWS[:1900], tmp_path_factory.mktemp("older") / "release")


@pytest.fixture(scope="module")
def newer(tmp_path_factory):
    """The release of this year's patients, made as if there were no other."""
    return withheld(ROWS, tmp_path_factory.mktemp("newer") / "release")


@pytest.fixture(scope="module")
def beside(tmp_path_factory, older):
    """The release of this year's patients that is safe beside last year's."""
    return withheld(ROWS, tmp_path_factory.mktemp("beside") / "release", beside=older, grown=True)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A release of tables of counts."""
    place = tmp_path_factory.mktemp("tables")
    (place / "smokers.csv").write_text(SMOKERS, encoding="utf-8")
    blocked = discreet.block(discreet.read_counts(place / "smokers.csv"), k=11, method="suppress")
    discreet.write_release(blocked, place / "release")
    return place / "release"


def files_of(release):
    return {path.name: path.read_bytes() for path in release.iterdir() if path.is_file()}


def zipped(release, extra=()):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as pack:
        for name, data in files_of(release).items():
            pack.writestr(f"release/{name}", data)
        for name in extra:
            pack.writestr(name, "x")
    return file.getvalue()


def sent(client, release, extra=()):
    return upload(client, zipped(release, extra), "release.zip")


def test_a_forged_release_is_not_the_publishers(client, newer, older):
    """It is consistent and safe, as the forger made it with a certificate of its own."""
    forged, real = sent(client, older), discreet.verify(newer).digest
    found = facts(client, "verify", upload=forged)
    assert found["is_good"]
    assert not any("publisher" in sentence or "changed" in sentence for sentence in found["proven"])
    assert found["not_proven"][0].startswith("Whose numbers these are, and whether somebody changed them")
    found = facts(client, "verify", upload=forged, fingerprint=real)
    assert (found["is_good"], found["matches"]) == (False, False)
    assert (found["proven"], found["not_proven"]) == ([], [])


def test_only_the_fingerprint_proves_whose_numbers_they_are(client, newer):
    found = facts(client, "verify", upload=sent(client, newer), fingerprint=discreet.verify(newer).digest)
    assert found["proven"][-1].startswith("These are the publisher's numbers")
    assert not any(sentence.startswith("Whose numbers") for sentence in found["not_proven"])


def test_numbers_for_readers_are_compared_with_the_release(client, newer, tmp_path):
    page = readers_html(newer, discreet.verify(newer))
    copies = {"patterns.xlsx": b"x", "report.html": page.encode()}
    discreet.write_patterns(discreet.read_patterns(newer / "patterns.json"), tmp_path / "patterns.csv", format="csv")
    copies["patterns.csv"] = (tmp_path / "patterns.csv").read_bytes()

    def checked():
        names = [*files_of(newer).items(), *((f"readers/{name}", data) for name, data in copies.items())]
        return facts(client, "verify", files={name: upload(client, data, name) for name, data in names})

    found = checked()
    assert found["is_good"]
    assert "Not checked: the files for readers (patterns.xlsx)." in found["not_proven"]
    assert found["unchecked"] == ["patterns.xlsx"]
    copies["patterns.csv"] = copies["patterns.csv"].replace(b"1", b"2", 1)
    found = checked()
    assert (found["is_good"], found["proven"]) == (False, [])
    changed = "{} for readers is not what this release makes: it was changed"
    assert found["faults"] == [changed.format("patterns.csv")]
    zipped = facts(client, "verify", upload=sent(client, newer, [f"readers/{name}" for name in FOR_READERS]))
    assert {*zipped["faults"]} == {changed.format(name) for name in ("patterns.csv", "report.html")}
    copies |= {"patterns.csv": b"x", "report.html": page.replace("k = ", "k > ").encode()}
    assert {*checked()["faults"]} == {changed.format(name) for name in ("patterns.csv", "report.html")}


@pytest.mark.parametrize("extra", ["readers/evil.py", "evil.csv", "readers/readers/report.html", "other/report.html"])
def test_other_files_are_still_refused(client, newer, extra):
    refused = answer(client, "verify", upload=sent(client, newer, [extra]))
    assert refused.status_code == 400
    assert "choose the zip of a release alone" in refused.json()["error"]


def test_older_releases_are_checked_together(client, newer, older, beside):
    made = sent(client, beside)
    found = facts(client, "verify", upload=made)
    assert "What it reveals together with 1 older release that it was made beside." in found["not_proven"]
    expected = discreet.verify(beside, beside=[older])
    for old in (sent(client, older), {name: upload(client, data, name) for name, data in files_of(older).items()}):
        found = facts(client, "verify", upload=made, beside=[old])
        assert found["together"] == list(expected.together)
        assert any(sentence.startswith("Together with 1 older release") for sentence in found["proven"])
        assert not any("older release" in sentence for sentence in found["not_proven"])
    refused = answer(client, "verify", upload=made, beside=[sent(client, newer)])
    assert refused.status_code == 400
    assert "none that this one was made beside" in refused.json()["error"]
    assert answer(client, "verify", upload=made, beside="x").status_code == 400
    assert answer(client, "verify", upload=made, beside=["x"]).status_code == 404
    assert answer(client, "verify", upload="this-year").status_code == 404


def test_a_release_of_tables_is_verified(client, tables):
    found = facts(client, "verify", upload=sent(client, tables))
    assert found["is_good"]
    assert found["tables"] == "9 cells of 1 table, 4 masked"
    assert "No count of fewer than 11 people that is masked or left out can be worked out" in found["proven"][1]


def test_a_file_of_a_table_stays_in_its_folder(client, tables):
    files = {**files_of(tables), "../evil.csv": b"x"}
    refused = answer(client, "verify", files={name: upload(client, data, "x") for name, data in files.items()})
    assert refused.status_code == 400


def listed(found):
    return [(one["base"], one["lacked"], one["before"], one["now"]) for one in found["findings"]]


def expected_changes(judged):
    changes = [change for changes in judged.changes for change in changes]
    return [(sorted(one.base), sorted(one.top - one.base), one.before, one.after) for one in changes]


@pytest.mark.parametrize("grown", [True, False])
def test_the_story_is_compared_as_the_library_does(client, newer, older, grown):
    judged = discreet.audit(
        discreet.read_patterns(newer / "patterns.json"),
        k=10,
        against=[discreet.read_patterns(older / "patterns.json")],
        grown=grown,
    )
    changes = expected_changes(judged)
    assert len(changes) > 200
    story = facts(client, "compare_releases", newer="this-year", older="last-year", k=10, grown=grown)
    files = facts(client, "compare_releases", newer=sent(client, newer), older=sent(client, older), k=10, grown=grown)
    for found in (story, files):
        assert (found["verdict"], found["sentence"]) == ("WITHHOLD", judged.sentence)
        assert (found["newer"]["verdict"], found["older"]["verdict"]) == ("RELEASE", "RELEASE")
        assert (found["total"], found["matching"]) == (len(changes), len(changes))
        assert listed(found) == changes[:200]


def test_a_search_looks_at_all_differences(client):
    story = {"newer": "this-year", "older": "last-year", "k": 10, "grown": True}
    every = facts(client, "compare_releases", **story)
    found = facts(client, "compare_releases", **story, search="asthma salbutamol")
    assert 0 < found["matching"] < found["total"] == every["total"]
    assert all({"asthma", "salbutamol"} <= {*one["base"], *one["lacked"]} for one in found["findings"])
    assert facts(client, "compare_releases", **story, search="nobody")["findings"] == []


def test_a_release_that_was_made_beside_the_older_one_reveals_nothing(client, beside, older):
    made = {name: upload(client, data, name) for name, data in files_of(beside).items()}
    found = facts(client, "compare_releases", newer=made, older=sent(client, older), k=10, grown=True)
    assert (found["verdict"], found["total"], found["findings"]) == ("RELEASE", 0, [])
    report = client.get(found["files"][0]["url"])
    assert report.content.startswith(b"<!doctype html>")


def test_what_is_the_same_and_what_changed_is_counted(client):
    old = b'{"n": 40, "min_support": 10, "kind": "frequent", "patterns": [%s]}'
    lines = [b'{"items": ["a"], "support": %d}', b'{"items": ["b"], "support": 20}', b'{"items": ["c"], "support": 15}']
    before = upload(client, old % b", ".join([lines[0] % 30, lines[1]]), "old.json")
    now = upload(client, old % b", ".join([lines[0] % 32, lines[1], lines[2]]), "new.json")
    found = facts(client, "compare_releases", newer=now, older=before, k=5)
    assert [found[name] for name in ("same", "rose", "fell", "only_newer", "only_older")] == [1, 1, 0, 1, 0]
    assert [found["newer"]["file"], found["older"]["file"]] == ["new.json", "old.json"]


def test_tables_are_compared_as_the_library_does(client, tmp_path):
    keys = {}
    for name, text in (("newer", SMOKERS), ("older", APRIL)):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        keys[name] = upload(client, text.encode(), f"{name}.csv")
    new, old = (discreet.read_counts(tmp_path / f"{name}.csv") for name in ("newer", "older"))
    judged = discreet.audit(new, k=11, against=[old], grown=True)
    found = facts(client, "compare_releases", **keys, k=11, grown=True)
    assert (found["verdict"], found["total"]) == ("WITHHOLD", len(judged.findings))
    assert [one["sum"] for one in found["findings"]] == [one.explain() for one in judged.findings]
    assert (found["findings"][0]["before"], found["findings"][0]["now"], found["findings"][0]["low"]) == (89, 90, 1)


def test_releases_of_tables_are_compared(client, tables):
    made = sent(client, tables)
    found = facts(client, "compare_releases", newer=made, older=made, k=11)
    assert (found["verdict"], found["total"], found["fell"], found["rose"]) == ("RELEASE", 0, 0, 0)


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (b"tea,milk\nmilk,wine\n", "rows.csv", "lists no patterns and has no tables of counts"),
        (SMOKERS.encode(), "smokers.csv", "choose two of a kind"),
        (b"no zip", "release.zip", "this zip cannot be read"),
        (b'{"patterns": [{"items": ["secret"], "support": 20}]}', "list.json", "the number of rows"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(client, data, name, sentence):
    refused = answer(client, "compare_releases", newer=upload(client, data, name), older="last-year", k=10)
    assert refused.status_code == 400
    assert sentence in refused.json()["error"]
    assert "secret" not in refused.text
    assert "/" not in refused.json()["error"]


def test_labels_are_not_asked_for_by_an_address(client):
    assert client.get("/api/compare_releases?newer=this-year&older=last-year&k=10").status_code == 405
