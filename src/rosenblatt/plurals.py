"""Numbers with nouns that agree ("1 row", "1,200 rows"), and lists that are cut short."""

from __future__ import annotations

from collections.abc import Sequence


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number followed by its noun, in the singular or the plural.

    >>> count(1, "mistake"), count(1200, "mistake"), count(2, "class", "classes")
    ('1 mistake', '1,200 mistakes', '2 classes')
    """
    return f"{n:,} {agree(n, noun, plural)}"


def agree(n: int, noun: str, plural: str | None = None) -> str:
    """Return the singular or the plural of a noun, or of longer words, without the number.

    >>> agree(1, "column"), agree(3, "column"), agree(0, "row is", "rows are")
    ('column', 'columns', 'rows are')
    """
    if n == 1:
        return noun
    return plural or f"{noun}s"


def first_few(words: Sequence[str], most: int, between: str = ", ") -> str:
    """Join the first ``most`` words, and append how many more there are.

    >>> first_few(["a", "b", "c"], 3), first_few(["a", "b", "c"], 2)
    ('a, b, c', 'a, b and 1 more')
    """
    text = between.join(words[:most])
    if len(words) <= most:
        return text
    return f"{text} and {len(words) - most:,} more"
