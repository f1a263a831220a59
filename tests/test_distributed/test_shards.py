"""Shards of files: cut as they may be, they hold the rows that one reader finds."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import Perceptron, distribute
from rosenblatt.distributed.shards import file_shards, with_schema
from rosenblatt.errors import DataError
from rosenblatt.features import FeatureOptions
from rosenblatt.io import Assumption, read_table, read_text
from rosenblatt.tables.readers import delimited
from rosenblatt.tables.readers.column_roles import GuessedTarget

pytestmark = [
    pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::rosenblatt.io.Assumption"),
    pytest.mark.filterwarnings("ignore::rosenblatt.io.SkippedRows"),
]
N_ROWS = 400


def rows(delimiter: str = ",", decimal: str = ".", note: str = "n{i}") -> str:
    lines = [
        delimiter.join([f"{i % 89}{decimal}{i % 10}", note.format(i=i % 3), f"{'uv'[i % 2]}"])
        for i in range(N_ROWS)
    ]
    return "\n".join(lines) + "\n"


HEADER = "size,note,kind\n"
QUOTED = '"line one\nand ""two"", of {i}"'
FILES: dict[str, str | bytes] = {
    "plain": HEADER + rows(),
    "headerless": rows(),
    "carriage returns": (HEADER + rows()).replace("\n", "\r\n"),
    "no last line end": (HEADER + rows())[:-1],
    "blank first line": "\n\n" + HEADER + rows(),
    "blank lines": HEADER + rows().replace("5,n1,u\n", "5,n1,u\n\n"),
    "title": "Sales of 2024\n\n" + HEADER + rows(),
    "wide title": "Sales of 2024,,\n" + HEADER + rows(),
    "title above no header": "Sales\n" + rows(),
    "sep": "sep=;\n" + HEADER.replace(",", ";") + rows(";"),
    "comments": "# ours\n# and yours\n" + HEADER + rows().replace("n2", "#n2"),
    "comments among rows": "# ours\n" + HEADER + rows().replace("5,n1,u\n", '5,n1,u\n# "odd, 1\n'),
    "marked header": "#" + HEADER + rows(),
    "units": "size,weight,kind\nm,kg,\n" + rows(note="{i}5"),
    "quoted line ends": HEADER + rows(note=QUOTED),
    "quoted line ends without header": rows(note=QUOTED),
    "rows within quotes": HEADER + rows(note='"{i}' + "\n9.9,x,v" * 12 + '"'),
    "apostrophes": HEADER
    + "".join(f"'{i}.5','line one\nand ''two'', of {i}','{'uv'[i % 2]}'\n" for i in range(N_ROWS)),
    "quoted header": '"size\nin m",note,kind\n' + rows(),
    "quotes within fields": HEADER + rows(note='5" {i}'),
    "apostrophes within fields": HEADER + rows(note="it's {i}"),
    "semicolons and commas": HEADER.replace(",", ";") + rows(";", ","),
    "tabs": HEADER.replace(",", "\t") + rows("\t"),
    "blanks": HEADER.replace(",", " ") + rows(" "),
    "bars": "size|note|kind\n----+----+----\n" + rows("|") + f"({N_ROWS} rows)\n",
    "markdown": "| size | note | kind |\n|---|---|---|\n"
    + "".join(f"| {line.replace(',', ' | ')} |\n" for line in rows().splitlines()),
    "row names": HEADER + "".join(f"r{i},{r}\n" for i, r in enumerate(rows().splitlines())),
    "last delimiter": HEADER + rows().replace("\n", ",\n"),
    "sum below": HEADER + rows() + "Total,,\n",
    "utf-8": HEADER + rows(note="é{i}"),
    "utf-8 with a mark": b"\xef\xbb\xbf" + (HEADER + rows(note="é{i}")).encode(),
    "mark and no header": b"\xef\xbb\xbf" + rows().encode(),
    "cp1252": (HEADER + rows(note="é\u20ac{i}")).encode("cp1252"),
    "cp1252 from the last row on": (HEADER + rows() + "1.5,é,u\n").encode("cp1252"),
    "cp1252 that looks like utf-8 below": (HEADER + "1.5,é,u\n" + rows()).encode("cp1252")
    + "2.5,Ã©,v\n".encode("cp1252"),
    "bytes that cp1252 lacks": (HEADER + rows(note="é€{i}")).encode("cp1252") + b"1.5,\x81,u\n",
    "utf-16": (HEADER + rows(note="é{i}")).encode("utf-16"),
    "utf-16 without a mark": (HEADER + rows()).encode("utf-16-le"),
    "carriage returns alone": (HEADER + rows()).replace("\n", "\r"),
    "rows that begin as other files do": "note,size,kind\n"
    + "".join(f"{['PAR1', 'PK', '%PDF'][i % 3]},{i},{'uv'[i % 2]}\n" for i in range(N_ROWS)),
}


def written(folder: Path, text: str | bytes, name: str = "rows.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def records(table: Any) -> list[tuple[Any, ...]]:
    columns = [column.tolist() for column in table.columns.values()]
    return list(zip(*columns, table.y.tolist(), strict=True))


def in_pieces(path: Path, n: int, **options: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns and rows of all shards, each read as where it is worked on."""
    shards = file_shards(path, n, None, of_sentences=False, options=options)
    assert len(shards) == n
    tables = [table for shard in shards if (table := shard.block()) is not None]
    return tables[0].names, [record for table in tables for record in records(table)]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("n", [2, 5])
def test_shards_hold_the_rows_that_one_reader_finds(name: str, n: int, tmp_path: Path) -> None:
    path = written(tmp_path, FILES[name])
    whole = read_table(path, GuessedTarget(), types="text")  # type: ignore[arg-type]
    names, found = in_pieces(path, n, types="text")
    assert len(whole) >= N_ROWS
    assert names == whole.names
    assert found == records(whole)


@pytest.mark.parametrize("piece", [1, 7, 64])
@pytest.mark.parametrize("name", ["quoted line ends", "apostrophes", "cp1252", "comments"])
def test_a_file_is_cut_alike_however_few_bytes_are_looked_at_at_a_time(
    name: str, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, FILES[name])
    whole = [shard.span for shard in file_shards(path, 7, None, of_sentences=False, options={})]
    monkeypatch.setattr(delimited, "PIECE", piece)
    shards = file_shards(path, 7, None, of_sentences=False, options={})
    assert [shard.span for shard in shards] == whole
    assert len({shard.span for shard in shards}) == 7
    assert {shard.layout.dialect.encoding for shard in shards if shard.layout is not None} == {
        "cp1252" if name == "cp1252" else "utf-8"
    }


def test_a_quote_that_is_never_closed_is_the_same_fault_in_a_piece(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER + rows() + '1.5,"open,u\n' + rows())
    with pytest.raises(DataError) as alone:
        read_table(path, "kind")
    with pytest.raises(DataError) as cut:
        distribute(Perceptron(max_iter=1), shards=5).fit_files(path, target="kind")
    assert str(cut.value) == str(alone.value)
    whole = read_table(path, "kind", types="text", on_bad="skip")
    found = in_pieces(path, 5, types="text", on_bad="skip")[1]
    assert found == records(whole)
    assert len(found) == 2 * N_ROWS


@pytest.mark.parametrize("name", FILES)
def test_shards_learn_from_every_row_once(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, FILES[name])
    n_rows = len(read_table(path, GuessedTarget()))  # type: ignore[arg-type]
    done = distribute(Perceptron(max_iter=1), shards=5).fit_files(path)
    assert sum(done.report_.examples) == n_rows
    assert done.to_local().classes_.tolist() == ["u", "v"]


FIELDS = st.text(alphabet="ab,\n\"'# (1", max_size=6)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(FIELDS, FIELDS, st.sampled_from("uv")), min_size=8, max_size=30),
    st.integers(2, 9),
    st.booleans(),
)
def test_shards_hold_the_rows_of_any_quoted_table(
    tmp_path_factory: pytest.TempPathFactory,
    table: list[tuple[str, str, str]],
    n: int,
    header: bool,
) -> None:
    lines = [",".join('"' + f.replace('"', '""') + '"' for f in row) + "\n" for row in table]
    text = "one,two,kind\n" * header + "".join(lines)
    path = written(tmp_path_factory.mktemp("quoted"), text)
    options: dict[str, Any] = {"header": header, "delimiter": ",", "types": "text", "target": -1}
    whole = read_table(path, **options)
    assert len(whole) == len(table)
    assert in_pieces(path, n, **options)[1] == records(whole)


def test_text_in_utf_16_and_compressed_tables_are_cut_by_their_examples(tmp_path: Path) -> None:
    lines = "".join(f"{'uv'[i % 2]}\té {i}\n" for i in range(50))
    path = written(tmp_path, lines.encode("utf-16"), "mail.txt")
    shards = file_shards(path, 4, "text", of_sentences=False, options={})
    found = [text for shard in shards for text in shard.block().rows]
    assert found == list(read_text(path)[0])
    packed = written(tmp_path, gzip.compress((HEADER + rows()).encode()), "rows.csv.gz")
    assert in_pieces(packed, 3, types="text")[1] == records(
        read_table(packed, GuessedTarget(), types="text")  # type: ignore[arg-type]
    )


def test_a_fault_in_a_piece_of_a_table_names_its_line_and_column(tmp_path: Path) -> None:
    text = "# ours\n" + HEADER + rows(note=QUOTED)
    bad = text.replace("\n12.1,", "\noops,")
    assert bad != text
    path = written(tmp_path, bad)
    declared = {"size": "number"}
    with pytest.raises(DataError) as alone:
        read_table(path, "kind", types=declared)
    with pytest.raises(DataError) as cut:
        distribute(Perceptron(max_iter=1), shards=7).fit_files(path, target="kind", types=declared)
    place, *_ = str(alone.value).split("\nhelp")
    assert 'column "size": "oops" is not a number' in place
    assert str(cut.value).startswith(place)


def test_a_sum_is_a_footer_only_below_the_last_row_of_the_file(tmp_path: Path) -> None:
    text = HEADER + rows()
    for place in range(len(HEADER), len(text), 997):
        cut = text.index("\n", place) + 1
        path = written(tmp_path, text[:cut] + "Total,,\n" + text[cut:])
        with pytest.raises(DataError, match='"Total" is not a number'):
            distribute(Perceptron(max_iter=1), shards=5).fit_files(path, target="kind")


def test_shards_of_several_files_each_follow_their_own_header(tmp_path: Path) -> None:
    one = written(tmp_path, "# ours\n" + HEADER + rows(), "one.csv")
    two = written(tmp_path, "note;kind;size\nn1;u;1.5\n" + "n2;v;2.5\n" * 99, "two.csv")
    done = distribute(Perceptron(max_iter=1), shards=5).fit_files([one, two], target="kind")
    assert sum(done.report_.examples) == N_ROWS + 100


def test_a_schema_and_a_validation_set_are_used_with_pieces(tmp_path: Path) -> None:
    path = written(tmp_path, "Sales\n" + HEADER + rows())
    dev = written(tmp_path, HEADER.replace(",", ";") + "1.5;n1;u\n2.5;n2;v\n", "dev.csv")
    first = distribute(Perceptron(max_iter=1), shards=4)
    model = first.fit_files(path, target="kind", validation_set=dev).to_local()
    assert set(model.classes_) == {"u", "v"}
    again = distribute(Perceptron(max_iter=1), shards=4).fit_files(path, schema=model.schema_)
    assert sum(again.report_.examples) == N_ROWS
    assert again.to_local().schema_.dialect == model.schema_.dialect


def test_what_was_found_out_is_told_once_and_not_by_every_shard(tmp_path: Path) -> None:
    path = written(tmp_path, "# ours\n" + HEADER.replace(",", ";") + rows(";", ","))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", Assumption)
        shards = file_shards(path, 5, None, of_sentences=False, options={"target": "kind"})
        shards, _ = with_schema(shards, None)
        for shard in shards:
            shard.load()
    told = [str(one.message) for one in caught if issubclass(one.category, Assumption)]
    assert told == [
        f"{path}: read with 1 comment line skipped before the header, semicolons between fields, "
        "a decimal comma"
    ]


# ---------------------------------------------------------------------- texts among numbers


def sizes(values: list[str]) -> str:
    lines = [f"{i % 7},{value},{'uv'[i % 2]}\n" for i, value in enumerate(values)]
    return "weight,size,kind\n" + "".join(lines)


NUMBERS = [str(i % 9) for i in range(60)]
NAMES = ["large" if i % 3 else "small" for i in range(60)]


def test_a_column_of_numbers_that_holds_texts_in_a_later_file_is_refused(tmp_path: Path) -> None:
    first = written(tmp_path, sizes(NUMBERS), "first.csv")
    second = written(tmp_path, sizes(NAMES), "second.csv")
    with pytest.raises(DataError) as caught:
        distribute(Perceptron()).fit_files([first, second])
    said = str(caught.value)
    assert said.startswith(
        f'{second}: column "size": 60 of 60 values are not numbers: "large" (40), "small" (20); '
        f"but what a column is was judged by the first shard (of {first}), where it holds numbers"
    )
    assert "pack all files into one (rosenblatt pack)" in said


def test_texts_in_a_later_piece_of_a_file_are_refused_as_well(tmp_path: Path) -> None:
    path = written(tmp_path, sizes(NUMBERS * 4 + NAMES))
    with pytest.raises(DataError, match=r'column "size": 60 of \d+ values are not numbers'):
        distribute(Perceptron(), shards=3).fit_files(path)


def test_a_file_that_several_shards_read_whole_has_its_texts_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "all.csv.gz"
    path.write_bytes(gzip.compress(sizes(NUMBERS * 4 + NAMES[:3]).encode()))
    run = distribute(Perceptron(), shards=3).fit_files(path)
    assert run.report_.strays == [
        'column "size": 3 of 243 values are not numbers, read as gaps: "large" (2), "small" (1)'
    ]


def test_a_few_texts_are_judged_by_the_rows_of_all_shards_and_reported(tmp_path: Path) -> None:
    """In a file of five rows one text is much, among all rows it is none."""
    first = written(tmp_path, sizes(NUMBERS), "first.csv")
    second = written(tmp_path, sizes([*NUMBERS[:4], "oops"]), "second.csv")
    run = distribute(Perceptron()).fit_files([first, second])
    line = 'column "size": 1 of 65 values is not a number, read as a gap: "oops" (1)'
    assert run.report_.strays == [line]
    assert line in run.report_.describe()
    assert run.report_.to_json()["strays"] == [line]


def test_a_validation_set_with_texts_for_numbers_is_refused(tmp_path: Path) -> None:
    first = written(tmp_path, sizes(NUMBERS), "first.csv")
    second = written(tmp_path, sizes(NAMES), "second.csv")
    with pytest.raises(DataError, match='column "size": 60 of 60 values are not numbers'):
        distribute(Perceptron(), shards=2).fit_files(first, validation_set=second)


def test_a_declared_category_may_be_written_in_digits(tmp_path: Path) -> None:
    first = written(tmp_path, sizes(NUMBERS), "first.csv")
    second = written(tmp_path, sizes(NAMES), "second.csv")
    features = FeatureOptions(declared={"size": "category"})
    run = distribute(Perceptron()).fit_files([first, second], features=features)
    kinds = {column.name: column.kind for column in run.to_local().schema_.columns}
    assert kinds == {"weight": "number", "size": "category"}
