"""A process that reads a file of Stata, SPSS or SAS: its bytes come in; value labels and an Arrow file go out.

It is a script that imports nothing of ours: pyreadstat can crash on a damaged file, and then this process alone ends.
"""

import json
import sys
from io import BytesIO
from typing import Final

TOO_LARGE: Final = 3  # the exit code if the table would not fit
WIDTH: Final = 24  # bytes of a value at least: a number, or a pointer to text


def main(reader: str, room: str, encoding: str) -> int:
    """Read standard input with a function of pyreadstat; return the exit code."""
    import pyreadstat  # noqa: PLC0415 - this module is imported for its name and codes, too

    read, data = getattr(pyreadstat, reader), sys.stdin.buffer.read()
    options = {"output_format": "polars", **({"encoding": encoding} if encoding else {})}
    about = read(BytesIO(data), metadataonly=True, **options)[1]
    if (about.number_rows or 0) * (about.number_columns or 0) * WIDTH > int(room):
        return TOO_LARGE
    frame, about = read(BytesIO(data), **options)
    labels = {name: list(values.items()) for name, values in about.variable_value_labels.items()}
    sys.stdout.buffer.write(json.dumps(labels).encode() + b"\n")
    frame.write_ipc(sys.stdout.buffer)
    return 1 if frame.height < (about.number_rows or 0) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
