"""Good files, damaged: no damage makes a file safe, unless the reading that is shown says what is different."""

import os
import random
import re
from io import BytesIO

import pytest
import ways

from discreet import DiscreetError, Verdict, audit, read

MANY = 1000 if os.environ.get("CI") else 2000
GOOD = {
    name: way
    for name, way in ways.FILES.items()
    if name.split(", ")[-1] in {"commas", "semicolons", "quotes"} or name in {"numbers", "numbers, commas"}
}


def lines_of(data):
    return data.decode().splitlines(keepends=True)


def encode(lines):
    return "".join(lines).encode()


def swap_columns(data, drawn):
    """Two columns of the whole file change places."""
    sign = drawn.choice(",;\t| ")
    cells = [line.rstrip("\r\n").split(sign) for line in lines_of(data)]
    one, other = drawn.randrange(5), drawn.randrange(5)
    for line in cells:
        if max(one, other) < len(line):
            line[one], line[other] = line[other], line[one]
    return encode(sign.join(line) + "\n" for line in cells)


def drop_header(data, _):
    return encode(lines_of(data)[1:])


def change_separator(data, drawn):
    old, new = drawn.sample([",", ";", "\t", "|", " "], 2)
    return data.replace(old.encode(), new.encode())


def lose_quote(data, drawn):
    places = [found.start() for found in re.finditer(rb'"', data)] or [drawn.randrange(len(data))]
    at = drawn.choice(places)
    return data[:at] + data[at + 1 :]


def add_quote(data, drawn):
    at = drawn.randrange(len(data))
    return data[:at] + b'"' + data[at:]


def cut(data, drawn):
    return data[: drawn.randrange(1, len(data))]


def cut_lines(data, drawn):
    lines = lines_of(data)
    return encode(lines[: drawn.randrange(1, len(lines))])


def shuffle_rows(data, drawn):
    head, *body = lines_of(data)
    drawn.shuffle(body)
    return encode([head, *body])


def shuffle_all(data, drawn):
    lines = lines_of(data)
    drawn.shuffle(lines)
    return encode(lines)


def add_mark(data, _):
    return b"\xef\xbb\xbf" + data


def add_nul(data, drawn):
    at = drawn.randrange(len(data))
    return data[:at] + b"\0" + data[at:]


def flip_byte(data, drawn):
    at = drawn.randrange(len(data))
    return data[:at] + bytes([drawn.randrange(256)]) + data[at + 1 :]


def join_lines(data, drawn):
    """Line ends are lost, all of them or one."""
    places = [found.start() for found in re.finditer(rb"\n", data)]
    at = drawn.choice(places)
    return drawn.choice([data.replace(b"\n", b" "), data.replace(b"\n", b""), data[:at] + data[at + 1 :]])


def add_title(data, drawn):
    return drawn.choice([b"People of the clinic\n", b"# exported\n", b"sep=;\n", b"\n\n"]) + data


def add_total(data, drawn):
    return data + drawn.choice([b"Total,240\n", b"\n\n", b"(240 rows affected)\n", b"Total\n"])


def number_lines(data, _):
    sign = max(",;\t| ", key=data.decode().count)
    return encode(f"{at}{sign}{line}" for at, line in enumerate(lines_of(data), start=1))


def transpose(data, _):
    sign = max(",;\t| ", key=data.decode().count)
    cells = [line.rstrip("\r\n").split(sign) for line in lines_of(data)]
    width = max(map(len, cells))
    filled = [line + [""] * (width - len(line)) for line in cells]
    return encode(sign.join(line) + "\n" for line in zip(*filled, strict=True))


def recode_utf_16(data, drawn):
    return data.decode().encode(drawn.choice(["utf-16", "utf-16-le", "utf-16-be"]))


DAMAGES = [
    swap_columns,
    drop_header,
    change_separator,
    lose_quote,
    add_quote,
    cut,
    cut_lines,
    shuffle_rows,
    shuffle_all,
    add_mark,
    add_nul,
    flip_byte,
    join_lines,
    add_title,
    add_total,
    number_lines,
    transpose,
    recode_utf_16,
]
NAMES = sorted(GOOD)


def readings(name):
    """The reading of the good file, and its verdict."""
    rows = read_bytes(name, GOOD[name].data)
    return str(rows.reading), audit(rows, min_support=ways.MIN_SUPPORT, k=ways.K).verdict


def read_bytes(name, data):
    return read(BytesIO(data), **GOOD[name].options)


def judge(name, data):
    """The verdict on damaged data, and how it was read; None if it is refused."""
    try:
        rows = read_bytes(name, data)
        return audit(rows, min_support=ways.MIN_SUPPORT, k=ways.K).verdict, str(rows.reading)
    except DiscreetError:
        return None


@pytest.mark.parametrize("start", range(0, MANY, 100))
def test_no_damage_makes_a_file_safe(start):
    good = {name: readings(name) for name in NAMES}
    assert {verdict for _, verdict in good.values()} == {Verdict.WITHHOLD}
    found = {}
    for seed in range(start, start + 100):
        drawn = random.Random(seed)  # noqa: S311 - damage that can be repeated
        name, damage = drawn.choice(NAMES), drawn.choice(DAMAGES)
        found[seed, name, damage.__name__] = judge(name, damage(GOOD[name].data, drawn))
    wrong = [case for case, told in found.items() if told == (Verdict.RELEASE, good[case[1]][0])]
    assert wrong == []
