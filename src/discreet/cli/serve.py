"""``discreet serve``: the web app, on this machine alone."""

import sys

import click

from discreet.cli.reading import COLUMNS, as_bytes, options

ADVICE = "the web app needs packages that are not installed; install them with: pip install 'discreet[web]'"


@click.command(
    short_help="Open the web app, on this machine alone.",
    epilog="""\b
Examples:
  discreet serve
  discreet serve clinic.csv
  discreet serve orders.csv --row order --item product --port 8000 --no-browser""",
)
@click.argument("file", required=False)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="The port; any free one without it."
)
@click.option("--no-browser", is_flag=True, help="Only write the address; open no browser.")
@click.option(
    "--max-upload",
    type=as_bytes,
    default="512MiB",
    show_default=True,
    metavar="SIZE",
    help="The largest file that can be uploaded.",
)
@click.option(
    "--memory", type=as_bytes, metavar="SIZE", help="How much a piece of work may take; a quarter of all without it."
)
@options(COLUMNS)
def serve(
    *, file: str | None, port: int, no_browser: bool, max_upload: int, memory: int | None, **reading: str | None
) -> None:
    """Serve pages to load a file, audit it, make it safe, hide patterns, ask queries and verify a release.

    Writes the address to open, which has a token that lets you in, and opens it in your browser. Only this machine
    can reach it, and nothing is sent anywhere. What is uploaded lies in a private folder that goes at the end.
    Ctrl-C ends it.
    """
    from discreet.web import serve as served

    def say(line: str) -> None:
        click.echo(line)
        sys.stdout.flush()

    try:
        served(file, port=port, browser=not no_browser, max_upload=max_upload, memory=memory, reading=reading, say=say)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"starlette", "uvicorn", "anyio", "h11"}:
            raise
        raise click.ClickException(ADVICE) from None
