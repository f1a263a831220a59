"""Plain-text tables in one style, and numbers formatted for readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

# Numbers below this limit show all digits before the point: a double holds every whole number
# below 2**53.
LARGEST_WRITTEN_OUT = 1e15


class TableHead(str):
    """The header line of a text table, which a terminal shows in bold."""


def text_table(
    rows: Iterable[Sequence[str]],
    head: Sequence[str] | None = None,
    *,
    align: str = "<>",
    indent: int = 0,
) -> list[str]:
    """Return the lines of a table whose columns are two spaces apart.

    ``align`` holds one < or > per column; its last character applies to all further columns.

    >>> rows = [("ham", "0.5", "1,200"), ("spam", "1", "3")]
    >>> print(*text_table(rows, ("class", "f1", "rows")), sep="\\n")
    class   f1   rows
    ham    0.5  1,200
    spam     1      3
    """
    listed = list(rows) if head is None else [head, *rows]
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    sides = align.ljust(len(widths), align[-1])

    lines = []
    for row in listed:
        cells = [
            f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)
        ]
        lines.append(" " * indent + "  ".join(cells).rstrip())

    if head is None:
        return lines
    return [TableHead(lines[0]), *lines[1:]]


def ordinary(number: float, sign: str = "", digits: int = 4) -> str:
    """Format a number with ``digits`` significant digits, or all digits before the point if more.

    A power of ten appears only if the number is very large or very small.

    >>> ordinary(178_144.5), ordinary(2.68712), ordinary(0.00012345), ordinary(5e-9)
    ('178,144', '2.687', '0.0001234', '5e-09')
    >>> ordinary(3.0, "+"), ordinary(-12345.6, "+")
    ('+3', '-12,346')
    """
    is_long = 10 ** (digits - 1) <= abs(number) < LARGEST_WRITTEN_OUT
    if is_long:
        return f"{number:{sign},.0f}"
    return f"{number:{sign}.{digits}g}"
