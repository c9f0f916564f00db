"""Ordinary files: lists, tables of counts and rows as people write them, each with the verdict that it keeps.

The people do not exist. The verdicts stand in ``ordinary.txt``; ``python tests/ordinary.py`` writes them anew.
"""

import gzip
import io
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import chain, combinations, product
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import polars as pl
import ways
from click.testing import CliRunner

import discreet
from discreet.cli import main

VERDICTS = Path(__file__).with_name("ordinary.txt")
K = 10


class File(NamedTuple):
    """A file, or a folder of texts by their names; the options of its owner, and texts ``beside`` it that they name."""

    name: str
    data: bytes | Mapping[str, str]
    options: tuple[str, ...] = ()
    beside: Mapping[str, str] = MappingProxyType({})


def file(lines, *options, name="table.csv", separator=",", end="\n", quoted=False, encoding="utf-8"):
    """Lines of fields as a file; a field is quoted where it must be, or everywhere."""

    def write(field):
        text = str(field)
        return '"{}"'.format(text.replace('"', '""')) if quoted or separator in text or '"' in text else text

    data = "".join(separator.join(map(write, line)) + end for line in lines)
    return File(name, data.encode(encoding), options)


def judge(one, folder):
    """The verdict of ``discreet audit``, as its users call it."""
    path = Path(folder, one.name)
    if isinstance(one.data, bytes):
        path.write_bytes(one.data)
    else:
        path.mkdir()
    for name, text in (one.beside if isinstance(one.data, bytes) else one.data).items():
        (Path(folder) if one.beside else path).joinpath(name).write_text(text, "utf-8")
    given = () if {"-k", "--policy", "--acro"} & {*one.options} else ("-k", str(K))
    options = [option.replace("FOLDER", str(folder)) for option in one.options]
    told = CliRunner().invoke(main, ["audit", str(path), *given, "--json", "--quiet", *options])
    return json.loads(told.stdout)["verdict"] if told.exit_code in {0, 1} else told.stderr.strip()


# The people

ICD = """
A09 B34 C50 D64 E11 E78 F32 F41 G40 G43 H25 H66 I10 I21 I48 I50 J18 J44 J45 K29 K35 K57 L03 M17 M54 N18 N39 R07 S72 Z38
"""
VALUES = {
    "sex": ("Female", "Male"),
    "age_group": ("0-17", "18-39", "40-64", "65+"),
    "region": ("North", "South", "East", "West"),
    "smoker": ("yes", "no"),
    "ward": ("Cardiology", "Geriatrics", "Neurology", "Oncology", "Paediatrics", "Surgery"),
    "admission": ("emergency", "elective"),
    "outcome": ("home", "transfer", "died"),
    "diagnosis": tuple(ICD.split()),
    "year": ("2019", "2020", "2021", "2022", "2023"),
    "month": tuple(map(str, range(1, 13))),
    "quarter": ("Q1", "Q2", "Q3", "Q4"),
}
WEIGHTS = {
    "age_group": (2, 4, 5, 5),
    "smoker": (2, 5),
    "outcome": (16, 3, 2),
    "admission": (3, 2),
    "ward": (5, 4, 3, 3, 2, 6),
    "year": (5, 4, 6, 3, 5),
}


def admit(many, seed):
    """People in a hospital."""
    drawn = random.Random(seed)  # noqa: S311 - people who do not exist
    return [{name: drawn.choices(values, WEIGHTS.get(name))[0] for name, values in VALUES.items()} for _ in range(many)]


HOSPITAL, CLINIC, REGISTRY = admit(2400, 1), admit(130, 2), admit(15_000, 3)
GOODS = {"bread": 5, "milk": 5, "butter": 3, "eggs": 3, "cheese": 3, "coffee": 4, "tea": 2, "apples": 3, "wine": 1}
DRUGS = {"aspirin": 4, "statin": 5, "metformin": 3, "insulin": 1, "ramipril": 4, "warfarin": 1, "morphine": 1}


def fill(items, many, seed):
    """Baskets of a shop, or what patients are given."""
    drawn = random.Random(seed)  # noqa: S311 - as above
    rows = [[item for item, weight in items.items() if drawn.random() < weight / 9] for _ in range(many)]
    return [row or [next(iter(items))] for row in rows]


# Tables of counts


def tally(people, names):
    """Counts of people by some attributes; None stands for all values together."""
    cells, found = Counter(tuple(one[name] for name in names) for one in people), Counter()
    for values, many in cells.items():
        for at in product(*((value, None) for value in values)):
            found[at] += many
    return found


def crosstab(people, row, column, *, total="Total", head=None, margins="rc", show=str):
    """A crosstab with its margins: of rows, of columns."""
    counts = tally(people, (row, column))
    rows = [*VALUES[row], *([None] if "r" in margins else [])]
    columns = [*VALUES[column], *([None] if "c" in margins else [])]
    lines = [[head if head is not None else row, *(one or total for one in columns)]]
    return lines + [[at or total, *(show(counts[at, to]) for to in columns)] for at in rows]


def below(least, mark):
    """Show a count, or the mark if it is small."""
    return lambda count: mark if 0 < count < least else str(count)


def grouped(sign):
    """Show a count with a sign between its thousands."""
    return lambda count: f"{count:,}".replace(",", sign)


DIALECTS = {
    "commas": ({}, {}),
    "semicolons": ({}, {"separator": ";"}),
    "tabs": ({}, {"separator": "\t", "name": "table.tsv"}),
    "pandas": ({"total": "All"}, {}),
    "R": ({"total": "Sum", "head": ""}, {"quoted": True}),
    "German": ({"total": "Gesamt"}, {"separator": ";", "end": "\r\n"}),
    "French": ({"total": "Ensemble"}, {"separator": ";", "encoding": "utf-8-sig"}),
}
PAIRS = [("sex", "age_group"), ("ward", "outcome"), ("region", "smoker"), ("age_group", "admission"), ("year", "sex")]


def crosstabs():
    for (row, column), (dialect, (how, write)) in product(PAIRS, DIALECTS.items()):
        yield f"crosstab {row} by {column}, {dialect}", file(crosstab(HOSPITAL, row, column, **how), **write)
    for row, column in PAIRS:
        name = f"crosstab {row} by {column}"
        yield f"{name}, small", file(crosstab(CLINIC, row, column))
        for mark in ("<10", "*", "."):
            yield f"{name}, masked {mark}", file(crosstab(CLINIC, row, column, show=below(10, mark)))
        for mark in ("*", "[c]"):
            yield f"{name}, masked with others {mark}", file(masked_block(CLINIC, row, column, 10, mark))
        lines = crosstab(CLINIC, row, column, margins="", show=below(10, "<10"))
        yield f"{name}, masked, no totals", file(lines, "--counts")
        yield f"{name}, no totals", file(crosstab(HOSPITAL, row, column, margins=""), "--counts")
        yield f"{name}, totals of rows", file(crosstab(HOSPITAL, row, column, margins="c"))
        yield f"{name}, totals of columns", file(crosstab(HOSPITAL, row, column, margins="r"))
    for sign, word in ((",", "commas"), (" ", "blanks")):
        lines = crosstab(HOSPITAL, "sex", "region", show=grouped(sign))
        yield f"crosstab, thousands with {word}", file(lines, separator=";")
        yield f"crosstab, thousands with {word}, quoted", file(lines, quoted=True)
    yield "crosstab, totals first", file(totals_first(crosstab(HOSPITAL, "ward", "sex")))
    yield "crosstab, Excel", File("table.xlsx", workbook(crosstab(HOSPITAL, "sex", "age_group")))
    yield (
        "crosstab, Excel, a title",
        File("table.xlsx", workbook([["Table 1: wards"], *crosstab(CLINIC, "ward", "sex")])),
    )
    yield "crosstab, gzip", zipped(file(crosstab(HOSPITAL, "region", "outcome")))
    yield "crosstab, no suffix", file(crosstab(HOSPITAL, "region", "outcome"), name="table")
    yield (
        "crosstab, other word for totals",
        file(crosstab(HOSPITAL, "sex", "smoker", total="whole"), "--total", "whole"),
    )
    yield "crosstab, by a policy", file(crosstab(HOSPITAL, "sex", "smoker"), "--counts", "--policy", "cms")


def masked_block(people, row, column, least, mark):
    """A crosstab with small counts masked, and with them as much as keeps them from being worked out."""
    lines = crosstab(people, row, column)
    inner = [(at, to) for at in range(1, len(lines) - 1) for to in range(1, len(lines[0]) - 1)]
    small = [(at, to) for at, to in inner if 0 < int(lines[at][to]) < least]
    rows, columns = ({at[axis] for at in small} for axis in (0, 1))
    by_size = sorted(inner, key=lambda at: int(lines[at[0]][at[1]]))
    rows |= {next(at for at, _ in by_size if at not in rows)} if len(rows) == 1 else set()
    columns |= {next(to for _, to in by_size if to not in columns)} if len(columns) == 1 else set()
    return [
        [mark if at in rows and to in columns else field for to, field in enumerate(line)]
        for at, line in enumerate(lines)
    ]


def totals_first(lines):
    head, *body, last = lines
    return [[head[0], head[-1], *head[1:-1]], *([line[0], line[-1], *line[1:-1]] for line in [last, *body])]


def workbook(lines):
    import openpyxl

    book, out = openpyxl.Workbook(), io.BytesIO()
    for line in lines:
        book.active.append([int(field) if str(field).isdecimal() else field for field in line])
    book.save(out)
    return out.getvalue()


def zipped(one):
    return one._replace(name=f"{one.name}.gz", data=gzip.compress(one.data, mtime=0))


def upper_levels(people, row, upper, lower, *, repeat, total="Total"):
    """A crosstab whose columns have two levels, each label of the upper one once or always."""
    counts = tally(people, (row, upper, lower))
    tops = [*product(VALUES[upper], (*VALUES[lower], None)), (None, None)]
    first = [at or total if repeat or at is None or low == VALUES[lower][0] else "" for at, low in tops]
    second = [(low or total) if at else "" for at, low in tops]
    lines = [[upper if repeat else "", *first], [lower if repeat else "", *second]]
    lines += [[row, *[""] * len(tops)]] if repeat else []
    return lines + [[at or total, *(counts[at, *top] for top in tops)] for at in (*VALUES[row], None)]


def two_levels():
    for row, upper, lower in [
        ("region", "sex", "smoker"),
        ("ward", "sex", "admission"),
        ("age_group", "smoker", "sex"),
    ]:
        yield (
            f"two levels, {row} by {upper} and {lower}, pandas",
            file(upper_levels(HOSPITAL, row, upper, lower, repeat=True)),
        )
        yield (
            f"two levels, {row} by {upper} and {lower}, Excel",
            file(upper_levels(HOSPITAL, row, upper, lower, repeat=False)),
        )
        yield (
            f"two levels, {row} by {upper} and {lower}, small",
            file(upper_levels(CLINIC, row, upper, lower, repeat=True)),
        )
        counts = tally(HOSPITAL, (row, upper, lower))
        rows = [*product(VALUES[row], (*VALUES[upper], None)), (None, None)]
        lines = [[row, upper, *VALUES[lower], "Total"]]
        lines += [
            [
                one or "Total",
                other or ("Total" if one else ""),
                *(counts[one, other, at] for at in (*VALUES[lower], None)),
            ]
            for one, other in rows
        ]
        yield f"two levels of lines, {row} and {upper} by {lower}", file(lines)


def percent(part, whole, digits=1):
    return f"{100 * part / whole:.{digits}f}"


def with_percent(people, row, column, of, *, show):
    """A crosstab with percentages beside its counts, of the totals of lines, columns or all."""
    counts = tally(people, (row, column))
    wholes = {"row": lambda at, _: (at, None), "column": lambda _, to: (None, to), "all": lambda *_: (None, None)}
    columns = [*VALUES[column], None]
    for at in (*VALUES[row], None):
        cells = [(counts[at, to], percent(counts[at, to], counts[wholes[of](at, to)])) for to in columns]
        yield [at or "Total", *chain.from_iterable(show(*cell) for cell in cells)]


def shares():
    for (row, column), of in product(PAIRS[:3], ("row", "column", "all")):
        names = [*VALUES[column], "Total"]
        beside = list(with_percent(HOSPITAL, row, column, of, show=lambda count, share: (count, share)))
        head = [row, *chain.from_iterable((name, f"{name} %") for name in names)]
        yield f"percent columns, {row} by {column}, of {of}", file([head, *beside])
        levels = [["", *chain.from_iterable((name, "") for name in names)], ["", *["n", "%"] * len(names)]]
        yield f"n and %, {row} by {column}, of {of}", file([*levels, *beside])
        within = with_percent(HOSPITAL, row, column, of, show=lambda count, share: [f"{count} ({share}%)"])
        yield f"percent in brackets, {row} by {column}, of {of}", file([[row, *names], *within])
    for name, digits in (("percent", 1), ("%", 0), ("pct", 2)):
        for what, people in (("", HOSPITAL), (", small", CLINIC), (", masked", CLINIC)):
            show = below(10, "<10") if what == ", masked" else str
            lines = [
                [*at, show(count), percent(count, len(people), digits)]
                for at, count in long(people, ("ward",), show=int)
            ]
            yield f"long with {name}{what}", file([["ward", "n", name], *lines])


def long(people, names, *, total="Total", totals=True, show=str):
    """Each count of a long table, with its values."""
    counts = tally(people, names)
    return [
        ([one or total for one in at], show(counts[at]))
        for at in product(*((*VALUES[name], *([None] if totals else [])) for name in names))
    ]


def flat(cells):
    return [[*at, count] for at, count in cells]


LONG = [
    ("sex", "age_group"),
    ("sex", "age_group", "region"),
    ("ward",),
    ("diagnosis",),
    ("year", "sex"),
    ("year", "month"),
    ("year", "quarter", "sex"),
    ("region", "outcome"),
    ("month",),
]


def long_tables():
    for names in LONG:
        title = f"long by {', '.join(names)}"
        yield title, file([[*names, "n"], *flat(long(REGISTRY, names))])
        yield f"{title}, small", file([[*names, "n"], *flat(long(CLINIC, names))])
        yield f"{title}, masked", file([[*names, "n"], *flat(long(CLINIC, names, show=below(10, "<10")))])
        lines = flat(long(REGISTRY, names, totals=False))
        yield f"{title}, no totals", file([[*names, "count"], *lines], "--counts", separator=";")
        masked = flat(long(CLINIC, names, totals=False, show=below(10, "*")))
        yield f"{title}, masked, no totals", file([[*names, "count"], *masked], "--counts", "--masked", "*=1..9")
    head = ["sex", "region", "n"]
    for word in ("All", "Sum", "", "NA", "(all)", "Gesamt", "Ensemble", "Totaal"):
        lines = flat(long(REGISTRY, ("sex", "region"), total=word))
        yield f"long, total is {word or 'blank'}", file([head, *lines], "--counts")
    for column in ("count", "frequency", "cases", "patients", "n_patients"):
        lines = flat(long(HOSPITAL, ("sex", "smoker")))
        yield f"long, counts called {column}", file([["sex", "smoker", column], *lines])
    lines = flat(long(HOSPITAL, ("sex", "smoker")))
    yield "long, counts named", file([["sex", "smoker", "admitted"], *lines], "--counts", "admitted")
    rounded = flat(long(REGISTRY, ("sex", "region"), show=lambda count: round(count / 5) * 5))
    yield "long, rounded", file([head, *rounded], "--counts", "--round-to", "5")
    yield "long, Excel", File("table.xlsx", workbook([head, *flat(long(HOSPITAL, ("sex", "region")))]))
    yield "long, dates", file([["week", "cases"], *series(52, 3)], "--counts")
    yield "long, dates, small", file([["week", "cases"], *series(20, 4, middle=12)], "--counts")
    yield "long, dates by sex", file([["day", "sex", "n"], *by_sex(series(30, 5))], "--counts")
    yield "long, years", file([["year", "deaths_n"], *years(6)], "--counts", "deaths_n")
    yield "long, years and a total", file([["year", "n"], *years(7), ["Total", sum(many for _, many in years(7))]])


def series(many, seed, middle=80):
    """Counts of weeks that rise and fall."""
    drawn = random.Random(seed)  # noqa: S311 - as above
    days = pl.date_range(pl.date(2023, 1, 2), pl.date(2023, 12, 31), "1w", eager=True)
    return [[str(day), middle + drawn.randint(-middle // 2, middle)] for day in days[:many]]


def by_sex(lines):
    return [[day, sex, many + at * 7] for day, many in lines for at, sex in enumerate(VALUES["sex"])]


def years(seed):
    drawn = random.Random(seed)  # noqa: S311 - as above
    return [[year, 150 + drawn.randint(-90, 90)] for year in range(2010, 2024)]


def hierarchies():
    """Counts of wards and of the departments that they belong to."""
    departments = {"medicine": VALUES["ward"][:3], "others": VALUES["ward"][3:]}
    parents = "".join(f"{ward},{one}\n" for one, wards in departments.items() for ward in wards)
    for name, people in (("", HOSPITAL), (", small", CLINIC)):
        counts = tally(people, ("ward", "sex"))
        lines = [["ward", "sex", "n"]]
        for sex in (*VALUES["sex"], None):
            for one, wards in departments.items():
                lines += [[ward, sex or "Total", counts[ward, sex]] for ward in wards]
                lines += [[one, sex or "Total", sum(counts[ward, sex] for ward in wards)]]
            lines += [["Total", sex or "Total", counts[None, sex]]]
        options = "--counts", "--hierarchy", "ward=FOLDER/parents.csv"
        made = file(lines, *options)._replace(beside={"parents.csv": f"child,parent\n{parents}"})
        yield f"long with a hierarchy{name}", made


# Tables of programs


def achilles(people, least=0):
    """Results of Achilles: people, by sex, by year of birth, and by both; few people are deleted."""
    born = [
        one | {"sex": "8507" if one["sex"] == "Male" else "8532", "year": str(1940 + 10 * int(one["month"]))}
        for one in people
    ]
    counts = Counter(
        chain.from_iterable([(1,), (2, one["sex"]), (3, one["year"]), (10, one["year"], one["sex"])] for one in born)
    )
    head = ["analysis_id", "stratum_1", "stratum_2", "stratum_3", "stratum_4", "stratum_5", "count_value"]
    lines = [
        [at, *strata, *[""] * (5 - len(strata)), many] for (at, *strata), many in sorted(counts.items()) if many > least
    ]
    return [head, *lines]


def summarised_result(people, least=0):
    """A summarised result of a cohort, by sex and age, with those who smoke."""
    head = (
        "result_id,cdm_name,group_name,group_level,strata_name,strata_level,variable_name,variable_level,estimate_name"
    )
    head += ",estimate_type,estimate_value,additional_name,additional_level"
    counts = tally(people, ("sex", "age_group", "smoker"))
    lines = [head.split(",")]
    for sex, age in product((None, *VALUES["sex"]), (None, *VALUES["age_group"])):
        names = " &&& ".join(name for name, value in (("sex", sex), ("age_group", age)) if value) or "overall"
        levels = " &&& ".join(value for value in (sex, age) if value) or "overall"
        first, last = ["1", "mock", "cohort_name", "asthma", names, levels], ["overall", "overall"]
        whole = counts[sex, age, None]
        lines.append([*first, "Number subjects", "NA", "count", "integer", below(least, f"<{least}")(whole), *last])
        for smokes in VALUES["smoker"]:
            many = counts[sex, age, smokes]
            lines.append([*first, "Smoker", smokes, "count", "integer", below(least, f"<{least}")(many), *last])
            if many >= least:
                lines.append([*first, "Smoker", smokes, "percentage", "percentage", percent(many, whole, 2), *last])
    return lines


def measures(people, rounds=1):
    """Measures of OpenSAFELY: those who were admitted in an emergency, by year and sex."""
    counts = tally(people, ("year", "sex", "admission"))
    yield ["measure", "interval_start", "interval_end", "ratio", "numerator", "denominator", "sex"]
    for year, sex in product(VALUES["year"], VALUES["sex"]):
        part, whole = (round(counts[year, sex, at] / rounds) * rounds for at in ("emergency", None))
        yield ["emergencies", f"{year}-01-01", f"{year}-12-31", part / whole, part, whole, sex]


def session(people, *, suppressed=True):
    """A session of ACRO with two crosstabs."""
    results, files = {}, {}
    for at, (row, column) in enumerate([("sex", "age_group"), ("sex", "region")]):
        show = below(10, "") if suppressed else str
        lines = crosstab(people, row, column, total="All", show=show)
        files[f"output_{at}_0.csv"] = "".join(",".join(line) + "\n" for line in lines)
        results[f"output_{at}"] = {
            "uid": f"output_{at}",
            "type": "table",
            "fair": {"statbarn": "Frequencies", "independent": [row, column]},
            "properties": {"method": "crosstab"},
            "files": [{"name": f"output_{at}_0.csv", "sdc": {}}],
            "command": f"acro.crosstab(df.{row}, df.{column})",
        }
    files["results.json"] = json.dumps({"version": "0.4.12", "results": results})
    return files


def programs():
    for name, people in ((", large", REGISTRY), ("", HOSPITAL), (", small", CLINIC)):
        yield f"Achilles{name}", file(achilles(people), "--counts")
        yield f"Achilles{name}, deleted", file(achilles(people, 10), "--counts", "--policy", "darwin")
        yield f"summarised_result{name}", file(summarised_result(people), "--counts")
        yield f"summarised_result{name}, masked", file(summarised_result(people, 10), "--counts")
        yield f"measures{name}", file(measures(people), "--counts")
        yield f"measures{name}, rounded", file(measures(people, 5), "--counts", "--round-to", "5")
        yield f"ACRO{name}", File("outputs", session(people, suppressed=False), ("--acro", "-k", "10"))
        yield f"ACRO{name}, suppressed", File("outputs", session(people), ("--acro", "-k", "10"))


# Lists of itemsets and of rules


def mine(rows, least, longest=9):
    """Frequent itemsets with their supports, by counting all subsets of all rows."""
    found = Counter()
    for row in rows:
        for size in range(1, min(len(row), longest) + 1):
            found.update(combinations(sorted(row), size))
    kept = [(itemset, many) for itemset, many in found.items() if many >= least]
    return sorted(kept, key=lambda one: (len(one[0]), one[0]))


def describe(people, names):
    return [[f"{name}={one[name]}" for name in names] for one in people]


MINED = {
    "hospital": (describe(HOSPITAL, ("sex", "smoker", "region")), 100),
    "hospital, four attributes": (describe(REGISTRY, ("sex", "age_group", "smoker", "outcome")), 400),
    "hospital, rare ones": (describe(REGISTRY, ("sex", "age_group", "outcome")), 100),
    "clinic": (describe(CLINIC, ("sex", "smoker", "outcome")), 13),
    "shop": (fill(GOODS, 500, 1), 40),
    "shop, large": (fill({name: GOODS[name] for name in ("bread", "milk", "coffee", "tea")}, 4000, 2), 200),
    "drugs": (fill(DRUGS, 300, 3), 30),
}


def as_mlxtend(mined, n):
    sets = [[many / n, "frozenset({{{}}})".format(", ".join(map(repr, itemset)))] for itemset, many in mined]
    return [["support", "itemsets"], *sets]


def lists():
    for title, (rows, least) in MINED.items():
        mined, n = mine(rows, least), ("--n", str(len(rows)))
        saved = as_mlxtend(mined, len(rows))
        yield f"mlxtend, {title}", file(saved, *n)
        yield (
            f"mlxtend with an index, {title}",
            file(
                [
                    ["", *saved[0]],
                    *([at, *line] for at, line in enumerate(saved[1:])),
                ],
                *n,
            ),
        )
        braces = [["{" + ",".join(itemset) + "}", many / len(rows), many] for itemset, many in mined]
        yield f"arules, {title}", file([["items", "support", "count"], *braces], *n, quoted=True)
        numbered = [["", "items", "support"], *([at, *line[:2]] for at, line in enumerate(braces, start=1))]
        yield f"arules with row names, {title}", file(numbered, *n)
        yield (
            f"pyfim, {title}",
            file([[*itemset, f"({many})"] for itemset, many in mined], *n, separator=" ", name="mined.out"),
        )
        codes = {item: at for at, item in enumerate(sorted({item for row in rows for item in row}), start=1)}
        names = "".join(f"@ITEM={at}={item}\n" for item, at in codes.items())
        spmf = [f"{' '.join(str(codes[item]) for item in itemset)} #SUP: {many}\n" for itemset, many in mined]
        head = f"@CONVERTED_FROM_TEXT\n{names}" if " " not in names else ""
        yield f"SPMF, {title}", File("mined.txt", (head + "".join(spmf)).encode(), n)
        ours = [["itemset", "support"], *([";".join(itemset), many] for itemset, many in mined)]
        yield f"ours, CSV, {title}", file(ours, *n, name="patterns.csv")
        if "=" in ours[1][0]:
            yield f"ours, CSV, by its schema, {title}", file(ours, *n, "--schema", "=", name="patterns.csv")
        yield f"ours, CSV, frequent, {title}", file(ours, *n, "--kind", "frequent", name="patterns.csv")
    for title in ("hospital", "shop", "drugs"):
        rows, least = MINED[title]
        short = mine(rows, least, 2)
        ours = [["itemset", "support"], *([";".join(itemset), many] for itemset, many in short)]
        yield (
            f"ours, up to two items, {title}",
            file(ours, "--n", str(len(rows)), "--max-length", "2", name="patterns.csv"),
        )
        for suffix in ("json", "txt", "pmml", "parquet"):
            folder = io.BytesIO()
            patterns = discreet.mine(rows, min_support=least)
            form = {"txt": "spmf"}.get(suffix, suffix)
            if suffix != "txt" or title != "hospital":
                discreet.write_patterns(patterns, folder, format=form)
                yield f"ours, {suffix}, {title}", File(f"patterns.{suffix}", folder.getvalue())
    yield from rule_tables()


def rule_tables():
    for title in ("hospital", "hospital, four attributes", "shop", "shop, large"):
        rows, least = MINED[title]
        mined = dict(mine(rows, least))
        found = [(itemset[:-1], itemset[-1:], many) for itemset, many in mined.items() if len(itemset) > 1]
        found = [one for one in found if 2 * one[2] >= mined[one[0]]]
        n = len(rows)
        table = [["antecedents", "consequents", "support", "confidence"]]
        arules = [["rules", "support", "confidence", "coverage", "count"]]
        for held, also, many in found:
            sides = ["frozenset({{{}}})".format(", ".join(map(repr, side))) for side in (held, also)]
            table.append([*sides, many / n, many / mined[held]])
            text = "{{{}}} => {{{}}}".format(",".join(held), ",".join(also))
            arules.append([text, many / n, many / mined[held], mined[held] / n, many])
        yield f"rules of mlxtend, {title}", file(table, "--rules", "--n", str(n), name="rules.csv")
        yield f"rules of arules, {title}", file(arules, "--rules", "--n", str(n), name="rules.csv")


# Rows


def table(people, names, key=None):
    """People and their attributes, perhaps with a key for each of them."""
    head = [*([key[0]] if key else []), *names]
    return [head, *([*([key[1](at)] if key else []), *(one[name] for name in names)] for at, one in enumerate(people))]


KEYS = {
    "numbers": ("id", lambda at: 10_001 + at),
    "letters and numbers": ("patient_id", lambda at: f"P{at:05}"),
    "no name": ("", lambda at: at),
    "case numbers": ("case_no", lambda at: f"2023/{4 * at + 17:06}"),
}
COLUMNS = [("sex", "smoker", "region"), ("sex", "age_group", "ward"), ("sex", "age_group", "smoker", "outcome")]
SUPPORT = "--min-support", "10%"


def tables():
    for names in COLUMNS:
        title = f"table of {', '.join(names)}"
        for size, people in (("", HOSPITAL), (", small", CLINIC)):
            yield f"{title}{size}", file(table(people, names), *SUPPORT, name="people.csv")
            for key, how in KEYS.items():
                yield f"{title}{size}, {key}", file(table(people, names, how), *SUPPORT, name="people.csv")
        yield f"{title}, semicolons", file(table(HOSPITAL, names), *SUPPORT, separator=";", quoted=True)
        yield f"{title}, its shape named", file(table(HOSPITAL, names), *SUPPORT, "--format", "table")
    wide = ("sex", "smoker", "diagnosis", "ward", "admission")
    for size, people in (("", HOSPITAL), (", small", CLINIC), (", large", REGISTRY[:6000])):
        yield f"table with diagnoses{size}", file(table(people, wide), "--min-support", "5%")
        yield f"table with diagnoses{size}, numbers", file(table(people, wide, KEYS["numbers"]), "--min-support", "5%")
        dated = [
            [*line, "admitted", "note"] if not at else [*line, day(at), f"seen by Dr {at % 7}, call {at}"]
            for at, line in enumerate(table(people, COLUMNS[0]))
        ]
        yield f"table without dates and notes{size}", file(dated, *SUPPORT, "--drop", "admitted,note")
        yield f"table, three columns of it{size}", file(dated, *SUPPORT, "--columns", "sex,smoker,region")
        visits = table(people, COLUMNS[0], ("patient", lambda at: f"P{at * 7 % 97:03}"))
        yield f"table of visits{size}", file(visits, *SUPPORT, "--person", "patient")
        yield f"table of visits, per visit{size}", file(visits, *SUPPORT, "--person", "patient", "--per", "visit")
    frame = table(HOSPITAL, COLUMNS[0])
    out = io.BytesIO()
    pl.DataFrame(frame[1:], schema=frame[0], orient="row").write_parquet(out)
    yield "table, Parquet", File("people.parquet", out.getvalue(), SUPPORT)
    yield "table, Excel", File("people.xlsx", workbook(frame[:400]), SUPPORT)
    ages = [["sex", "age", "smoker"], *([one["sex"], 20 + int(one["month"]) * 5, one["smoker"]] for one in HOSPITAL)]
    yield "table, nearly all alike", file(table([one | {"smoker": "no"} for one in HOSPITAL], COLUMNS[0]), *SUPPORT)
    yield "table, all different", file(table(CLINIC, tuple(VALUES)), "--min-support", "60%")
    yield "table, ages in bands", file(ages, *SUPPORT, "--bins", "age=0,40,65")


def day(at):
    return f"2023-{at % 12 + 1:02}-{at % 28 + 1:02}"


BASKETS = {
    "shop": (fill(GOODS, 500, 4), "10%"),
    "shop, few goods": (fill({name: GOODS[name] for name in ("bread", "milk", "coffee", "apples")}, 3000, 5), "10%"),
    "drugs": (fill(DRUGS, 300, 6), "10%"),
    "drugs, common ones": (fill({name: DRUGS[name] for name in ("aspirin", "statin", "ramipril")}, 900, 7), "5%"),
}


def baskets():
    for title, (rows, least) in BASKETS.items():
        support = "--min-support", least
        items = sorted({item for row in rows for item in row})
        codes = [[items.index(item) + 1 for item in row] for row in rows]
        bits = [[int(item in row) for item in items] for row in rows]
        pairs = [[at, item] for at, row in enumerate(rows, start=1) for item in row]
        yield f"baskets, {title}", file(rows, *support, name="baskets.csv")
        bags = [["bag", *row] for row in rows]
        yield f"baskets, nearly all with a bag, {title}", file(bags, *support, name="baskets.csv")
        yield f"baskets with tabs, {title}", file(rows, *support, name="baskets.tsv", separator="\t")
        yield f"baskets of codes, {title}", file(codes, *support, name="baskets.dat", separator=" ")
        yield f"onehot, {title}", file([items, *bits], *support, name="onehot.csv")
        yield (
            f"onehot with numbers, {title}",
            file([["id", *items], *([at, *line] for at, line in enumerate(bits))], *support),
        )
        yield (
            f"onehot, no name, {title}",
            file([["", *items], *([at, *line] for at, line in enumerate(bits))], *support),
        )
        yield f"long, {title}", file([["row", "item"], *pairs], *support, name="long.csv")
        yield (
            f"long, named, {title}",
            file([["receipt", "product"], *pairs], *support, "--row", "receipt", "--item", "product"),
        )
        yield (
            f"long, whose rows, {title}",
            file([["customer", "item"], *pairs], *support, "--person", "customer", "--item", "item"),
        )


def other_ways():
    """The people of ``ways`` at supports that may be published."""
    for name, way in ways.FILES.items():
        if name.endswith((", commas", ", semicolons", ", tabs", ".txt", ".parquet", ".xlsx")) or name.startswith(
            "format "
        ):
            given = chain.from_iterable(flags(*option) for option in way.options.items())
            yield f"way {name}", File(way.name, way.data, ("--min-support", "100", *given))


def flags(name, value):
    return ["--no-header"] if value is False else [f"--{name.replace('_', '-')}", value]


GROUPS = (crosstabs, two_levels, shares, long_tables, hierarchies, programs, lists, tables, baskets, other_ways)


@cache
def make_files():
    """All files by their names."""
    return dict(chain.from_iterable(group() for group in GROUPS))


def read_verdicts():
    """The verdict of each file, as it was."""
    lines = VERDICTS.read_text("utf-8").splitlines()
    return dict(line.rsplit(": ", 1) for line in lines)


def write_verdicts():
    """Judge all files, and write their verdicts."""
    found = {}
    for name, one in make_files().items():
        with tempfile.TemporaryDirectory() as folder:
            found[name] = judge(one, folder)
    VERDICTS.write_text("".join(f"{name}: {verdict}\n" for name, verdict in sorted(found.items())), "utf-8")
    sys.stdout.write(f"{Counter(found.values())}\n")


if __name__ == "__main__":
    write_verdicts()
