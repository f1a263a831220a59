"""Tables of which everything is known, written in the ways in which people write files.

``generate(seed)`` draws how a file is written (delimiter, quotes, line ends, encoding, header,
gaps, marks of numbers, what stands above and below) and what is in it, and keeps the truth: the
value of every cell, the line of every row, and the features that make it hard. A value is a number
(int or float), a text, or None for a gap.

Nothing is drawn that no reader could decide, for example a file of words without a header, or a
last row of sums that is as wide as the others: there would be no truth to compare with.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal

Value = int | float | str | None

DELIMITERS = (",", ";", "\t", "|")
# Every one of the readers compared may take another part of these for a gap.
GAP_WORDS = (
    *("", "NA", "null", "?", "NaN", "n/a", "None", "-", "\\N", "<NA>", "#N/A", ".", "--"),
    *("NULL", "nan", "N/A", "na", "nil", "#DIV/0!"),
)
COLOURS = ("red", "green", "blue", "dark red", "white")
# The letters that ASCII lacks, all of them in cp1252 as well.
PLACES = ("Zürich", "Málaga", "Łódź", "Genève", "Århus")
CP1252_PLACES = ("Zürich", "Málaga", "Genève", "Århus", "Øresund")
TICKETS = ("A/5 21171", "PC 17599", "STON/O2. 3101282", "LINE")
REMARKS = (
    "as agreed",
    "call back, then send the offer",
    'she said "no" twice',
    "first line\nsecond line",
    "first line\r\nsecond line",
    "half; half",
    "left | right",
    "it's fine",
    'ends with "quotes"',
    "a\ttab within",
)
# Rows that lie beyond what a reader looks at first, if it looks at a hundred lines.
LATE = 150


@dataclass(frozen=True)
class Layout:
    """How a table is written."""

    delimiter: str = ","
    quoting: str = "minimal"
    newline: str = "\n"
    encoding: str = "utf-8"
    header: bool = True
    decimal: str = "."
    thousands: str = ""
    padded: bool = False
    trailing_delimiter: str = ""
    final_newline: bool = True
    blank_lines_at_end: int = 0
    blank_line_after: int = -1
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


@dataclass
class Column:
    """A column: its cells as they are written, but for quotes round them, and their truth."""

    name: str
    kind: str
    texts: list[str]
    values: list[Value]
    features: set[str] = field(default_factory=set)


@dataclass
class GeneratedTable:
    """A file and the truth about it."""

    name: str
    layout: Layout
    columns: list[Column]
    features: set[str]
    # The column of the labels, if the file is to be read with one.
    target: str | None = None
    # Numbers of rows that lack a field or have one too many, with what was done to them.
    ragged: dict[int, str] = field(default_factory=dict)
    # The line on which every row begins, from 1, if it is not that of the rows at hand.
    known_lines: list[int] | None = None

    @property
    def n_rows(self) -> int:
        return len(self.columns[0].texts)

    def written(self, row: int, column: Column) -> str:
        """A cell as the file has it, without its quotes."""
        return padded(column.texts[row], row) if self.layout.padded else column.texts[row]

    def row_line(self, row: int) -> str:
        """A row as the file has it, without the line end."""
        layout = self.layout
        cells = [quoted(self.written(row, column), layout) for column in self.columns]
        change = self.ragged.get(row)
        if change == "short":
            cells.pop()
        if change == "long":
            cells.append(quoted("extra", layout))
        trail = layout.delimiter if layout.trailing_delimiter else ""
        return layout.delimiter.join(cells) + trail

    def header_line(self) -> str:
        layout = self.layout
        names = [quoted(column.name, layout) for column in self.columns]
        trail = layout.delimiter if layout.trailing_delimiter == "everywhere" else ""
        return layout.delimiter.join(names) + trail

    def table_lines(self) -> list[str]:
        """Header and rows, without what stands above and below."""
        lines = [self.header_line()] if self.layout.header else []
        for row in range(self.n_rows):
            lines.append(self.row_line(row))
            if row == self.layout.blank_line_after:
                lines.append("")
        return lines

    def text(self, *, table_only: bool = False) -> str:
        layout = self.layout
        lines = self.table_lines()
        if not table_only:
            lines = [*layout.above, *lines, *layout.below]
        text = layout.newline.join(lines)
        if layout.final_newline or layout.blank_lines_at_end:
            text += layout.newline * (1 + layout.blank_lines_at_end)
        return text

    def data(self, *, table_only: bool = False) -> bytes:
        """The bytes of the file."""
        return self.text(table_only=table_only).encode(self.layout.encoding)

    def first_lines(self) -> list[int]:
        """The line on which every row begins, from 1."""
        if self.known_lines is not None:
            return self.known_lines
        line = 1 + len(self.layout.above)
        if self.layout.header:
            line += 1 + self.header_line().count("\n")
        found = []
        for row in range(self.n_rows):
            found.append(line)
            line += 1 + self.row_line(row).count("\n") + (row == self.layout.blank_line_after)
        return found

    def without_ragged_rows(self) -> GeneratedTable:
        """The same table without the rows that have another width, for what skips them."""
        kept = [row for row in range(self.n_rows) if row not in self.ragged]
        columns = [
            replace(
                column,
                texts=[column.texts[row] for row in kept],
                values=[column.values[row] for row in kept],
            )
            for column in self.columns
        ]
        lines = self.first_lines()
        return replace(self, columns=columns, ragged={}, known_lines=[lines[row] for row in kept])


def quoted(text: str, layout: Layout) -> str:
    """A field with quotes round it where the layout or its characters ask for them."""
    special = any(mark in text for mark in (layout.delimiter, '"', "\n", "\r"))
    if layout.quoting == "all" or (layout.quoting == "minimal" and special):
        return '"' + text.replace('"', '""') + '"'
    return text


def padded(text: str, row: int) -> str:
    """A text with blanks before or behind it, not the same in every row."""
    return (text, f" {text}", f"{text} ", f"  {text} ")[row % 4]


def number_text(value: int | Decimal, layout: Layout) -> str:
    """A number with the layout's decimal mark and its mark between thousands."""
    text = f"{value:,f}" if isinstance(value, Decimal) else f"{value:,d}"
    whole, _, fraction = text.partition(".")
    whole = whole.replace(",", layout.thousands)
    return f"{whole}{layout.decimal}{fraction}" if fraction else whole


# ---------------------------------------------------------------------- columns


class Maker:
    """Draws the columns of one table."""

    def __init__(self, rng: random.Random, n_rows: int, n_columns: int, layout: Layout) -> None:
        self.rng = rng
        self.n_rows = n_rows
        self.n_columns = n_columns
        self.layout = layout

    def with_gaps(self, column: Column) -> Column:
        """Make gaps of some cells, all of them marked alike, but not of the first row."""
        if self.rng.random() < 0.5 or self.n_rows < 3:
            return column
        # A line with nothing on it is no row.
        alone = self.layout.quoting != "all" and self.n_columns == 1
        word = self.rng.choice(GAP_WORDS[1:] if alone else GAP_WORDS)
        share = self.rng.choice((0.05, 0.2))
        for row in range(1, self.n_rows):
            if self.rng.random() < share:
                column.texts[row] = word
                column.values[row] = None
                column.features.add(f"gap {word!r}")
        return column

    def of_numbers(self, name: str, draw: Callable[[int], int | Decimal]) -> Column:
        numbers = [draw(row) for row in range(self.n_rows)]
        texts = [number_text(number, self.layout) for number in numbers]
        values: list[Value] = [n if isinstance(n, int) else float(n) for n in numbers]
        return Column(name, "number", texts, values)

    def of_texts(self, name: str, texts: list[str], kind: str = "text") -> Column:
        return Column(name, kind, texts, [text.strip() for text in texts])

    # .................................................................. numbers

    def decimals(self) -> Column:
        """Measures; the first ones leave no doubt about the decimal mark."""
        rng = self.rng

        def draw(row: int) -> Decimal:
            places = 1 if row < 3 else rng.choice((1, 2, 2, 3))
            return Decimal(rng.randint(-99_999, 9_999_999)).scaleb(-places)

        return self.with_gaps(self.of_numbers("measure", draw))

    def whole_numbers(self) -> Column:
        most = self.rng.choice((9, 999, 99_999, 10**9))
        return self.with_gaps(self.of_numbers("count", lambda row: self.rng.randint(-most, most)))

    def big_integers(self) -> Column:
        """Whole numbers that a float64 does not hold to the last digit."""
        column = Column("serial", "number", [], [], {"big integers"})
        for _ in range(self.n_rows):
            number = 2**53 + 1 + 2 * self.rng.randrange(10**6) * 10 ** self.rng.choice((0, 3, 6))
            column.texts.append(str(number))
            column.values.append(number)
        return column

    def exponents(self) -> Column:
        column = Column("tiny", "number", [], [], {"exponents"})
        for _ in range(self.n_rows):
            mantissa = Decimal(self.rng.randint(10, 99)).scaleb(-1)
            power = self.rng.randint(-30, 30)
            mark = self.rng.choice(("e", "E"))
            column.texts.append(f"{mantissa}{mark}{power:+03d}".replace(".", self.layout.decimal))
            column.values.append(float(f"{mantissa}e{power}"))
        return column

    def pointed_thousands(self) -> Column:
        """Whole numbers with marks between thousands, beside decimal numbers in another column."""
        column = self.of_numbers(
            "inhabitants", lambda row: self.rng.choice((345, 5_600, 345_678, 71, 12_000))
        )
        column.features.add("pointed thousands")
        return column

    def percent(self) -> Column:
        column = self.of_numbers("share", lambda row: Decimal(self.rng.randint(0, 999)).scaleb(-1))
        column.texts = [f"{text}%" for text in column.texts]
        column.features.add("percent")
        return column

    def money(self) -> Column:
        column = self.of_numbers(
            "price", lambda row: Decimal(self.rng.randint(100, 999_999)).scaleb(-2)
        )
        form = self.rng.choice(("${}", "{} €", "€{}", "£ {}"))
        column.texts = [form.format(text) for text in column.texts]
        column.features.add("currency")
        return column

    def loose_numbers(self) -> Column:
        """Numbers with a sign or a mark that others leave out."""
        known = ("+1.5", ".5", "5.", "-.25", "0.5", "17", "+4", "0")
        texts = [self.rng.choice(known) for _ in range(self.n_rows)]
        texts[0] = "0.5"
        values: list[Value] = [float(text) for text in texts]
        texts = [text.replace(".", self.layout.decimal) for text in texts]
        return Column("shift", "number", texts, values, {"loose numbers"})

    def accounts(self) -> Column:
        """Negative numbers in parentheses."""
        column = self.of_numbers(
            "balance", lambda row: Decimal(self.rng.randint(-99_999, 99_999)).scaleb(-1)
        )
        column.texts = [f"({text[1:]})" if text[0] == "-" else text for text in column.texts]
        column.features.add("parentheses")
        return column

    def not_finite(self) -> Column:
        """Numbers with words for what is no finite number among them."""
        column = self.of_numbers("rate", lambda row: Decimal(self.rng.randint(1, 99)).scaleb(-1))
        row = self.rng.randrange(1, self.n_rows)
        column.texts[row] = self.rng.choice(("inf", "-inf", "Infinity"))
        column.values[row] = float("-inf" if column.texts[row][0] == "-" else "inf")
        column.features.add("not finite")
        return column

    # .................................................................. texts

    def colours(self) -> Column:
        texts = [self.rng.choice(COLOURS) for _ in range(self.n_rows)]
        return self.with_gaps(self.of_texts("colour", texts))

    def places(self) -> Column:
        known = CP1252_PLACES if self.layout.encoding == "cp1252" else PLACES
        return self.of_texts("place", [self.rng.choice(known) for _ in range(self.n_rows)])

    def remarks(self) -> Column:
        # Without quotes a text cannot hold what ends it; and if carriage returns end lines, a line
        # feed in quotes tells of other line ends.
        barred = {"\n", "\r"} if self.layout.newline == "\r" else set[str]()
        if self.layout.quoting == "none":
            barred = {self.layout.delimiter, '"', "\n", "\r"}
        allowed = [text for text in REMARKS if not any(mark in text for mark in barred)]
        column = self.of_texts("remark", [self.rng.choice(allowed) for _ in range(self.n_rows)])
        column.features.add("remarks")
        return column

    def codes(self) -> Column:
        """Codes of digits, some with zeros in front, among the first rows too."""
        texts = [f"{self.rng.randrange(100_000):05d}" for _ in range(self.n_rows)]
        texts[0] = "01067"
        column = self.of_texts("postcode", texts)
        column.features.add("leading zeros")
        return column

    def hashes(self) -> Column:
        texts = [f"#{self.rng.randrange(1 << 24):06x}" for _ in range(self.n_rows)]
        column = self.of_texts("paint", [self.rng.choice((text, "plain")) for text in texts])
        column.features.add("hashes")
        return column

    def parenthesised(self) -> Column:
        known = ("(none)", "(2 rows)x", "some", "(other)")
        column = self.of_texts("group", [self.rng.choice(known) for _ in range(self.n_rows)])
        column.features.add("parenthesised texts")
        return column

    def tickets(self) -> Column:
        """Numbers of tickets, a third of them with letters."""
        column = self.of_texts("ticket", [])
        for _ in range(self.n_rows):
            text = str(self.rng.randint(1000, 400_000))
            if self.rng.random() < 0.3:
                text = self.rng.choice(TICKETS)
            column.texts.append(text)
            column.values.append(text)
        column.texts[-1] = column.values[-1] = TICKETS[0]
        column.features.add("numbers among texts")
        return column

    def signs(self) -> Column:
        texts = [self.rng.choice("+-") for _ in range(self.n_rows)]
        texts[0] = "+"  # a column of nothing but minus signs is one of gaps
        column = self.of_texts("rhesus", texts)
        column.features.add("plus and minus")
        return column

    def truths(self) -> Column:
        pair = self.rng.choice((("true", "false"), ("True", "False"), ("yes", "no"), ("T", "F")))
        return self.of_texts("paid", [self.rng.choice(pair) for _ in range(self.n_rows)])

    def dates(self) -> Column:
        form = self.rng.choice(
            (
                *("{y}-{m:02}-{d:02}", "{d:02}.{m:02}.{y}", "{m:02}/{d:02}/{y}"),
                *("{y}-{m:02}-{d:02} 14:05", "{m:02}:{d:02}"),
            )
        )
        texts = [
            form.format(
                y=self.rng.randint(1990, 2024), m=self.rng.randint(1, 12), d=self.rng.randint(1, 28)
            )
            for _ in range(self.n_rows)
        ]
        column = self.of_texts("day", texts, "date")
        column.features.add(f"dates {form}")
        return column

    # .................................................................. what shows late

    def late_numbers(self) -> Column:
        """Gaps for long, and then numbers."""
        column = self.decimals()
        for row in range(min(LATE, self.n_rows - 1)):
            column.texts[row] = ""
            column.values[row] = None
        column.features = {"numbers after many gaps"}
        column.name = "income"
        return column

    def late_text(self) -> Column:
        """Whole numbers for long, and then texts among them."""
        column = self.of_numbers("room", lambda row: self.rng.randint(1, 900))
        for row in range(min(LATE, self.n_rows - 1), self.n_rows):
            column.texts[row] = f"{column.texts[row]}{self.rng.choice('ABC')}"
        column.values = list(column.texts)
        column.kind = "text"
        column.features = {"texts after many numbers"}
        return column

    def late_codes(self) -> Column:
        """Digits for long, and then zeros in front of them."""
        texts = [str(self.rng.randint(10_000, 99_999)) for _ in range(self.n_rows)]
        for row in range(min(LATE, self.n_rows - 1), self.n_rows):
            texts[row] = f"0{texts[row][1:]}"
        column = self.of_texts("area", texts)
        column.features = {"leading zeros late"}
        return column

    def late_fractions(self) -> Column:
        """Whole numbers for long, and then fractions."""
        column = self.of_numbers(
            "score",
            lambda row: (
                self.rng.randint(0, 99)
                if row < LATE
                else Decimal(self.rng.randint(0, 999)).scaleb(-1)
            ),
        )
        column.features = {"fractions after many whole numbers"}
        return column

    def late_big_integers(self) -> Column:
        column = self.of_numbers("account", lambda row: self.rng.randint(1, 10**6))
        for row in range(min(LATE, self.n_rows - 1), self.n_rows):
            column.values[row] = 2**60 + 1 + 2 * row
            column.texts[row] = str(column.values[row])
        column.features = {"big integers late"}
        return column

    # .................................................................. labels

    def labels(self) -> Column:
        """The last column: words, whole numbers, codes with zeros, or truths; never a gap."""
        sets = (("no", "yes"), ("1", "2", "3"), ("007", "7", "08"), ("true", "false"), ("Ä", "B"))
        known = self.rng.choice(sets)
        texts = [self.rng.choice(known) for _ in range(self.n_rows)]
        texts[: len(known)] = known[: self.n_rows]
        name = self.rng.choice(("label", "species", "outcome", "Klasse"))
        column = self.of_texts(name, texts)
        if known == ("1", "2", "3"):
            column.kind = "number"
            column.values = [int(text) for text in texts]
        return column


NUMBER_MAKERS = (
    *("decimals", "whole_numbers", "exponents", "percent", "money", "accounts", "loose_numbers"),
)
TEXT_MAKERS = (
    *("colours", "places", "remarks", "codes", "hashes", "parenthesised", "tickets", "signs"),
    *("truths", "dates"),
)
RARE_MAKERS = ("big_integers", "not_finite", "pointed_thousands")
LATE_MAKERS = ("late_numbers", "late_text", "late_codes", "late_fractions", "late_big_integers")


# ---------------------------------------------------------------------- files


def generate(seed: int) -> GeneratedTable:
    """The table of a seed, always the same."""
    rng = random.Random(f"table {seed}")
    shape = rng.choice(("usual", "usual", "usual", "usual", "late", "one column", "wide", "tiny"))
    layout = _layout(rng, shape)
    n_rows = {"late": LATE + rng.randint(20, 60), "tiny": rng.choice((1, 2, 3))}.get(
        shape, rng.randint(6, 60)
    )
    if n_rows < 3:
        layout = replace(layout, header=True)  # a single row may be either
    names = _makers(rng, shape, layout)
    if len(names) < 2:
        layout = replace(layout, below=())  # in two columns a line of one field lacks the other
    maker = Maker(rng, n_rows, len(names) + (shape != "one column"), layout)
    columns = [getattr(maker, name)() for name in names]
    if shape != "one column":
        columns.append(maker.labels())
    _name(columns, layout)
    features = {shape, *(feature for column in columns for feature in column.features)}
    target = columns[-1].name if len(columns) > 1 and seed % 2 else None
    table = GeneratedTable(f"{seed:03d}", layout, columns, features, target)
    if shape == "usual" and "not finite" not in features and rng.random() < 0.12:
        row = rng.randrange(1, n_rows)
        table.ragged[row] = rng.choice(("short", "long"))
        features.add(f"{table.ragged[row]} row")
    return table


def _layout(rng: random.Random, shape: str) -> Layout:
    delimiter = rng.choice((",", ",", ";", "\t", "|"))
    quoting = rng.choice(("none", "minimal", "minimal", "all"))
    decimal = rng.choice("..,," if delimiter != "," else "...,")
    thousands = rng.choice(("", "", "", "," if decimal == "." else ".", "'", "\u00a0"))
    if quoting == "none" and delimiter in (decimal, thousands):
        quoting = "minimal"
    encoding = rng.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"))
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    if shape in ("usual", "late", "wide"):
        above = rng.choice(
            (
                *((), (), (), (), ()),
                ("# exported 2024-05-01",),
                ("# exported 2024-05-01", "# by the office"),
                ("Sales of the year", ""),
                (f"sep={delimiter}",),
                ("",),
            )
        )
        below = rng.choice(
            (*((), (), (), (), ()), ("Source: office of statistics",), ("", "Made by the office"))
        )
        if delimiter == "|" and rng.random() < 0.4:
            below = ("(90 rows)",)
    newline = rng.choice(("\n", "\n", "\n", "\n", "\r\n", "\r\n", "\r\n", "\r"))
    if newline == "\r" and encoding == "utf-16":
        newline = "\n"  # those who ended lines with returns had no UTF-16
    return Layout(
        delimiter=delimiter,
        quoting=quoting,
        newline=newline,
        encoding=encoding,
        header=rng.random() < 0.75 or shape == "one column",
        decimal=decimal,
        thousands=thousands,
        padded=rng.random() < 0.2 and quoting != "all",
        trailing_delimiter=rng.choice(("", "", "", "", "", "", "everywhere", "rows"))
        if shape == "usual"
        else "",
        final_newline=rng.random() < 0.8,
        blank_lines_at_end=rng.choice((0, 0, 0, 1, 3)),
        blank_line_after=rng.choice((-1, -1, -1, -1, 2)) if shape == "usual" else -1,
        above=above,
        below=below,
    )


def _makers(rng: random.Random, shape: str, layout: Layout) -> list[str]:
    """Which columns a table has; a column of measures shows what the decimal mark is."""
    if shape == "one column":
        # Of 12,345 alone nobody can tell what the comma is.
        whole = "decimals" if layout.thousands else "whole_numbers"
        return [rng.choice(("decimals", "colours", whole))]
    if shape == "wide":
        return ["decimals", *rng.choices((*NUMBER_MAKERS, *TEXT_MAKERS), k=rng.randint(20, 60))]
    names = rng.sample((*NUMBER_MAKERS[1:], *TEXT_MAKERS), k=rng.randint(1, 5))
    if shape == "late":
        names += rng.sample(LATE_MAKERS, k=2)
    elif shape == "usual" and rng.random() < 0.25:
        names.append(rng.choice(RARE_MAKERS))
    if not layout.header or layout.decimal == "," or layout.thousands or "money" in names:
        names.append("decimals")
    rng.shuffle(names)
    return names


def _name(columns: list[Column], layout: Layout) -> None:
    """Give every column a name of its own; without a header these are their numbers."""
    seen: dict[str, int] = {}
    for place, column in enumerate(columns):
        seen[column.name] = seen.get(column.name, 0) + 1
        if seen[column.name] > 1:
            column.name = f"{column.name}_{seen[column.name]}"
        if not layout.header:
            column.name = str(place + 1)
