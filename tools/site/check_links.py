"""Checks a built site: every link leads to a file and to a heading in it; nothing is fetched.

python tools/site/check_links.py site
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, what it loads, and the places in it that have a name."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.names: set[str] = {""}
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif "src" in given:
            self.loads.append(given["src"])
        elif tag == "link" and given.get("rel") != "canonical" and "href" in given:
            self.loads.append(given["href"])


def faults(site: Path) -> list[str]:
    pages = {file.resolve(): Page(file) for file in site.rglob("*.html")}
    found = []
    for file, page in pages.items():
        where = file.relative_to(site.resolve())
        for link in [*page.links, *page.loads]:
            parts = urlsplit(link)
            if parts.scheme == "data" or where.name == "404.html":
                continue
            if parts.scheme or parts.netloc:
                found += [f"{where} loads {link}"] if link in page.loads else []
                continue
            path = unquote(parts.path)
            target = (file.parent / path).resolve() if path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{where} links to {link}, which is not there")
            # What has an = is a state of the studio, not a place in its page.
            elif (
                "=" not in parts.fragment
                and target in pages
                and unquote(parts.fragment) not in pages[target].names
            ):
                found.append(f"{where} links to {link}, which has no such heading")
    return found if pages else [f"{site} has no pages"]


if __name__ == "__main__":
    wrong = faults(Path(sys.argv[1]))
    print("\n".join(wrong) or "all links of the site lead somewhere")
    sys.exit(bool(wrong))
