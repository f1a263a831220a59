"""A number and its noun, which agree: "1 row", "1,200 rows"."""

from __future__ import annotations

__all__ = ["agree", "count"]


def count(n: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "mistake"), count(1200, "mistake"), count(2, "class", "classes")
    ('1 mistake', '1,200 mistakes', '2 classes')
    """
    return f"{n:,} {agree(n, noun, plural)}"


def agree(n: int, noun: str, plural: str | None = None) -> str:
    """The noun alone, or more words that depend on the number.

    >>> agree(1, "column"), agree(3, "column"), agree(0, "row is", "rows are")
    ('column', 'columns', 'rows are')
    """
    return noun if n == 1 else plural or f"{noun}s"
