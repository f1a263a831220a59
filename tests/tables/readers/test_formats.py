"""The registry of formats: one entry is enough for every door through which files come in."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.distributed.shards import file_shards
from rosenblatt.errors import ParameterError
from rosenblatt.io import pack
from rosenblatt.tables.readers.column_roles import GuessedTarget
from rosenblatt.tables.readers.formats import (
    PACKED_ROWS,
    ROWS,
    SENTENCES,
    TABLES,
    Format,
    by_content,
    by_lines,
    by_suffix,
    default_of,
    format_of,
    listed,
    named,
)
from rosenblatt.tables.readers.sources import ENDINGS

N_ROWS = 40
RECORDS = [{"size": i % 7, "note": f"n{i % 3}", "label": "uv"[i % 2]} for i in range(N_ROWS)]
CSV = "size,note,label\n" + "".join(f"{r['size']},{r['note']},{r['label']}\n" for r in RECORDS)


def excel() -> bytes:
    """The least that Excel takes for a book."""
    pytest.importorskip("python_calamine")
    rows = ""
    for line in CSV.splitlines():
        cells = [f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in line.split(",")]
        rows += f"<row>{''.join(cells)}</row>"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    sheet = f'<sheet name="a" sheetId="1" xmlns:r="{types}" r:id="s"/>'

    def relation(kind: str, target: str) -> str:
        one = f'<Relationship Id="s" Type="{types}/{kind}" Target="{target}"/>'
        return f'<Relationships xmlns="{relations}">{one}</Relationships>'

    parts = {
        "_rels/.rels": relation("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{main}"><sheets>{sheet}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relation("worksheet", "sheet.xml"),
        "xl/sheet.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        for name, text in parts.items():
            book.writestr(name, f'<?xml version="1.0"?>{text}')
    return file.getvalue()


def parquet() -> bytes:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(RECORDS), file)
    return file.getvalue()


def arrow() -> bytes:
    pa = pytest.importorskip("pyarrow")
    table, file = pa.Table.from_pylist(RECORDS), io.BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def lines_of(write: Callable[[dict[str, Any]], str]) -> Callable[[], bytes]:
    return lambda: "".join(f"{write(record)}\n" for record in RECORDS).encode()


# A file of every format of rows. A new format is tested below once it is here.
FILES: dict[str, Callable[[], bytes]] = {
    "svmlight": lines_of(lambda record: f"{record['label']} 1:{record['size']} 3:1"),
    "vw": lines_of(lambda record: f"{record['label'] == 'u':d} |f size:{record['size']} a"),
    "csv": CSV.encode,
    "tsv": CSV.replace(",", "\t").encode,
    "jsonl": lines_of(json.dumps),
    "json": lambda: json.dumps(RECORDS, indent=1).encode(),
    "text": lines_of(lambda record: f"{record['label']}\ta text of {record['size']}"),
    "xlsx": excel,
    "parquet": parquet,
    "arrow": arrow,
}
every_format = pytest.mark.parametrize("format", ROWS, ids=lambda format: format.name)


def written(folder: Path, format: Format, name: str | None = None) -> Path:
    path = folder / (name or f"rows.{format.suffixes[0]}")
    path.write_bytes(FILES[format.name]())
    return path


def test_names_and_suffixes_mean_one_format_each() -> None:
    for formats in (ROWS, SENTENCES):
        names = [format.name for format in formats]
        assert len(set(names)) == len(names)
    suffixes = [suffix for format in (*ROWS, *SENTENCES, PACKED_ROWS) for suffix in format.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert not any(f".{suffix}" in ENDINGS for suffix in suffixes)


@pytest.mark.parametrize("format", [*ROWS, *SENTENCES, PACKED_ROWS], ids=lambda one: one.reader)
def test_every_format_names_a_reader_that_is_there(format: Format) -> None:
    assert callable(format.load_reader())


def test_the_registry_loads_no_reader() -> None:
    from test_architecture import modules_after

    before = modules_after("import rosenblatt.io, typing, re")
    rooms = {"rosenblatt.tables", "rosenblatt.tables.readers"}
    formats = "rosenblatt.tables.readers.formats"
    assert modules_after(f"import {formats}") - before <= {*rooms, formats}


@every_format
def test_a_file_is_recognized_by_its_suffix_also_if_it_is_compressed(format: Format) -> None:
    for suffix in format.suffixes:
        assert by_suffix(f"a.b.{suffix}") is format
        assert by_suffix(f"rows.{suffix.upper()}.gz") is format
        assert format_of([f"1.{suffix}", f"2.{suffix}"], None, otherwise=ROWS[0]) is format


def test_an_unknown_suffix_leaves_the_format_open() -> None:
    assert by_suffix("rows.dat") is by_suffix("rows") is by_suffix(io.BytesIO()) is None
    assert by_suffix("rows.svm", TABLES) is None
    assert format_of("rows.dat", None, otherwise=default_of("text")) is named("text")


def test_files_of_different_formats_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"different formats \(csv, svmlight\)"):
        format_of(["a", "b.svm"], None, otherwise=default_of("table"))


def test_an_unknown_name_is_answered_by_all_names() -> None:
    with pytest.raises(ParameterError) as caught:
        format_of("a", "excel", otherwise=ROWS[0])
    assert all(f"'{format.name}'" in str(caught.value) for format in ROWS)
    assert listed(SENTENCES) == "conll, conllu or text"


@pytest.mark.parametrize(
    "format", [format for format in ROWS if format.sniff], ids=lambda format: format.name
)
def test_a_file_without_a_suffix_is_recognized_by_its_lines(format: Format, tmp_path: Path) -> None:
    assert by_content(written(tmp_path, format, "data")) is format
    first = FILES[format.name]().decode().partition("\n")[0]
    assert by_lines([first]) is format


@pytest.mark.parametrize("name", ["csv", "tsv"])
def test_a_table_with_a_header_is_not_taken_for_anything_else(name: str, tmp_path: Path) -> None:
    assert by_content(written(tmp_path, named(name), "data")) is None


@every_format
def test_rows_of_every_format_are_packed(format: Format, tmp_path: Path) -> None:
    path = written(tmp_path, format)
    packed = pack(path, tmp_path / "packed.rows")
    assert len(packed) == N_ROWS
    assert packed.schema.kind == format.kind
    assert len(pack(path, tmp_path / "named.rows", format=format.name)) == N_ROWS


@every_format
def test_shards_of_every_format_hold_the_rows_that_one_reader_finds(
    format: Format, tmp_path: Path
) -> None:
    path = written(tmp_path, format)
    options: dict[str, Any] = {"target": GuessedTarget()} if format.kind == "table" else {}
    whole = format.open(path, **options).whole()
    shards = file_shards(path, 3, None, of_sentences=False, options={})
    parts = [shard.block() for shard in shards]
    assert [label for part in parts for label in part.labels.tolist()] == whole.labels.tolist()
    cut = [shard.span is not None for shard in shards]
    assert cut == [format.cut is not None] * 3


@pytest.mark.parametrize("format", [named(name) for name in ("csv", "tsv", "jsonl", "text")])
def test_the_reader_finds_out_the_encoding_if_the_registry_says_so(format: Format) -> None:
    data = FILES[format.name]().replace(b"n1", b"\xe9").replace(b"text", b"\xe9")
    reader = format.open(io.BytesIO(data), on_bad="skip")
    if format.finds_encoding:
        with pytest.warns(UserWarning, match="read as cp1252"):
            assert len(reader.whole()) == N_ROWS
    else:
        assert sum(len(block) for block in reader) < N_ROWS


def test_the_page_about_reading_names_every_suffix() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reading.md").read_text()
    for format in (*ROWS, *SENTENCES):
        for suffix in format.suffixes:
            assert f"`.{suffix}`" in page, format.name
