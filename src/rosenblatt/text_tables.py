"""Tables as plain text, all in one style; and numbers as they are read aloud."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class TableHead(str):
    """The line above the columns, which a terminal shows in bold."""


def text_table(
    rows: Iterable[Sequence[str]],
    head: Sequence[str] | None = None,
    *,
    align: str = "<>",
    indent: int = 0,
) -> list[str]:
    """Lines with columns that have two spaces between them.

    ``align`` has a < or > for each column; the last one stands for those that follow.

    >>> rows = [("ham", "0.5", "1,200"), ("spam", "1", "3")]
    >>> print(*text_table(rows, ("class", "f1", "rows")), sep="\\n")
    class   f1   rows
    ham    0.5  1,200
    spam     1      3
    """
    listed = [*([] if head is None else [head]), *rows]
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    sides = align.ljust(len(widths), align[-1])
    lines = [
        " " * indent
        + "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)
        ).rstrip()
        for row in listed
    ]
    return lines if head is None else [TableHead(lines[0]), *lines[1:]]


def ordinary(number: float, sign: str = "", digits: int = 4) -> str:
    """A few digits, or all before the point; no power of ten where there is an ordinary number.

    >>> ordinary(178_144.5), ordinary(2.68712), ordinary(0.00012345), ordinary(5e-9)
    ('178,144', '2.687', '0.0001234', '5e-09')
    >>> ordinary(3.0, "+"), ordinary(-12345.6, "+")
    ('+3', '-12,346')
    """
    whole = 10 ** (digits - 1) <= abs(number) < 1e15
    return f"{number:{sign},.0f}" if whole else f"{number:{sign}.{digits}g}"
