"""Write the shared parts of docstrings of learners and transformers into the source.

A parameter is declared once, with `option`, and an attribute that many learners have is described
once, in the docstring of their base. In the docstring of each public class this tool writes the
section "Parameters" from the options, and those entries of "Attributes" that are inherited.

    python tools/docstrings.py            check that all docstrings are complete and current
    python tools/docstrings.py --write    bring them up to date
"""

from __future__ import annotations

import argparse
import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import rosenblatt
import rosenblatt.features
import rosenblatt.linear
import rosenblatt.structured
from rosenblatt import numpydoc
from rosenblatt.estimators.base import Estimator

PACKAGES = (rosenblatt, rosenblatt.linear, rosenblatt.structured, rosenblatt.features)
COMMAND = "python tools/docstrings.py --write"

# Inherited attributes that a class describes in its own words.
OWN_WORDS = {
    "AveragedPerceptron": ["coef_"],
    "VotedPerceptron": ["coef_"],
    "KernelPerceptron": ["n_mistakes_"],
    "StructuredPerceptron": ["n_mistakes_", "stop_reason_", "validation_scores_"],
    "SequenceTagger": ["t_", "n_mistakes_", "stop_reason_", "validation_scores_"],
}


def public_classes() -> list[type[Estimator]]:
    """Return the learners and transformers that users import, each once."""
    found: dict[type[Estimator], None] = {}
    for package in PACKAGES:
        for name in package.__all__:
            value = getattr(package, name)
            if isinstance(value, type) and issubclass(value, Estimator):
                found[value] = None
    return list(found)


# ---------------------------------------------------------------------- attributes


def own_attributes(cls: type) -> dict[str, str]:
    """Return the attributes that a class adds to those of its bases, or describes itself."""
    _, sections = numpydoc.sections(vars(cls).get("__doc__") or "")
    entries = numpydoc.entries(sections.get("Attributes", ""))
    inherited = inherited_attributes(cls)
    own_words = OWN_WORDS.get(cls.__name__, [])
    return {
        name: entry for name, entry in entries.items() if name not in inherited or name in own_words
    }


def inherited_attributes(cls: type) -> dict[str, str]:
    """Return the attributes of the bases of a class, the most general ones first."""
    entries: dict[str, str] = {}
    for base in reversed(cls.__mro__[1:]):
        if issubclass(base, Estimator):
            entries |= own_attributes(base)
    return entries


# ---------------------------------------------------------------------- docstrings


def completed(cls: type[Estimator], docstring: str) -> str:
    """Return the docstring of a class with its parameters and inherited attributes as they are."""
    opening, sections = numpydoc.sections(docstring)

    parameters = [option.docstring_entry() for option in cls.options().values()]
    sections["Parameters"] = "".join(parameters)

    attributes = inherited_attributes(cls) | own_attributes(cls)
    if attributes:
        sections["Attributes"] = "".join(attributes.values())
    return numpydoc.join(opening, sections)


def with_completed_docstring(source: str, cls: type[Estimator]) -> str:
    """Return the source of a module with the docstring of one class completed."""
    docstring = _docstring_node(source, cls)
    lines = source.splitlines(keepends=True)
    first = docstring.lineno - 1
    last = docstring.end_lineno or docstring.lineno

    # The text as it is written, so that escapes in examples stay what they are.
    written = "".join(lines[first:last]).strip()
    prefix, quotes, rest = written.partition('"""')
    text = completed(cls, rest.removesuffix(quotes))

    indented = "".join(f"    {line}\n" if line else "\n" for line in text.rstrip().split("\n"))
    new = f"    {prefix}{quotes}{indented.removeprefix('    ')}    {quotes}\n"
    return "".join([*lines[:first], new, *lines[last:]])


def _docstring_node(source: str, cls: type) -> ast.expr:
    """Return the node of the docstring of a class at the top level of a module."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                return first.value
    raise SystemExit(f"{cls.__module__}.{cls.__name__} has no docstring to complete")


def outdated() -> Iterator[tuple[Path, str, list[str]]]:
    """Yield each file to be changed: its path, its new text and the classes that differ."""
    classes: dict[Path, list[type[Estimator]]] = {}
    for cls in public_classes():
        classes.setdefault(Path(inspect.getfile(cls)), []).append(cls)

    for path, found in classes.items():
        source = path.read_text("utf-8")
        changed = []
        for cls in found:
            new = with_completed_docstring(source, cls)
            if new != source:
                changed.append(cls.__name__)
                source = new
        if changed:
            yield path, source, changed


def main(arguments: list[str]) -> int:
    """Check the docstrings, or write them; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="bring the source up to date")
    write = parser.parse_args(arguments).write

    names: list[str] = []
    for path, source, changed in outdated():
        names += changed
        if write:
            path.write_text(source, "utf-8")

    if not names:
        return 0
    if write:
        print(f"written: {', '.join(names)}")
        return 0
    print(f"docstrings are not current: {', '.join(names)}. Run {COMMAND}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
