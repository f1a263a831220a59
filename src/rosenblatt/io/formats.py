"""Which format a file has, by the ending of its name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rosenblatt.checks import choice
from rosenblatt.errors import ParameterError

__all__ = ["FORMATS", "format_of"]

FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl", "text", "conll", "conllu", "parquet", "arrow")
ENDINGS = {
    "arrow": "arrow",
    "conll": "conll",
    "conllu": "conllu",
    "csv": "csv",
    "feather": "arrow",
    "iob": "conll",
    "jsonl": "jsonl",
    "libsvm": "svmlight",
    "ndjson": "jsonl",
    "parquet": "parquet",
    "pq": "parquet",
    "svm": "svmlight",
    "svmlight": "svmlight",
    "tab": "tsv",
    "tsv": "tsv",
    "txt": "text",
    "vw": "vw",
}
PACKING = (".gz", ".xz", ".bz2", ".zst")


def format_of(given: Any, format: str | None, allowed: Sequence[str], otherwise: str) -> str:
    """The format named, else the one that the ending of the (first) path tells."""
    if format is not None:
        return str(choice("format", format, *allowed))
    several = given if isinstance(given, list | tuple) else [given]
    found = {_by_ending(one, allowed, otherwise) for one in several}
    if len(found) > 1:
        raise ParameterError(
            f"the files have different formats ({', '.join(sorted(found))})",
            cures="read one at a time",
        )
    return found.pop() if found else otherwise


def _by_ending(given: Any, allowed: Sequence[str], otherwise: str) -> str:
    if hasattr(given, "read"):
        given = getattr(given, "name", "")
    if not isinstance(given, str | os.PathLike):
        return otherwise
    name = os.fsdecode(given).lower()
    for packing in PACKING:
        name = name.removesuffix(packing)
    found = ENDINGS.get(name.rpartition(".")[2], otherwise)
    return found if found in allowed else otherwise
