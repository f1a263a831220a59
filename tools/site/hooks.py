"""What mkdocs calls while it builds the site: adds generated pages and fits the written ones."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import course_assets  # noqa: E402
import learner_pages  # noqa: E402
import reference_pages  # noqa: E402

PROJECT = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
# Written for readers of files, where it needs no fence.
BARE_EXAMPLE = re.compile(r"^(?:>>> .*\n)(?:.+\n)*", re.MULTILINE)
# The theme has it from another site; here nothing is fetched.
SHIM = re.compile(r'<script src="?https://unpkg.com/iframe-worker/shim"?></script>')
WORKER, TABLES = "assets/worker_in_frame.js", "assets/wide_tables.js"
# Some colours of the theme are too pale to be read by all, and links differ by colour alone.
STYLE = """
[data-md-color-scheme] {
  --md-code-hl-comment-color: var(--md-typeset-color);
  --md-code-hl-operator-color: var(--md-typeset-color);
  --md-code-hl-generic-color: var(--md-typeset-color);
  --md-code-hl-punctuation-color: var(--md-typeset-color);
  --md-code-hl-variable-color: var(--md-typeset-color);
}
[data-md-color-scheme="default"][data-md-color-accent] { --md-accent-fg-color: #3346c4; }
[data-md-color-scheme="slate"][data-md-color-primary] {
  --md-typeset-a-color: #8fb4f7;
  --md-code-hl-number-color: #f2938a;
  --md-code-hl-constant-color: #b3a6f5;
}
.md-typeset h1 { color: inherit; }
.md-typeset a:not(.headerlink) { text-decoration: underline; text-underline-offset: 0.15em; }
.md-tabs__link { opacity: 1; }
"""
# What the theme leaves without a name.
NAMED = {
    re.compile(
        r'(data-md-component="?search"?) role="?dialog"?'
    ): r'\1 role="dialog" aria-label="Search"',
    # A corner of a table is no heading.
    re.compile(r"<th([^>]*)></th>"): r"<td\1></td>",
}
SECTION = re.compile(r'aria-labelledby="?__nav_([\d_]+)_label"?')
FENCE = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
EXAMPLES = "# Programs\n\nEach runs as it is, from a copy of the repository.\n\n"


def on_config(config: Any) -> Any:
    config.mdx_configs["toc"]["slugify"] = _anchor
    return config


def _anchor(title: str, separator: str) -> str:
    """As where the Markdown is read as it is, so that links to headings hold there and here."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", separator)


def on_files(files: Files, config: Any) -> Files:
    made: dict[str, str | bytes] = {
        "index.md": (ROOT / "README.md").read_text("utf-8").replace("](docs/", "]("),
        **{name: (ROOT / name).read_text("utf-8").replace("](docs/", "](") for name in PROJECT},
        "assets/site.css": STYLE,
        **{
            name: (Path(__file__).parent / Path(name).name).read_text("utf-8")
            for name in (WORKER, TABLES)
        },
        **course_assets.files(),
        **dict(_examples()),
        **dict(reference_pages.pages()),
        **dict(learner_pages.pages()),
    }
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    config.nav = _filled(config.nav, [path for path in made if path.endswith(".md")])
    return files


def _filled(nav: Any, made: list[str]) -> Any:
    """The navigation, with the pages of a folder where a folder of generated ones is named."""
    if isinstance(nav, list):
        return [_filled(item, made) for item in nav]
    if isinstance(nav, dict):
        return {title: _filled(item, made) for title, item in nav.items()}
    inside = [path for path in made if re.fullmatch(rf"{re.escape(nav)}[^/]+", path)]
    return (
        sorted(inside, key=lambda path: not path.endswith("index.md")) if nav.endswith("/") else nav
    )


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    if page.file.src_uri.startswith("course/"):
        page.meta["hide"] = ["toc"]  # room for the figures
        markdown = course_assets.with_blocks(markdown, "../assets/studio.html")
    parts = FENCE.split(markdown)
    parts[::2] = [BARE_EXAMPLE.sub(lambda m: f"```python\n{m[0]}```\n", p) for p in parts[::2]]
    # A program has a page of its own here.
    up = "../" * page.file.src_uri.count("/")
    text = re.sub(r"\]\((?:\.\./)*examples/(\w+)\.py\)", rf"]({up}examples/\1.md)", "".join(parts))
    return re.sub(r"\]\(examples\)", "](examples/index.md)", text)


def _named_section(places: str, nav: Any) -> str:
    """The name of a part of the navigation; the theme's own is empty where the part has a page."""
    titles = []
    for place in places.split("_"):
        ((title, nav),) = nav[int(place) - 1].items()
        titles.append(title)
    return f'aria-label="{": ".join(titles)}"'


def on_post_page(output: str, page: Any, config: Any, **_: Any) -> str:
    up = "../" * page.file.src_uri.count("/")
    if page.file.src_uri.startswith("course/"):
        output = output.replace("</head>", f"{course_assets.head(up)}</head>")
    output = SECTION.sub(lambda found: _named_section(found[1], config.nav), output)
    for found, named in NAMED.items():
        output = found.sub(named, output)
    output = output.replace("</head>", f'<script src="{up}{TABLES}"></script></head>')
    return SHIM.sub(f'<script src="{up}{WORKER}"></script>', output)


def _examples() -> list[tuple[str, str]]:
    pages, lines = [], []
    for path in sorted((ROOT / "examples").glob("*.py")):
        source = path.read_text("utf-8")
        about = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
        pages.append((f"examples/{path.stem}.md", f"# {path.name}\n\n```python\n{source}```\n"))
        lines.append(f"- [{path.name}]({path.stem}.md): {about}")
    return [("examples/index.md", EXAMPLES + "\n".join(lines) + "\n"), *pages]
