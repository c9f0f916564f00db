"""Arguments that forgive no misunderstanding: wrong values in our words, supports in words, lists cut at a length."""

import json

import click
import oracle
import pytest
from click.testing import CliRunner

from discreet import audit, mine, read_patterns
from discreet.cli import COMMANDS, main
from discreet.cli.usage import OneOf
from discreet.data.thresholds import doubt_count

ROWS = [list(row) for row in ["abc"] * 30 + ["ab"] * 20 + ["c"] * 25 + ["d"] * 25]
WORDS = ("--format", "baskets")


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def every_command(group, path=()):
    """Yield each command with its words on the command line."""
    for command in group:
        words = (*path, command.name)
        yield from (
            every_command(command.commands.values(), words) if isinstance(command, click.Group) else [(words, command)]
        )


def is_parsed(parameter):
    """Return whether a value can be wrong by itself: it is a number, a size or one of some names."""
    is_parser = isinstance(parameter.type, OneOf | click.types.FuncParamType)
    return isinstance(parameter, click.Option) and not parameter.is_flag and is_parser


PARSED = [
    (words, max(parameter.opts, key=len))
    for words, command in every_command(COMMANDS)
    for parameter in command.params
    if is_parsed(parameter)
]
FOREIGN = [
    (words, parameter.name)
    for words, command in every_command(COMMANDS)
    for parameter in command.params
    if not isinstance(parameter.type, OneOf | click.types.FuncParamType | type(click.STRING) | type(click.BOOL))
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("".join(f"{','.join(row)}\n" for row in ROWS), encoding="utf-8")
    return path


@pytest.mark.parametrize(("words", "flag"), PARSED, ids="".join)
def test_a_wrong_value_is_one_sentence_that_says_what_came_and_what_is_allowed(words, flag):
    result = run(*words, "FILE", flag, "§")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {flag} is '§'")
    assert "give " in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Invalid" not in result.stderr


def test_no_option_has_a_type_whose_words_are_not_ours():
    assert FOREIGN == []
    assert len(PARSED) > 60


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["audit"], "FILE is missing; give one"),
        (["mine", "x"], "--min-support is missing; give --min-support COUNT|SHARE"),
        (["audit", "x", "-k"], "-k has no value; give one after it"),
        (["audit", "x", "--json=3"], "--json takes no value; leave that out"),
        (
            ["audit", "x", "--min-suport", "3"],
            "'--min-suport' is no option of discreet audit; did you mean --min-support?",
        ),
        (["verify", "x", "y z"], "'y z' is too much; leave it out, or put a name with blanks in quotes"),
        (["audti", "x"], "'audti' is no command of discreet; did you mean audit?"),
        (["everything"], "'everything' is no command of discreet;"),
    ],
)
def test_wrong_usage_is_one_sentence_of_ours(arguments, sentence):
    result = CliRunner().invoke(main, arguments, prog_name="discreet")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {sentence}")
    assert result.stderr.count("\n") == 1


# A minimum support in words.


@pytest.mark.parametrize(
    ("support", "words"),
    [
        ("1", "each held by at least 1 row of 100"),
        ("1.0", "each held by all 100 rows (100%)"),
        ("100%", "each held by all 100 rows (100%)"),
        ("0.5%", "each held by at least 1 row of 100"),
        ("20", "each held by at least 20 of 100 rows (20%)"),
    ],
)
def test_one_row_and_all_rows_are_told_apart_in_words(file, support, words):
    assert words in run("audit", file, *WORDS, "--min-support", support, "-k", 3).stdout
    page = audit(ROWS, min_support=support, k=3).to_html()
    assert words.split(" by ")[1].removeprefix("at least ") in page


@pytest.mark.parametrize("command", ["audit", "detect", "attack", "block"])
def test_a_count_below_k_asks_for_the_percentage_that_may_be_meant(tmp_path, command):
    path = tmp_path / "rows.csv"
    path.write_text("".join(f"{','.join(row)}\n" for row in ROWS * 3), encoding="utf-8")
    result = run(command, path, *WORDS, "--min-support", 5, "-k", 10)
    assert "the minimum support is 5 of 300 rows (1.667%), less than k = 10; did you mean 5%?" in result.stderr
    assert "did you mean" not in run(command, path, *WORDS, "--min-support", "5%", "-k", 10).stderr
    assert "did you mean" not in run(command, path, *WORDS, "--min-support", 5, "-k", 10, "--quiet").stderr


def test_the_question_is_among_the_warnings_of_an_audit_of_rows_alone():
    question = "The minimum support is 5 of 300 rows (1.667%), less than k = 10; did you mean 5%?"
    found = audit(ROWS * 3, min_support=5, k=10)
    assert question in found.warnings
    assert question not in audit(mine(ROWS * 3, min_support=10), k=10).warnings


@pytest.mark.parametrize(
    ("count", "n", "k", "question"),
    [
        (1, 2000, 10, "the minimum support is 1 row of 2,000, less than k = 10; did you mean 1%?"),
        (5, 100, 10, "the minimum support is 5 of 100 rows (5%), less than k = 10; did you mean a larger one?"),
        (4, 63, 10, "the minimum support is 4 of 63 rows (6.349%), less than k = 10; did you mean a larger one?"),
        (
            150,
            2000,
            200,
            "the minimum support is 150 of 2,000 rows (7.5%), less than k = 200; did you mean a larger one?",
        ),
        (10, 2000, 10, ""),
        (4, 4, 10, ""),
    ],
)
def test_a_question_names_a_percentage_only_if_it_is_another_threshold(count, n, k, question):
    assert doubt_count(count, n, k) == question


# Lists that are cut at a length.


@pytest.mark.parametrize("command", ["audit", "detect", "attack", "tradeoff", "block"])
def test_every_command_takes_a_length_and_its_json_states_it(file, command):
    given = () if command == "tradeoff" else ("--min-support", 10)
    result = run(command, file, *WORDS, *given, "-k", 3, "--max-length", 2, "--json")
    assert json.loads(result.stdout)["max_length"] == 2


def test_text_says_at_which_length_a_list_is_cut(file):
    options = [file, *WORDS, "--min-support", 10, "-k", 3, "--max-length", 2]
    assert "closed itemsets of at most 2 items, each held by" in run("audit", *options).stdout
    assert "frequent itemsets of at most 2 items from" in run("block", *options, "--method", "add").stdout


def test_a_release_that_is_cut_is_written_and_verified_and_compared_as_such(file, tmp_path):
    options = ["--min-support", 10, "-k", 3, "--max-length", 2, "--method", "add", "--out", tmp_path / "release"]
    assert run("block", file, *WORDS, *options, "--patterns", "csv").exit_code == 0
    verified = run("verify", tmp_path / "release")
    assert (verified.exit_code, "itemsets of at most 2 items, each" in verified.stdout) == (0, True)
    claims = json.loads((tmp_path / "release" / "release.json").read_text(encoding="utf-8"))
    assert (claims["max_length"], claims["kind"]) == (2, "frequent")
    against = run("attack", file, *WORDS, "--min-support", 10, "-k", 3, "--against", tmp_path / "release", "--json")
    assert "different lengths" in against.stdout
    page = run("report", tmp_path / "release", "--out", "-").stdout
    assert "Itemsets of more than 2 items were left out, frequent or not." in page


@pytest.mark.parametrize("form", ["csv", "out", "json", "txt", "parquet"])
def test_patterns_that_are_cut_are_judged_as_such_whatever_their_file_says(file, tmp_path, form):
    place = tmp_path / f"patterns.{form}"
    run("mine", file, *WORDS, "--min-support", 2, "--max-length", 2, "--kind", "frequent", "--out", place)
    said = ["--max-length", 2, "--n", len(ROWS)]
    result = run("audit", place, "-k", 3, *said, "--json")
    assert json.loads(result.stdout)["max_length"] == 2
    patterns = read_patterns(place, n=len(ROWS), max_length=2)
    assert dict(patterns) == oracle.frequent(ROWS, 2, 2)
    refused = run("audit", place, "-k", 3, "--max-length", 1, "--n", len(ROWS))
    assert refused.exit_code == 2
    assert "max-length" in refused.stderr


def test_a_cut_list_of_rows_that_grew_is_refused(file, tmp_path):
    place = tmp_path / "old.json"
    run("mine", file, *WORDS, "--min-support", 10, "--max-length", 1, "--out", place)
    result = run("attack", file, *WORDS, "--min-support", 10, "-k", 3, "--against", place, "--grown")
    assert result.exit_code == 2
    assert "leave out --grown, or say --partial" in result.stderr


def test_a_file_after_counts_is_no_name_of_a_column(tmp_path):
    place, text = tmp_path / "table.csv", "ward,n\nTotal,40\na,33\nb,<10\nc,<10\n"
    place.write_text(text, encoding="utf-8")
    after, before = run("audit", place, "--counts", "-k", 10), run("audit", "--counts", place, "-k", 10)
    assert (before.exit_code, before.stdout) == (after.exit_code, after.stdout)
    named = run("audit", "--counts", "n", place, "-k", 10)
    assert (named.exit_code, named.stdout) == (after.exit_code, after.stdout)
    assert CliRunner().invoke(main, ["audit", "--counts", "-", "-k", "10"], input=text).exit_code == after.exit_code
    assert run("audit", "--counts", "x" * 5000, "-k", 10).exit_code == 2
