"""rosenblatt studio: show every update of a perceptron in the browser."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import DATA
from rosenblatt.cli.frame.destinations import NewFiles, check_destination
from rosenblatt.cli.frame.options import Command, Whole, in_section, refuse_together
from rosenblatt.cli.frame.terminal import say
from rosenblatt.tables.readers.formats import TABLES, listed, names_of

if TYPE_CHECKING:
    from io import BytesIO

    from rosenblatt.studio.chosen_columns import ChosenColumns
    from rosenblatt.studio.session import Session

option = in_section("Reading the data")


@click.command(
    cls=Command,
    name="studio",
    epilog="\b\nTo begin:\n  rosenblatt studio\n  rosenblatt studio iris.csv --target species\n\n"
    "\b\nExamples:\n  rosenblatt studio --course --out studio.html\n"
    "  rosenblatt studio iris.csv --x 3 --y 4 --target species --out iris.html",
)
@click.argument("data", required=False, type=DATA)
@click.option(
    "--port", type=Whole(0, 65535), default=0, help="Port on 127.0.0.1.  [default: a free one]"
)
@click.option("--no-open", is_flag=True, help="Print the address, but open no browser.")
@click.option(
    "--out",
    type=click.Path(),
    metavar="FILE",
    help="Write the studio as one file that works without a server, and serve nothing.",
)
@click.option("--course", is_flag=True, help="With --out: include the ten chapters of the course.")
@option(
    "--x", metavar="COL", help="Column for the horizontal axis: its name, or its number from 1."
)
@option(
    "--y",
    metavar="COL",
    help="Column for the vertical axis.  [default: the two that separate the classes best]",
)
@option(
    "--target",
    metavar="COL",
    help="Column of the classes.  [default: the last text column, otherwise one of few values]",
)
@option("--as-is", is_flag=True, help="Do not shuffle the rows or scale the two columns.")
@option("--no-header", is_flag=True, help="The first line is a row, not the names of the columns.")
@option(
    "--format",
    "kind",
    type=click.Choice(names_of(TABLES)),
    metavar="FORMAT",
    help=f"{listed(TABLES)}.  [default: by the suffix of the name, otherwise csv]",
)
@option(
    "--delimiter",
    metavar="CHAR",
    help="The delimiter between fields.  [default: comma; in tsv, tab]",
)
def command(
    data: str | None, port: int, no_open: bool, out: str | None, course: bool, **reading: Any
) -> None:
    """Show every update of a perceptron in the browser.

    The page begins with the six points of a lecture, or with two columns of DATA: a table in any
    format that --format names, also compressed; - reads standard input. It is only served to this
    machine, works without a network, and ends with Ctrl-C.
    """
    refuse_together({"out": ("port", "no_open")})
    if out is not None:
        check_destination("--out", out, [] if data is None else [data])
        _write(out, course, *_session(data, reading))
        return
    if course:
        raise click.UsageError("--course needs --out FILE: the course is part of a file.")
    # Imported first, so that a missing dependency is reported before data are read.
    from rosenblatt.studio.server import serve

    session, lines = _session(data, reading)
    say(lines, err=True)
    serve(session, port=port, open_browser=not no_open, tell=_tell)


def _tell(address: str) -> None:
    click.echo(address)
    click.echo("The studio is only served to this machine. Ctrl-C ends it.", err=True)


def _write(path: str, course: bool, session: Session, lines: list[str]) -> None:
    """Write the studio with its session as one file, and print the path."""
    page = session.one_file(course=course)
    with NewFiles() as files:
        files.open(path).write(page.encode())
        say([*lines, f"wrote {path}"])
        files.keep()


def _session(data: str | None, reading: dict[str, Any]) -> tuple[Session, list[str]]:
    """Return a session that starts with the data, and lines that describe the chosen columns."""
    from rosenblatt.studio.session import Session

    if data is None:
        return Session(), []
    as_is = reading.pop("as_is")
    chosen = _chosen(data, **reading)
    name = "standard input" if data == "-" else os.path.basename(data)
    lines = [f"{name}: {chosen.x} across, {chosen.y} up, classes from {chosen.label}"]
    say([f"note: {notice}" for notice in chosen.notices], err=True)
    if as_is:
        return Session({"data": chosen.data}, name), lines
    # Unscaled, the larger numbers dominate; in file order, rows may be sorted by class.
    lines.append("both columns are scaled, the rows shuffled every epoch; --as-is does neither")
    return Session({"data": chosen.scaled().data, "order": "shuffled"}, name), lines


def _chosen(
    path: str,
    *,
    x: str | None,
    y: str | None,
    target: str | None,
    no_header: bool,
    kind: str | None,
    delimiter: str | None,
) -> ChosenColumns:
    from rosenblatt.studio.chosen_columns import choose

    settings = {} if delimiter is None else {"delimiter": delimiter}
    return choose(
        _source(path), x=x, y=y, label=target, header=not no_header, format=kind, **settings
    )


def _source(path: str) -> Callable[[], str | BytesIO]:
    """Return a function that supplies the data anew at each call; standard input is read once."""
    from rosenblatt.tables.readers.sources import our_kind

    if path != "-":
        if our_kind(path):
            what = f"{path} holds a model or packed rows: give the table that they were made of."
            raise click.UsageError(what)
        return lambda: path
    import io
    import sys

    kept = sys.stdin.buffer.read()
    return lambda: io.BytesIO(kept)
