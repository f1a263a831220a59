"""rosenblatt docs: open the built documentation in the browser."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rosenblatt.cli.frame.options import Command

# Folders of the built pages: beside the sources, or among the shared files of the environment.
PLACES = (Path(__file__).parents[4] / "site", Path(sys.prefix, "share", "doc", "rosenblatt"))


@click.command(
    cls=Command,
    name="docs",
    epilog="\b\nTo begin:\n  rosenblatt docs\n  rosenblatt docs learners/mira\n\n"
    "\b\nExamples:\n  rosenblatt docs --site site --no-open\n"
    "  rosenblatt docs learners/mira --site site --no-open",
)
@click.argument("page", default="index")
@click.option("--site", metavar="DIR", help="Folder of the pages.  [default: where they are built]")
@click.option("--no-open", is_flag=True, help="Print the address, but open no browser.")
def command(page: str, site: str | None, no_open: bool) -> None:
    """Open the guide, the course and the reference, built as pages.

    PAGE is the name of one of them, such as learners/mira or reference/shell/train. The pages need
    no network and no server.
    """
    found = _found(PLACES if site is None else (Path(site),), page.removesuffix(".html"))
    address = found.resolve().as_uri()
    click.echo(address)
    if not no_open:
        import webbrowser

        webbrowser.open(address)


def _found(places: tuple[Path, ...], page: str) -> Path:
    built = next((place for place in places if (place / "index.html").exists()), None)
    if built is None:
        raise FileNotFoundError(
            f"there are no pages in {' or '.join(map(str, places))}. In a copy of the repository "
            f'pip install ".[dev]" and mkdocs build --site-dir {places[-1]} make them.'
        )
    file = built / f"{page}.html"
    if not file.exists():
        from rosenblatt.checks import nearest_name

        known = [
            path.relative_to(built).with_suffix("").as_posix() for path in built.rglob("*.html")
        ]
        meant = nearest_name(page, known)
        hint = f" Did you mean '{meant}'?" if meant else ""
        raise click.UsageError(f"there is no page '{page}' in {built}.{hint}")
    return file
