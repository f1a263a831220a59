"""A number and its noun, which agree: "1 row", "1,200 rows"; and lists that are cut short."""

from __future__ import annotations

from collections.abc import Sequence


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


def first_few(words: Sequence[str], most: int, between: str = ", ") -> str:
    """The first of a list, and how many there are beyond them.

    >>> first_few(["a", "b", "c"], 3), first_few(["a", "b", "c"], 2)
    ('a, b, c', 'a, b and 1 more')
    """
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return between.join(words[:most]) + more
