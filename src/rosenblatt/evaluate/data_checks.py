"""What is odd about data before anything is learned: constant, repeated, missing, contradicting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.evaluate.target_checks import TargetWarning, check_target
from rosenblatt.features.number_scaling import contiguous_columns
from rosenblatt.features.schemas import AnySchema, guess_schema
from rosenblatt.html_tables import ResultCard
from rosenblatt.io.number_style import looks_missing
from rosenblatt.io.table import Table
from rosenblatt.plurals import agree, count, first_few
from rosenblatt.text_tables import ordinary

SHOWN = 5
# Features whose sizes differ by more: the small ones are not heard.
FAR_APART = 1e6
# Of a 64-bit hash: odd and irregular, so that every bit reaches all higher ones, and back down.
HASH_FACTOR, HASH_SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
# Rows are hashed so many at a time, which stay near the processor; columns are compared by so many
# of their values before by all.
ROWS_HASHED, SKETCHED = 1 << 12, 1 << 10


@dataclass
class DataReport(ResultCard):
    """What `check_data` found; ``warnings()`` and ``errors()`` put it into words.

    Attributes
    ----------
    rows, features : int
        How many there are.
    features_used : int
        How many features some row has; hashing makes room for more.
    classes : dict
        How many rows each label has.
    columns : list of dict
        ``name``, ``kind`` and ``about`` of the columns of a table.
    constant, row_numbers : list of str
        Columns with one value in all rows, and those that count the rows.
    repeated_columns : list of list of str
        Columns that say the same.
    missing : dict of str to int
        By column how many numbers are unknown.
    look_missing : dict of str to dict
        By column texts that look like a gap, with how often they occur.
    levels_met_once : dict of str to int
        By column how many levels occur once.
    target : list of TargetWarning
        What is odd about the target: too many values, or another column that gives it away.
    scales : dict or None
        The smallest and the largest feature, if their sizes are far apart.
    repeated_rows, conflicts : dict
        Rows that are equal to an earlier one, and rows that are equal to one with another label,
        with the lines of the first.
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
        """All of it as plain data; labels as text."""
        classes = {str(label): self.classes[label] for label in sorted(self.classes)}
        facts = asdict(self)
        facts["target_warnings"] = facts.pop("target")
        return {**facts, "classes": classes, "errors": self.errors()}

    def errors(self) -> list[str]:
        """What makes learning pointless."""
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
        """What will get in the way, in lines; those that begin with blanks go on with the last."""
        said = [str(odd) for odd in self.target]
        if self.constant:
            said.append(f"the same value in all rows: {first_few(self.constant, SHOWN)}")
        for names in self.repeated_columns[:SHOWN]:
            said.append(f"columns with the same values: {first_few(names, SHOWN, ' = ')}")
        if len(self.repeated_columns) > SHOWN:
            said.append(f"and {len(self.repeated_columns) - SHOWN:,} more such groups")
        if self.row_numbers:
            said.append(
                f"only numbers the rows, of no use to predict: {first_few(self.row_numbers, SHOWN)}"
            )
        if self.missing:
            gaps = [f"{name} ({n:,})" for name, n in self.missing.items()]
            said.append(f"values missing: {first_few(gaps, SHOWN)}; an extra feature marks them")
        for name, texts in list(self.look_missing.items())[:SHOWN]:
            marks = ", ".join(f"{text or 'empty cells'} ({n:,})" for text, n in texts.items())
            said.append(f"{name} has {marks}: taken as a value, though it looks like a missing one")
        for name, n in list(self.levels_met_once.items())[:SHOWN]:
            said.append(f"{name} has {count(n, 'level')} that {agree(n, 'occurs', 'occur')} once")
        if self.scales:
            small, large = self.scales["smallest"], self.scales["largest"]
            cure = "training scales them" if self.columns else "scale them"
            said.append(
                f"sizes far apart: {small['name']} ({ordinary(small['size'])}) and {large['name']} "
                f"({ordinary(large['size'])}); {cure}"
            )
        return said + self._row_warnings()

    def _row_warnings(self) -> list[str]:
        said = []
        repeated, conflicts = self.repeated_rows, self.conflicts
        if repeated["rows"]:
            lines = "; ".join(", ".join(map(str, lines)) for lines in repeated["first"][:3])
            rows = count(repeated["rows"], "row repeats", "rows repeat")
            said.append(f"{rows} an earlier one: lines {lines}")
        if conflicts["rows"]:
            said.append(
                f"{conflicts['rows']:,} rows are equal to one with another label; "
                f"{conflicts['never_right']:,} of them no model gets right:"
            )
            for group in conflicts["first"]:
                lines = ", ".join(f"line {one['line']}: {one['label']}" for one in group)
                said.append(f"  {lines}")
        return said


def check_data(kind: str, block: Any, schema: AnySchema | None = None) -> DataReport:
    """Look at rows with labels for what gets in the way of learning.

    Parameters
    ----------
    kind : {"table", "text", "svmlight", "vw"}
        What the block holds.
    block : Table or Block
        What a reader gave.
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
    # Numbers and categories need not be encoded to know which features they have.
    plain = {c.kind for c in getattr(schema, "columns", ())} <= {"number", "category", "ignored"}
    X = None if kind == "table" and plain else schema.learn(block)
    labels = block.labels.tolist()
    report = DataReport(
        rows=len(labels),
        features=schema.n_features,
        features_used=schema.n_features,
        classes=dict(Counter(labels)),
        columns=[
            {"name": column.name, "kind": column.kind, "about": column.describe()}
            for column in getattr(schema, "columns", [])
        ],
    )
    if X is not None and hasattr(X, "indices"):
        used = np.zeros(X.shape[1], bool)
        used[X.indices] = True
        report.features_used = int(used.sum())
    if kind == "table":
        _check_columns(report, schema, block)
        if X is None:
            report.features_used -= _features_of_gaps_unused(report, schema)
        compared = [column["name"] for column in report.columns if column["kind"] != "ignored"]
        report.target = check_target(block, compared)
    elif kind != "text":
        _check_sparse_columns(report, schema, block)
    _check_rows(report, _repeated_rows(kind, block), labels, block.lines)
    return report


# ---------------------------------------------------------------------- columns


def _check_columns(report: DataReport, schema: Any, table: Table) -> None:
    alike: dict[Any, list[str]] = {}
    sizes: dict[str, float] = {}
    pieces = (row for _, piece in contiguous_columns(table.numbers) for row in piece)
    for column in schema.columns:
        name = column.name
        if name in table.texts:
            values, key = _check_texts(report, column, table)
        else:
            values = next(pieces) + 0.0
            key = _check_numbers(report, sizes, name, values)
        if bool((values == values[0]).all()) or bool(np.isnan(values).all()):
            report.constant.append(name)
        else:
            alike.setdefault(key, []).append(name)
    several = [names for names in alike.values() if len(names) > 1]
    report.repeated_columns = [same for names in several for same in _equal(table, names)]
    report.scales = _scales(sizes)


def _check_numbers(
    report: DataReport, sizes: dict[str, float], name: str, values: npt.NDArray[Any]
) -> Any:
    """Look at a column of numbers; what it gives is equal for columns that say the same."""
    known, least = values, values.min()
    if np.isnan(least):
        gap = np.isnan(values)
        report.missing[name] = int(gap.sum())
        known = values[~gap]
        least = known.min(initial=np.inf)
    if len(known) and known.max() > least:
        sizes[name] = float(known.std())
    if len(values) > 2 and values[1] - values[0] == 1.0 and bool((np.diff(values) == 1.0).all()):
        report.row_numbers.append(name)
    return _sketch(values)


def _sketch(values: npt.NDArray[Any]) -> tuple[float, bytes]:
    """Equal for equal columns, and hardly ever for others."""
    some = values[:: len(values) // SKETCHED + 1]
    return float(np.nansum(values)), np.where(np.isnan(some), np.nan, some).tobytes()


def _equal(table: Table, names: list[str]) -> list[list[str]]:
    """Columns with the same values, of some that look alike."""
    groups: dict[bytes, list[str]] = {}
    for name in names:
        found = table.coded(name)[0] if name in table.texts else table.number_column(name)
        groups.setdefault((found.astype(np.float64) + 0.0).tobytes(), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _features_of_gaps_unused(report: DataReport, schema: Any) -> int:
    """How many number columns have a feature for gaps and none, or nothing else."""
    with_gaps = [c.name for c in schema.columns if c.kind == "number" and c.n_features == 2]
    return sum(report.missing.get(name, 0) in (0, report.rows) for name in with_gaps)


def _check_texts(report: DataReport, column: Any, table: Table) -> tuple[Any, Any]:
    """Numbers for the texts of a column, and what is equal for columns that say the same."""
    (codes, texts), met = table.coded(column.name), table.counts(column.name)
    gaps = {text: n for text, n in met.items() if looks_missing(text)}
    if nothing := gaps.pop("", 0):
        report.missing[column.name] = nothing
    if gaps:
        report.look_missing[column.name] = gaps
    if column.kind == "category" and 1 in met.values():
        report.levels_met_once[column.name] = sum(n == 1 for n in met.values())
    if column.kind == "category" and len(met) < len(codes):
        # Numbered by first meeting, so that other names for the same levels are seen too.
        values = codes.astype(np.float64)
        return values, _sketch(values)
    return codes, tuple(texts[code] for code in codes.tolist())


def _check_sparse_columns(report: DataReport, schema: AnySchema, block: Any) -> None:
    rows = block.rows
    of_row = rows.row_numbers()
    order = np.argsort(rows.indices, kind="stable")
    columns, starts = np.unique(rows.indices[order], return_index=True)
    sizes: dict[str, float] = {}
    keys: dict[tuple[bytes, bytes], list[str]] = {}
    names = schema.names(columns.tolist())
    for name, part in zip(names, np.split(order, starts[1:]), strict=True):
        values = rows.data[part] + 0.0
        sizes[name] = float(np.abs(values).max())
        if len(values) == rows.shape[0] and bool((values == values[0]).all()):
            report.constant.append(name)
        else:
            keys.setdefault((of_row[part].tobytes(), values.tobytes()), []).append(name)
    report.repeated_columns = [names for names in keys.values() if len(names) > 1]
    report.scales = _scales({name: size for name, size in sizes.items() if size})


def _scales(sizes: dict[str, float]) -> dict[str, Any] | None:
    if not sizes:
        return None
    small, large = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[large] / FAR_APART <= sizes[small]:
        return None
    return {
        "smallest": {"name": small, "size": sizes[small]},
        "largest": {"name": large, "size": sizes[large]},
    }


# ---------------------------------------------------------------------- rows


def _repeated_rows(kind: str, block: Any) -> list[list[int]]:
    """Rows that are equal, group by group; only rows of the same hash are compared."""
    members: dict[Any, list[int]] = {}
    for row, key in _row_keys(kind, block):
        members.setdefault(key, []).append(row)
    return [rows for rows in members.values() if len(rows) > 1]


def _row_keys(kind: str, block: Any) -> Iterator[tuple[int, Any]]:
    """For each row that may have an equal one, its number and something equal for equal rows."""
    if kind == "text":
        yield from enumerate(block.rows)
    elif kind == "table":
        codes = [block.coded(name)[0] for name in block.texts]
        numbers = block.numbers
        suspects = _of_same_hash([*numbers.T, *codes])
        parts = [np.where(np.isnan(numbers[suspects]), np.nan, numbers[suspects] + 0.0)]
        parts += [code[suspects, None].astype(np.float64) for code in codes]
        joined = np.ascontiguousarray(np.column_stack(parts))
        keys = joined.view(f"V{joined.strides[0]}").ravel().tolist()
        yield from zip(suspects.tolist(), keys, strict=True)
    else:
        rows, cut = block.rows, block.rows.indptr.tolist()
        values = rows.data + 0.0
        for row, (a, b) in enumerate(pairwise(cut)):
            yield row, (rows.indices[a:b].tobytes(), values[a:b].tobytes())


def _of_same_hash(columns: list[npt.NDArray[Any]]) -> npt.NDArray[np.intp]:
    """The rows whose hash another row has, too, in order."""
    hashes = np.zeros(len(columns[0]), np.uint64)
    for start in range(0, len(hashes), ROWS_HASHED):
        some = hashes[start : start + ROWS_HASHED]
        for column in columns:
            values = column[start : start + ROWS_HASHED].astype(np.float64)
            values += 0.0  # -0 is 0
            if np.isnan(values.min()):
                values[np.isnan(values)] = np.nan
            some ^= values.view(np.uint64)
            some *= HASH_FACTOR
            some ^= some >> HASH_SHIFT
    order = np.argsort(hashes)
    same = hashes[order[1:]] == hashes[order[:-1]]
    return np.sort(np.unique(np.concatenate([order[1:][same], order[:-1][same]])))


def _check_rows(
    report: DataReport, several: list[list[int]], labels: list[Any], lines: npt.NDArray[np.int64]
) -> None:
    differing = [rows for rows in several if len({labels[row] for row in rows}) > 1]
    wrong = sum(len(rows) - max(Counter(labels[r] for r in rows).values()) for rows in differing)
    report.repeated_rows = {
        "rows": sum(len(rows) - 1 for rows in several),
        "first": [lines[rows[:SHOWN]].tolist() for rows in several[:SHOWN]],
    }
    report.conflicts = {
        "groups": len(differing),
        "rows": sum(map(len, differing)),
        "never_right": wrong,
        "first": [
            [
                {"line": int(lines[row]), "label": str(labels[row])}
                for row in _first_of_each_label(rows, labels)
            ]
            for rows in differing[:SHOWN]
        ],
    }


def _first_of_each_label(rows: list[int], labels: list[Any]) -> list[int]:
    first: dict[Any, int] = {}
    for row in rows:
        first.setdefault(labels[row], row)
    return list(first.values())[:SHOWN]
