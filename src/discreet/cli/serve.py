"""``discreet serve``: the web app, on this machine alone."""

import sys
from dataclasses import dataclass

import click

from discreet.cli.options import ColumnOptions, argument, as_bytes, option, options

ADVICE = "the web app needs packages that are not installed; install them with: pip install 'discreet[web]'"


@dataclass(frozen=True)
class ServeOptions(ColumnOptions):
    """What to serve, and how."""

    file: str | None = argument(required=False)
    port: int = option("Port; 0 for any free one.", "N", type=click.IntRange(0, 65535), default=0)
    no_browser: bool = option("Write the address only; open no browser.")
    max_upload: int = option("Largest file that can be uploaded.", "SIZE", type=as_bytes, default="512MiB")
    memory: int | None = option("Memory limit of a task.  [default: a quarter of all]", "SIZE", type=as_bytes)


@click.command(
    short_help="Open the web app, on this machine alone.",
    epilog="""\b
Examples:
  discreet serve
  discreet serve clinic.csv
  discreet serve orders.csv --row order --item product --port 8000 --no-browser""",
)
@options(ServeOptions)
def serve(asked: ServeOptions) -> None:
    """Serve pages to load a file, audit it, make it safe, hide patterns, ask queries and verify a release.

    Writes the address, with a token that lets you in, and opens it in your browser. Only this machine can reach it,
    and nothing is sent anywhere. Uploads are kept in a private folder that is deleted at the end. Ctrl-C ends it.
    """

    def say(line: str) -> None:
        click.echo(line)
        sys.stdout.flush()

    try:
        from discreet.web import server

        server.serve(
            asked.file,
            port=asked.port,
            browser=not asked.no_browser,
            max_upload=asked.max_upload,
            memory=asked.memory,
            reading=asked.columns(),
            say=say,
        )
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"starlette", "uvicorn", "anyio", "h11"}:
            raise
        raise click.ClickException(ADVICE) from None
