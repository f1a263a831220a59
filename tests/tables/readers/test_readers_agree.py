"""Generated files of known truth, read by us and by pandas, pyarrow and DuckDB.

Whatever we read must be what was written, or a notice says otherwise; and if a peer reads something
else, one of its documented rules must predict that. All other differences are silent ones.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from cli.shell import run
from reference.generated_tables import Column, GeneratedTable, Layout, generate
from reference.table_peers import (
    PEERS,
    RULES,
    Cell,
    ColumnTexts,
    Reading,
    Rule,
    explaining,
    in_shape,
    plain,
    read,
    refuses_by_rule,
    same,
)

from rosenblatt.errors import DataError, InputError, Notice
from rosenblatt.features import Schema
from rosenblatt.io import Table, read_table

N_FILES = 300
N_SLOW = 60

for package in PEERS:
    pytest.importorskip(package)


# ---------------------------------------------------------------------- our reading


@dataclass
class OurReading(Reading):
    """What we made of a file, with the line of every row and what was said."""

    lines: list[int] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)


def read_ours(table: GeneratedTable, folder: Path, **options: Any) -> OurReading:
    """Read a file as users do: by its path, with nothing said but the target."""
    path = folder / f"{table.name}.csv"
    path.write_bytes(table.data())
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = read_table(path, table.target, **options)
        except DataError as error:
            return OurReading([], [], str(error))
        kinds = kinds_of(found)
    assert all(issubclass(notice.category, Notice) for notice in heard)
    notices = [str(notice.message) for notice in heard]
    by_name = values_of(found)
    names = [column.name for column in table.columns if column.name in by_name]
    names += [name for name in by_name if name not in names]
    columns = [by_name[name] for name in names]
    return OurReading(names, columns, None, found.lines.tolist(), notices, kinds)


def kinds_of(table: Table) -> dict[str, str]:
    """What the columns are for a learner; nothing if none of them is left to learn from."""
    try:
        return {column.name: column.kind for column in Schema.guess(table).columns}
    except InputError:
        return {}


def values_of(table: Table) -> dict[str, list[Any]]:
    """Every column of a table of ours, the labels too; None for gaps."""
    columns = {
        name: [None if value == "" else plain(value) for value in column.tolist()]
        for name, column in table.columns.items()
    }
    if table.labels is not None:
        assert table.target is not None
        columns[table.target] = table.labels.tolist()
    return columns


# ---------------------------------------------------------------------- differences


@dataclass(frozen=True)
class Difference:
    """A difference that nobody told of."""

    file: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"file {self.file}, {self.where}: {self.what}"


@dataclass
class Comparison:
    """Differences of one file: those that are explained, by what, and those that are not."""

    silent: list[Difference] = field(default_factory=list)
    explained: dict[str, int] = field(default_factory=dict)

    def explain(self, by: str) -> None:
        self.explained[by] = self.explained.get(by, 0) + 1


def compare(
    table: GeneratedTable,
    ours: OurReading,
    peers: dict[str, Reading],
    rules: Sequence[Rule] = RULES,
) -> Comparison:
    """Compare our reading with the truth and with every peer, cell by cell."""
    found = Comparison()

    def silent(where: str, what: str) -> None:
        found.silent.append(Difference(table.name, where, what))

    if ours.refused is not None:
        silent("all rows", f"we refuse what can be read: {ours.refused}")
        return found
    ours = replace(ours, **vars(in_shape("ours", table, ours)))
    if not has_shape_of(table, ours):
        silent("all rows", f"we read {shape_of(ours)}, written are {shape_of_truth(table)}")
        return found
    if ours.lines != table.first_lines():
        silent("all rows", f"we name the lines {ours.lines[:9]}, not {table.first_lines()[:9]}")
    readings = {peer: in_shape(peer, table, reading) for peer, reading in peers.items()}
    for peer, reading in peers.items():
        if reading.refused is not None:
            rule = refuses_by_rule(peer, table)
            if rule is not None:
                found.explain(f"{peer}: refuses it, {rule}")
            else:
                silent("all rows", f"{peer} refuses it: {reading.refused}")
            del readings[peer]
        elif not has_shape_of(table, readings[peer], named=table.layout.header):
            theirs = shape_of(readings[peer])
            silent("all rows", f"{peer} reads {theirs}, written are {shape_of_truth(table)}")
            del readings[peer]
    for place, column in enumerate(table.columns):
        texts = [table.written(row, column) for row in range(table.n_rows)]
        written = ColumnTexts(table.layout, texts)
        for row in range(table.n_rows):
            our = ours.columns[place][row]
            theirs = {peer: reading.columns[place][row] for peer, reading in readings.items()}
            if all(same(our, value) for value in (column.values[row], *theirs.values())):
                continue
            where = f"row {row + 1}, column {column.name}, written {texts[row]!r}"
            values = f"we read {our!r}, the truth is {column.values[row]!r}, " + ", ".join(
                f"{peer} reads {value!r}" for peer, value in theirs.items()
            )
            cell = Cell(written, row)
            by_notice = explaining_notice(column, cell, our, ours.notices)
            if not same(our, column.values[row]):
                if by_notice is None:
                    silent(where, values)
                    continue
                found.explain(f"ours: {by_notice}")
            for peer, value in theirs.items():
                if same(our, value):
                    continue
                by_rule = explaining(peer, cell, value, rules)
                if by_rule:
                    found.explain(f"{peer}: {by_rule[0].name}")
                elif by_notice is None:
                    silent(where, values)
    return found


def has_shape_of(table: GeneratedTable, reading: Reading, *, named: bool = True) -> bool:
    names = [column.name for column in table.columns]
    lengths = {len(column) for column in reading.columns}
    return (reading.names == names or not named) and (
        len(reading.columns) == len(names) and lengths == {table.n_rows}
    )


def shape_of(reading: Reading) -> str:
    return f"{reading.n_rows} rows of {reading.names}"


def shape_of_truth(table: GeneratedTable) -> str:
    return f"{table.n_rows} rows of {[column.name for column in table.columns]}"


@dataclass(frozen=True)
class NoticeRule:
    """A notice of ours that names a column, and what it tells of the cells of that column."""

    name: str
    pattern: re.Pattern[str]
    explains: Callable[[Cell, Any, re.Match[str]], bool]


def _is_its_number(cell: Cell, our: Any, notice: re.Match[str]) -> bool:
    """Whether digits are read as the number that they are, without zeros in front or rounded."""
    return re.fullmatch(r"\d+", cell.text.strip()) is not None and same(our, float(cell.text))


def _is_the_gap(cell: Cell, our: Any, notice: re.Match[str]) -> bool:
    return our is None and cell.text.strip() == notice["text"]


def _is_a_stray(cell: Cell, our: Any, notice: re.Match[str]) -> bool:
    """Whether a text that is no number, and no finite one, is read as a gap."""
    return our is None and re.search(r"[^\W\d]", cell.text) is not None


NOTICES = (
    NoticeRule(
        "lost digits",
        re.compile(r'column "(?P<column>.*)": "\d+" is read as \d+; to keep all digits'),
        _is_its_number,
    ),
    NoticeRule(
        "sign as a gap",
        re.compile(r'column "(?P<column>.*)": "(?P<text>.)" is read as a gap'),
        _is_the_gap,
    ),
    NoticeRule(
        "strays",
        re.compile(r'column "(?P<column>.*)": [\d,]+ of [\d,]+ values .* read as (a gap|gaps)'),
        _is_a_stray,
    ),
)


def explaining_notice(column: Column, cell: Cell, our: Any, notices: Sequence[str]) -> str | None:
    """The name of a notice of ours that tells of what we made of this cell."""
    for rule in NOTICES:
        for notice in notices:
            found = rule.pattern.search(notice)
            if found and found["column"] == column.name and rule.explains(cell, our, found):
                return rule.name
    return None


def refuses_with_reason(table: GeneratedTable, ours: OurReading) -> bool:
    """Whether we refuse a file for a cell that holds no number to learn from, and name it."""
    rows = [
        (line, column.name)
        for column in table.columns
        for line, value in zip(table.first_lines(), column.values, strict=True)
        if isinstance(value, float) and math.isinf(value)
    ]
    said = ours.refused or ""
    return "is not a finite number" in said and any(
        f":{line}:" in said and f'"{name}"' in said for line, name in rows
    )


def comparison_of(table: GeneratedTable, folder: Path, rules: Sequence[Rule] = RULES) -> Comparison:
    """Read a file by all readers and compare what they say."""
    ours = read_ours(table, folder)
    if table.ragged:
        # A row of another width is refused by name; who skips such rows gets all others.
        (row,) = table.ragged
        assert f".csv:{table.first_lines()[row]}:" in (ours.refused or ""), table.name
        ours = read_ours(table, folder, on_bad="skip")
        place = f".csv:{table.first_lines()[row]}:"
        assert any("skipped" in notice and place in notice for notice in ours.notices), table.name
        table = table.without_ragged_rows()
    if refuses_with_reason(table, ours):
        return Comparison(explained={"ours: refuses infinity": 1})
    peers = {peer: read(peer, table) for peer in PEERS}
    return compare(table, ours, peers, rules)


def report(differences: Sequence[Difference], most: int = 20) -> str:
    files = sorted({difference.file for difference in differences})
    lines = [str(difference) for difference in differences[:most]]
    return "\n".join([f"{len(differences)} silent differences in the files {files}", *lines])


# ---------------------------------------------------------------------- the files


@pytest.mark.slow
def test_sixty_generated_files_are_read_without_a_silent_difference(tmp_path: Path) -> None:
    differences = [
        difference
        for seed in range(N_SLOW)
        for difference in comparison_of(generate(seed), tmp_path).silent
    ]
    assert not differences, report(differences)


@pytest.mark.long
def test_three_hundred_generated_files_are_read_without_a_silent_difference(tmp_path: Path) -> None:
    differences = list[Difference]()
    used = set[str]()
    for seed in range(N_FILES):
        found = comparison_of(generate(seed), tmp_path)
        differences += found.silent
        used |= found.explained.keys()
    assert not differences, report(differences)
    # No rule is kept that explains nothing.
    assert {f"{rule.peer}: {rule.name}" for rule in RULES} <= used


def expected_kinds(column: Column) -> set[str]:
    """What a column may be for a learner; one that differs in every row tells nothing."""
    if column.kind == "number":
        return {"number", "ignored"}
    if column.kind == "date":
        return {"date", "ignored"}
    return {"category", "text", "ignored"}


@pytest.mark.slow
def test_the_columns_of_generated_files_get_the_kinds_that_they_have(tmp_path: Path) -> None:
    wrong = list[str]()
    for seed in range(N_SLOW):
        table = generate(seed)
        ours = read_ours(table, tmp_path)
        told = " ".join(ours.notices)
        for column in table.columns if table.n_rows > 20 else ():
            found = ours.kinds.get(column.name)
            said = f'column "{column.name}"' in told
            if found is not None and found not in expected_kinds(column) and not said:
                wrong.append(f"file {table.name}, column {column.name}: {found}")
    assert not wrong


@pytest.mark.slow
def test_predict_writes_a_line_for_every_row_of_generated_files(tmp_path: Path) -> None:
    tables = [generate(seed) for seed in range(N_SLOW)]
    usual = [table for table in tables if table.target and table.n_rows > 5 and not table.ragged]
    finite = [table for table in usual if "not finite" not in table.features]
    for table in finite[::2]:
        data = tmp_path / f"{table.name}.csv"
        model = tmp_path / f"{table.name}.rbt"
        data.write_bytes(table.data())
        learner = ("--learner", "perceptron", "--epochs", "1", "--target", str(table.target))
        done = run("train", data, *learner, "--out", model)
        assert done.code == 0, (table.name, done.err)
        bare = tmp_path / f"{table.name}_bare.csv"
        bare.write_bytes(table.data(table_only=True))
        # Below the last row predict takes any text for a bad row, and has an empty line for it.
        for file in (bare,) if table.layout.below else (data, bare):
            done = run("predict", model, file)
            assert done.code == 0, (table.name, done.err)
            assert len(done.out.splitlines()) == table.n_rows, table.name


# ---------------------------------------------------------------------- the harness itself


def small_table(
    texts: Sequence[str], values: Sequence[Any], layout: Layout | None = None
) -> GeneratedTable:
    """A file of one column and a label."""
    column = Column("value", "number", list(texts), list(values))
    labels = [("a", "b")[row % 2] for row in range(len(texts))]
    label = Column("label", "text", labels, list(labels))
    return GeneratedTable("small", layout or Layout(), [column, label], set(), "label")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.peer} {rule.name}")
def test_each_rule_of_a_peer_is_needed_and_explains_nothing_but_what_the_peer_does(
    rule: Rule,
) -> None:
    table = small_table(rule.example, rule.example)
    found = read(rule.peer, table).columns[0][-1]
    cell = Cell(ColumnTexts(table.layout, rule.example), len(rule.example) - 1)
    assert explaining(rule.peer, cell, found) == [rule]
    for other in ("another text", -17.5, 123_456_789, None, True, False):
        if not same(other, found):
            assert not rule.explains(cell, other)


GERMAN = Layout(delimiter=";", decimal=",", thousands=".")
NUMBERS = small_table(["5.600", "12,5", "", "1e3", "-7"], [5600, 12.5, None, 1000.0, -7], GERMAN)
Fault = Callable[[list[Any]], list[Any]]
FAULTS: dict[str, Fault] = {
    "a row is dropped": lambda values: values[:-1],
    "a row is there twice": lambda values: [values[0], *values],
    "two rows change places": lambda values: [values[1], values[0], *values[2:]],
    "a mark between thousands is taken for a decimal one": lambda values: [5.6, *values[1:]],
    "a gap is filled with 0": lambda values: [0.0 if value is None else value for value in values],
    "a number becomes a gap": lambda values: [*values[:-1], None],
    "a sign is lost": lambda values: [*values[:-1], 7.0],
    "numbers become texts": lambda values: [str(value) for value in values],
    "the last bit is lost": lambda values: [math.nextafter(5600, 9000), *values[1:]],
}


def read_with(fault: Fault, table: GeneratedTable) -> OurReading:
    """The reading of somebody who makes a fault in the first column and tells nobody of it."""
    names = [column.name for column in table.columns]
    numbers, labels = (list(column.values) for column in table.columns)
    numbers = fault(numbers)
    labels = [*labels, "a"][: len(numbers)]
    lines = [*table.first_lines(), 7][: len(numbers)]
    return OurReading(names, [numbers, labels], None, lines)


@pytest.fixture(scope="module")
def peers_of_numbers() -> dict[str, Reading]:
    return {peer: read(peer, NUMBERS) for peer in PEERS}


def test_a_reading_without_a_fault_has_no_silent_difference(
    peers_of_numbers: dict[str, Reading],
) -> None:
    ours = read_with(lambda values: values, NUMBERS)
    assert compare(NUMBERS, ours, peers_of_numbers).silent == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_silent_fault_of_a_reader_is_found(
    fault: str, peers_of_numbers: dict[str, Reading]
) -> None:
    found = compare(NUMBERS, read_with(FAULTS[fault], NUMBERS), peers_of_numbers)
    assert found.silent
    assert found.silent[0].file == "small"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_the_generator_makes_as_well_is_found_by_the_peers(
    fault: str, peers_of_numbers: dict[str, Reading]
) -> None:
    ours = read_with(FAULTS[fault], NUMBERS)
    numbers, label = NUMBERS.columns
    mistaken = [
        replace(numbers, values=ours.columns[0], texts=["?"] * ours.n_rows),
        replace(label, values=ours.columns[1], texts=["?"] * ours.n_rows),
    ]
    table = replace(NUMBERS, columns=mistaken)
    assert compare(table, ours, peers_of_numbers).silent


def test_a_difference_names_file_row_column_text_and_the_values_of_all(
    peers_of_numbers: dict[str, Reading],
) -> None:
    fault = FAULTS["a mark between thousands is taken for a decimal one"]
    (difference,) = compare(NUMBERS, read_with(fault, NUMBERS), peers_of_numbers).silent
    assert str(difference) == (
        "file small, row 1, column value, written '5.600': we read 5.6, the truth is 5600, "
        "pandas reads 5600.0, pyarrow reads '5.600', duckdb reads 5600.0"
    )
