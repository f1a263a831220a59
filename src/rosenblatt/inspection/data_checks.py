"""Checks of data before training: constant, repeated and missing values, conflicting labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows
from rosenblatt.html_tables import ResultCard
from rosenblatt.inspection.target_checks import TargetWarning, check_target
from rosenblatt.plurals import agree, count, first_few
from rosenblatt.tables.features.number_scaling import contiguous_columns
from rosenblatt.tables.features.schema import Schema
from rosenblatt.tables.features.schemas import AnySchema, guess_schema
from rosenblatt.tables.readers.number_style import looks_missing
from rosenblatt.tables.readers.table import Table
from rosenblatt.text_tables import ordinary

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray
    from rosenblatt.tables.features.column_kinds import Column
    from rosenblatt.tables.readers.block import Block

# Number of examples given in a message.
SHOWN = 5
# If the sizes of two features differ by a larger factor, the small one hardly matters.
FAR_APART = 1e6
# A 64-bit multiplicative hash: multiplying by an odd, irregular number carries every bit to all
# higher ones, and the shift carries them back down.
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
HASH_SHIFT = np.uint64(29)
# Rows hashed at a time, few enough to stay in the cache of the processor.
ROWS_HASHED = 1 << 12
# Size of the sample of a column that is compared before all of its values.
SKETCHED = 1 << 10


@dataclass
class DataReport(ResultCard):
    """The result of `check_data`; ``warnings()`` and ``errors()`` describe it in sentences.

    Attributes
    ----------
    rows, features : int
        Number of rows and features.
    features_used : int
        Number of features that occur in some row; hashing reserves room for more.
    classes : dict
        Number of rows of each label.
    columns : list of dict
        ``name``, ``kind`` and ``about`` of the columns of a table.
    constant, row_numbers : list of str
        Columns with the same value in all rows, and columns that only number the rows.
    repeated_columns : list of list of str
        Groups of columns with the same values.
    missing : dict of str to int
        Number of missing values by column.
    look_missing : dict of str to dict
        By column, texts that look like a missing value, and how often they occur.
    levels_met_once : dict of str to int
        Number of levels that occur once, by column.
    target : list of TargetWarning
        Problems of the target: too many values, or another column that gives it away.
    scales : dict or None
        The smallest and the largest feature, if their sizes are far apart.
    repeated_rows, conflicts : dict
        Rows equal to an earlier row, and rows equal to a row with another label, with the lines of
        the first of them.
    """

    rows: int
    features: int
    features_used: int
    classes: dict[Any, int]
    columns: list[dict[str, str]]
    constant: list[str] = field(default_factory=list)
    repeated_columns: list[list[str]] = field(default_factory=list)
    missing: dict[str, int] = field(default_factory=dict)
    look_missing: dict[str, dict[str, int]] = field(default_factory=dict)
    levels_met_once: dict[str, int] = field(default_factory=dict)
    row_numbers: list[str] = field(default_factory=list)
    target: list[TargetWarning] = field(default_factory=list)
    scales: dict[str, Any] | None = None
    repeated_rows: dict[str, Any] = field(default_factory=dict)
    conflicts: dict[str, Any] = field(default_factory=dict)

    def _headline(self) -> str:
        return f"{count(self.rows, 'row')}, {count(self.features, 'feature')}"

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible data; labels become text."""
        classes = {str(label): self.classes[label] for label in sorted(self.classes)}
        facts = asdict(self)
        facts["target_warnings"] = facts.pop("target")
        return {**facts, "classes": classes, "errors": self.errors()}

    def errors(self) -> list[str]:
        """Return the problems that make training pointless."""
        errors = []
        used = [column["name"] for column in self.columns if column["kind"] != "ignored"]
        if used and set(used) <= set(self.constant):
            errors.append(
                "every column has the same value in all rows: there is nothing to learn from"
            )
        if 2 * len(self.classes) > self.rows > 10:
            errors.append(
                f"{count(len(self.classes), 'class', 'classes')} in {count(self.rows, 'row')}: "
                "most labels occur once; is the right column the target? (--target)"
            )
        return errors

    def warnings(self) -> list[str]:
        """Return the problems that make training harder, one per line.

        A line that begins with spaces continues the one before it.
        """
        lines = [str(odd) for odd in self.target]
        lines += self._column_warnings()
        lines += self._value_warnings()
        return lines + self._row_warnings()

    def _column_warnings(self) -> list[str]:
        lines = []
        if self.constant:
            lines.append(f"the same value in all rows: {first_few(self.constant, SHOWN)}")
        for names in self.repeated_columns[:SHOWN]:
            lines.append(f"columns with the same values: {first_few(names, SHOWN, ' = ')}")
        if len(self.repeated_columns) > SHOWN:
            lines.append(f"and {len(self.repeated_columns) - SHOWN:,} more such groups")
        if self.row_numbers:
            lines.append(
                f"only numbers the rows, of no use to predict: {first_few(self.row_numbers, SHOWN)}"
            )
        return lines

    def _value_warnings(self) -> list[str]:
        lines = []
        if self.missing:
            gaps = [f"{name} ({n:,})" for name, n in self.missing.items()]
            lines.append(f"values missing: {first_few(gaps, SHOWN)}; an extra feature marks them")
        for name, texts in list(self.look_missing.items())[:SHOWN]:
            marks = ", ".join(f"{text or 'empty cells'} ({n:,})" for text, n in texts.items())
            lines.append(
                f"{name} has {marks}: taken as a value, though it looks like a missing one"
            )
        for name, n in list(self.levels_met_once.items())[:SHOWN]:
            lines.append(f"{name} has {count(n, 'level')} that {agree(n, 'occurs', 'occur')} once")
        if self.scales:
            small = self.scales["smallest"]
            large = self.scales["largest"]
            cure = "training scales them" if self.columns else "scale them"
            lines.append(
                f"sizes far apart: {small['name']} ({ordinary(small['size'])}) and {large['name']} "
                f"({ordinary(large['size'])}); {cure}"
            )
        return lines

    def _row_warnings(self) -> list[str]:
        lines = []
        repeated = self.repeated_rows
        if repeated["rows"]:
            groups = [", ".join(map(str, group)) for group in repeated["first"][:3]]
            rows = count(repeated["rows"], "row repeats", "rows repeat")
            lines.append(f"{rows} an earlier one: lines {'; '.join(groups)}")

        conflicts = self.conflicts
        if conflicts["rows"]:
            lines.append(
                f"{conflicts['rows']:,} rows are equal to one with another label; "
                f"{conflicts['never_right']:,} of them no model gets right:"
            )
            for group in conflicts["first"]:
                members = ", ".join(f"line {one['line']}: {one['label']}" for one in group)
                lines.append(f"  {members}")
        return lines


def check_data(kind: str, block: Any, schema: AnySchema | None = None) -> DataReport:
    """Check labelled rows for problems that make training harder or pointless.

    Parameters
    ----------
    kind : {"table", "text", "svmlight", "vw"}
        The kind of rows in the block.
    block : Table or Block
        Rows with labels, as a reader returns them.
    schema : Schema, TextSchema or SparseSchema, default=None
        How the rows become features; by default it is guessed.

    Returns
    -------
    report : DataReport

    Examples
    --------
    >>> import io
    >>> from rosenblatt.evaluate import check_data
    >>> from rosenblatt.io import read_table
    >>> data = io.BytesIO(b"id,size,colour,y\\n1,7,red,u\\n2,7,?,v\\n3,7,red,u\\n")
    >>> report = check_data("table", read_table(data, target="y"))
    >>> report.constant, report.row_numbers, report.missing
    (['size'], ['id'], {'colour': 1})
    >>> print(report.warnings()[-1])
    colour has 1 level that occurs once
    """
    schema = guess_schema(kind, block) if schema is None else schema
    columns = schema.columns if isinstance(schema, Schema) else []
    # The features of numbers and categories are known without encoding the rows.
    is_plain = {column.kind for column in columns} <= {"number", "category", "ignored"}
    X = None if kind == "table" and is_plain else schema.learn(block)

    labels = block.labels.tolist()
    report = DataReport(
        rows=len(labels),
        features=schema.n_features,
        features_used=schema.n_features,
        classes=dict(Counter(labels)),
        columns=[
            {"name": column.name, "kind": column.kind, "about": column.describe()}
            for column in columns
        ],
    )
    if isinstance(X, SparseRows):
        is_used = np.zeros(X.shape[1], bool)
        is_used[X.indices] = True
        report.features_used = int(is_used.sum())

    if kind == "table":
        _check_columns(report, schema, block)
        if X is None:
            report.features_used -= _n_unused_gap_features(report, schema)
        compared = [column["name"] for column in report.columns if column["kind"] != "ignored"]
        report.target = check_target(block, compared)
    elif kind != "text":
        _check_sparse_columns(report, schema, block)
    _check_rows(report, _repeated_rows(kind, block), labels, block.lines)
    return report


# ---------------------------------------------------------------------- columns


def _check_columns(report: DataReport, schema: AnySchema, table: Table) -> None:
    """Check every column of a table for constant, repeated and missing values."""
    names_by_key: dict[Hashable, list[str]] = {}
    sizes: dict[str, float] = {}
    number_columns = (row for _, piece in contiguous_columns(table.numbers) for row in piece)
    for column in schema.columns:
        name = column.name
        if name in table.texts:
            values, key = _check_texts(report, column, table)
        else:
            values = next(number_columns) + 0.0  # adding 0.0 turns -0.0 into 0.0
            key = _check_numbers(report, sizes, name, values)

        is_constant = bool((values == values[0]).all()) or bool(np.isnan(values).all())
        if is_constant:
            report.constant.append(name)
        else:
            names_by_key.setdefault(key, []).append(name)

    # Columns with the same key are probably equal; only these are compared in full.
    for names in names_by_key.values():
        if len(names) > 1:
            report.repeated_columns += _equal_columns(table, names)
    report.scales = _scales(sizes)


def _check_numbers(
    report: DataReport, sizes: dict[str, float], name: str, values: AnyArray
) -> tuple[float, bytes]:
    """Check a column of numbers; return a key that is the same for equal columns."""
    known = values
    least = values.min()
    if np.isnan(least):
        is_gap = np.isnan(values)
        report.missing[name] = int(is_gap.sum())
        known = values[~is_gap]
        least = known.min(initial=np.inf)
    if len(known) and known.max() > least:
        sizes[name] = float(known.std())

    # The first two values decide most cases without a pass over the column.
    may_count = len(values) > 2 and values[1] - values[0] == 1.0
    if may_count and bool((np.diff(values) == 1.0).all()):
        report.row_numbers.append(name)
    return _sketch(values)


def _sketch(values: AnyArray) -> tuple[float, bytes]:
    """Return a key that equal columns share, and that other columns hardly ever have."""
    sample = values[:: len(values) // SKETCHED + 1]
    # NaNs may differ in their bits.
    sample = np.where(np.isnan(sample), np.nan, sample)
    return float(np.nansum(values)), sample.tobytes()


def _equal_columns(table: Table, names: list[str]) -> list[list[str]]:
    """Return the groups of columns that have the same values in all rows."""
    groups: dict[bytes, list[str]] = {}
    for name in names:
        column = table.coded(name)[0] if name in table.texts else table.number_column(name)
        key = (column.astype(np.float64) + 0.0).tobytes()
        groups.setdefault(key, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _n_unused_gap_features(report: DataReport, schema: AnySchema) -> int:
    """Count the numeric columns whose missing-value feature never, or always, applies."""
    with_gaps = [c.name for c in schema.columns if c.kind == "number" and c.n_features == 2]
    return sum(report.missing.get(name, 0) in (0, report.rows) for name in with_gaps)


def _check_texts(report: DataReport, column: Column, table: Table) -> tuple[AnyArray, Hashable]:
    """Check a column of texts; return its codes, and a key that equal columns share."""
    codes, texts = table.coded(column.name)
    counts = table.counts(column.name)

    gaps = {text: n for text, n in counts.items() if looks_missing(text)}
    n_empty = gaps.pop("", 0)
    if n_empty:
        report.missing[column.name] = n_empty
    if gaps:
        report.look_missing[column.name] = gaps

    is_category = column.kind == "category"
    if is_category and 1 in counts.values():
        report.levels_met_once[column.name] = sum(n == 1 for n in counts.values())
    if is_category and len(counts) < len(codes):
        # Codes are assigned by first occurrence, so columns with the same levels under other
        # names have the same key.
        values = codes.astype(np.float64)
        return values, _sketch(values)
    return codes, tuple(texts[code] for code in codes.tolist())


def _check_sparse_columns(report: DataReport, schema: AnySchema, block: Block) -> None:
    """Check every column of sparse rows for constant and repeated values."""
    rows: SparseRows = block.rows
    row_of_value = rows.row_numbers()

    # Group the stored values by column; within a column they stay in the order of the rows.
    order = np.argsort(rows.indices, kind="stable")
    columns, starts = np.unique(rows.indices[order], return_index=True)
    values_of_columns = np.split(order, starts[1:])

    sizes: dict[str, float] = {}
    names_by_key: dict[tuple[bytes, bytes], list[str]] = {}
    names = schema.names(columns.tolist())
    for name, part in zip(names, values_of_columns, strict=True):
        values = rows.data[part] + 0.0
        sizes[name] = float(np.abs(values).max())
        if len(values) == rows.shape[0] and bool((values == values[0]).all()):
            report.constant.append(name)
        else:
            key = (row_of_value[part].tobytes(), values.tobytes())
            names_by_key.setdefault(key, []).append(name)
    report.repeated_columns = [group for group in names_by_key.values() if len(group) > 1]
    report.scales = _scales({name: size for name, size in sizes.items() if size})


def _scales(sizes: dict[str, float]) -> dict[str, dict[str, str | float]] | None:
    """Return the smallest and the largest feature; None if their sizes are not far apart."""
    if not sizes:
        return None
    small = min(sizes, key=sizes.__getitem__)
    large = max(sizes, key=sizes.__getitem__)
    if sizes[large] / FAR_APART <= sizes[small]:
        return None
    return {
        "smallest": {"name": small, "size": sizes[small]},
        "largest": {"name": large, "size": sizes[large]},
    }


# ---------------------------------------------------------------------- rows


def _repeated_rows(kind: str, block: Any) -> list[list[int]]:
    """Return groups of equal rows."""
    rows_by_key: dict[Hashable, list[int]] = {}
    for row, key in _row_keys(kind, block):
        rows_by_key.setdefault(key, []).append(row)
    return [rows for rows in rows_by_key.values() if len(rows) > 1]


def _row_keys(kind: str, block: Any) -> Iterator[tuple[int, Hashable]]:
    """Yield the index of each row that may have an equal one, and a key of its values."""
    if kind == "text":
        yield from enumerate(block.rows)
    elif kind == "table":
        yield from _table_row_keys(block)
    else:
        rows: SparseRows = block.rows
        values = rows.data + 0.0
        for row, (start, stop) in enumerate(pairwise(rows.indptr.tolist())):
            yield row, (rows.indices[start:stop].tobytes(), values[start:stop].tobytes())


def _table_row_keys(table: Table) -> Iterator[tuple[int, bytes]]:
    codes = [table.coded(name)[0] for name in table.texts]
    numbers = table.numbers
    # Only rows with the same hash as another are compared value by value.
    suspects = _rows_with_shared_hash([*numbers.T, *codes])

    # All values of a row as one run of bytes: NaNs alike, -0.0 as 0.0, texts as their codes.
    parts = [np.where(np.isnan(numbers[suspects]), np.nan, numbers[suspects] + 0.0)]
    parts += [code[suspects, None].astype(np.float64) for code in codes]
    joined = np.ascontiguousarray(np.column_stack(parts))
    keys = joined.view(f"V{joined.strides[0]}").ravel().tolist()
    yield from zip(suspects.tolist(), keys, strict=True)


def _rows_with_shared_hash(columns: list[AnyArray]) -> npt.NDArray[np.intp]:
    """Return the indices of the rows whose hash another row shares, in order."""
    hashes = np.zeros(len(columns[0]), np.uint64)
    for start in range(0, len(hashes), ROWS_HASHED):
        some = hashes[start : start + ROWS_HASHED]
        for column in columns:
            values = column[start : start + ROWS_HASHED].astype(np.float64)
            # Values that count as equal must have equal bits: -0.0 and 0.0, and all NaNs.
            values += 0.0
            if np.isnan(values.min()):
                values[np.isnan(values)] = np.nan
            some ^= values.view(np.uint64)
            some *= HASH_FACTOR
            some ^= some >> HASH_SHIFT

    order = np.argsort(hashes)
    is_same = hashes[order[1:]] == hashes[order[:-1]]
    return np.sort(np.unique(np.concatenate([order[1:][is_same], order[:-1][is_same]])))


def _check_rows(
    report: DataReport,
    groups: list[list[int]],
    labels: Sequence[Hashable],
    lines: npt.NDArray[np.int64],
) -> None:
    """Report groups of equal rows, and those among them with different labels."""
    conflicts = []
    n_never_right = 0
    for rows in groups:
        counts = Counter(labels[row] for row in rows)
        if len(counts) > 1:
            conflicts.append(rows)
            # A model predicts one label for equal rows; at best the most frequent one.
            n_never_right += len(rows) - max(counts.values())

    report.repeated_rows = {
        "rows": sum(len(rows) - 1 for rows in groups),
        "first": [lines[rows[:SHOWN]].tolist() for rows in groups[:SHOWN]],
    }
    report.conflicts = {
        "groups": len(conflicts),
        "rows": sum(map(len, conflicts)),
        "never_right": n_never_right,
        "first": [
            [
                {"line": int(lines[row]), "label": str(labels[row])}
                for row in _first_of_each_label(rows, labels)
            ]
            for rows in conflicts[:SHOWN]
        ],
    }


def _first_of_each_label(rows: list[int], labels: Sequence[Hashable]) -> list[int]:
    first: dict[Hashable, int] = {}
    for row in rows:
        first.setdefault(labels[row], row)
    return list(first.values())[:SHOWN]
