"""What the columns of a table are taken for, and the features they become."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import InputError, ModelFileError, ParameterError
from rosenblatt.features import Schema, SparseSchema, UnseenValues, schema_from_json
from rosenblatt.io import Table, read_table
from rosenblatt.tables.features import schema as schema_module

numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
words = st.text("abcé你 !", min_size=1, max_size=4).map(str.strip).filter(bool)


def table_of(text: str, target: str | None = "y", **options: Any) -> Table:
    return read_table(io.BytesIO(text.encode()), target, trim=True, **options)


def dense(rows: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    if isinstance(rows, np.ndarray):
        return rows
    found = np.zeros(rows.shape)
    found[np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), rows.indices] = rows.data
    return found


def csv_of(columns: dict[str, list[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


@st.composite
def mixed_tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    n = draw(st.integers(1, 12))
    columns: dict[str, list[Any]] = {
        "size": draw(st.lists(numbers, min_size=n, max_size=n)),
        "colour": draw(st.lists(words, min_size=n, max_size=n)),
        "weight": draw(st.lists(numbers, min_size=n, max_size=n)),
        "shape": draw(st.lists(words, min_size=n, max_size=n)),
    }
    return columns


TYPES = {"size": "number", "colour": "text", "weight": "number", "shape": "text"}


@given(mixed_tables())
def test_features_are_those_of_dummies_and_a_standard_scaler(columns: dict[str, list[Any]]) -> None:
    import pandas
    from sklearn.preprocessing import StandardScaler

    table = table_of(csv_of(columns), None, types=TYPES)
    declared = {"colour": "category", "shape": "category"}
    schema = Schema.guess(table, declared=declared, scale="standard")
    found = dense(schema.encode(table))
    names = schema.names(range(schema.n_features))
    assert found.shape == (len(table), len(names))
    frame = pandas.DataFrame(columns)
    one_hot = pandas.get_dummies(frame[["colour", "shape"]].map(str.strip), prefix_sep="=")
    for name in one_hot:
        assert found[:, names.index(name)].tolist() == one_hot[name].astype(float).tolist()
    assert len(names) == one_hot.shape[1] + 2
    for name in ("size", "weight"):
        values = np.array(columns[name])
        ours = found[:, names.index(name)]
        if np.ptp(values) > 1e-9 * np.abs(values).max():
            theirs = StandardScaler().fit_transform(values[:, None])[:, 0]
            assert ours == pytest.approx(theirs, abs=1e-9)
        else:
            assert ours == pytest.approx(np.zeros(len(values)), abs=1e-3)


@given(mixed_tables(), st.permutations(list(TYPES)))
def test_the_order_of_columns_does_not_matter(
    columns: dict[str, list[Any]], order: list[str]
) -> None:
    schema = Schema.guess(table_of(csv_of(columns), None, types=TYPES))
    turned = csv_of({name: columns[name] for name in order})
    straight = table_of(csv_of(columns), None, **schema.reader_options())
    found = schema.encode(table_of(turned, None, **schema.reader_options()))
    assert np.array_equal(dense(found), dense(schema.encode(straight)))


@given(mixed_tables())
def test_json_keeps_the_features_to_the_last_bit(columns: dict[str, list[Any]]) -> None:
    table = table_of(csv_of(columns), None, types=TYPES)
    schema = Schema.guess(table, declared={"shape": "text"}, text={"bits": 8})
    again = schema_from_json(json.loads(json.dumps(schema.to_json())))
    assert isinstance(again, Schema)
    assert np.array_equal(dense(again.encode(table)), dense(schema.encode(table)))
    features = range(schema.n_features)
    assert again.names(features) == schema.names(features)
    assert again.describe() == schema.describe()
    assert again.reader_options() == schema.reader_options()


def test_equal_rows_come_from_csv_json_lines_and_parquet(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    columns = {
        "size": [1.5, 2.25, -3.0],
        "colour": ["rot", "grün", "rot"],
        "note": ["a b c d e", "ein Wort, noch eins!", "你 好 吗 a b"],
        "y": ["a", "b", "a"],
    }
    (tmp_path / "t.csv").write_text(csv_of(columns), encoding="utf-8")
    lines = [
        json.dumps(dict(zip(columns, row, strict=True)))
        for row in zip(*columns.values(), strict=True)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    schemas, rows = [], []
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        table = read_table(tmp_path / name, "y")
        schemas.append(Schema.guess(table))
        rows.append(dense(schemas[0].encode(table)))
    assert [c.kind for c in schemas[0].columns] == ["number", "category", "text"]
    assert [s.to_json() for s in schemas[1:]] == [schemas[0].to_json()] * 2
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[0], rows[2])


def kinds_of(text: str, **options: Any) -> dict[str, str]:
    return {c.name: c.kind for c in Schema.guess(table_of(text), **options).columns}


def test_dates_names_of_rows_texts_and_categories_are_told_apart() -> None:
    rows = [
        f"{i},id{i},2026-01-{i % 28 + 1:02d},{i}.{i % 12 + 1}.2026,{'ab'[i % 2]},"
        f"this is message number {i},y"
        for i in range(1, 31)
    ]
    text = "n,id,day,tag,letter,message,y\n" + "\n".join(rows)
    assert kinds_of(text) == {
        "n": "ignored",
        "id": "ignored",
        "day": "date",
        "tag": "date",
        "letter": "category",
        "message": "text",
    }
    told = "\n".join(Schema.guess(table_of(text)).describe())
    assert "days, weekday (year-month-day)" in told
    assert "(day.month.year)" in told
    assert "different in every row" in told
    assert "counts the rows" in told
    declared = {"day": "category", "id": "category", "message": "ignored", "letter": "text"}
    assert kinds_of(text, declared=declared) | declared == kinds_of(text, declared=declared)


def test_few_rows_with_different_words_are_a_category() -> None:
    text = "name,y\n" + "\n".join(f"name{i},y" for i in range(19))
    assert kinds_of(text) == {"name": "category"}
    with pytest.raises(
        InputError, match="no column is left to learn from: name different in every"
    ):
        Schema.guess(table_of(text + "\nname19,y"))


def test_a_wrong_declaration_is_named() -> None:
    table = table_of("size,colour,y\n1,red,a\n2,blue,b\n")
    for declared, said in (
        ({"sizes": "number"}, "no column 'sizes'"),
        ({"size": "colour"}, "use number, category, text, date, dmy, mdy, ignored"),
        ({"size": "category"}, "read as numbers; read it as text"),
        ({"colour": "number"}, "read as text; read it as numbers"),
    ):
        with pytest.raises(ParameterError, match=said):
            Schema.guess(table, declared=declared)


def test_what_stood_for_unknown_numbers_is_known_from_the_table() -> None:
    table = table_of("a,b,y\n1,5,p\n2,7,q\n", missing=["?"])
    schema = Schema.guess(table)
    assert schema.missing == ["?"]
    assert schema.names(range(4)) == ["a", "a is missing", "b", "b is missing"]
    late = table_of("a,b,y\n?,5,p\n", **schema.reader_options())
    assert dense(schema.encode(late))[0].tolist() == [0, 1, -1.349, 0]
    assert Schema.guess(table, missing=[]).missing == []


def test_a_missing_number_is_a_feature_of_its_own_and_no_zero() -> None:
    table = table_of("a,b,y\n1,5,p\n?,7,q\n3,?,p\n", missing=["?"])
    schema = Schema.guess(table, missing=["?"])
    assert schema.names(range(4)) == ["a", "a is missing", "b", "b is missing"]
    z = 1.349
    assert dense(schema.encode(table)).tolist() == [[-z, 0, -z, 0], [0, 1, z, 0], [z, 0, 0, 1]]
    assert schema.describe()[0] == (
        "a  number    median 2, scale 0.7413, clipped at ±3, may be missing"
    )
    assert schema.reader_options()["missing"] == ["?"]


def test_gaps_of_training_are_features_and_later_ones_count_as_the_median() -> None:
    gaps = table_of("a,b,y\n1,x,p\n?,z,q\n")
    assert Schema.guess(gaps).names(range(2)) == ["a", "a is missing"]
    for whole in ("a,b,y\n1,x,p\n3,z,q\n", "a,b,y\n1,2,p\n3,4,q\n"):
        schema = Schema.guess(table_of(whole))
        late = table_of("a,b,y\n1,2,p\n,2,q\n", types=schema.reader_options()["types"])
        middle = table_of("a,b,y\n1,2,p\n2,2,q\n", types=schema.reader_options()["types"])
        assert dense(schema.encode(late)).tolist() == dense(schema.encode(middle)).tolist()
        unseen = UnseenValues()
        unseen.encode(schema, late)
        assert unseen.describe()[0] == "a: 1 gap, as training had none, filled with 2"


def test_a_category_without_gaps_in_training_has_its_most_frequent_level_for_them() -> None:
    schema = Schema.guess(table_of("c,d,y\nx,1,p\nz,2,q\nz,2,p\n"))
    late = table_of("c,d,y\n,2,p\nz,2,q\nnew,2,q\n", types=schema.reader_options()["types"])
    again = schema_from_json(json.loads(json.dumps(schema.to_json())))
    for one in (schema, again):
        gap, frequent, new = dense(one.encode(late)).tolist()
        assert gap == frequent != new
        unseen = UnseenValues()
        unseen.encode(one, late)
        assert unseen.describe() == [
            "c: 1 gap, as training had none, filled with z",
            "c: 1 row with levels never seen: new (1)",
        ]
    with_gaps = Schema.guess(table_of("c,d,y\nx,1,p\n,2,q\nz,2,p\n"))
    assert with_gaps.names(range(3)) == ["c=x", "c is missing", "c=z"]
    assert with_gaps.new_gaps(late) == {}


def test_true_is_the_same_level_however_a_program_writes_it() -> None:
    schema = Schema.guess(table_of("c,d,y\nTrue,1,p\nFalse,2,q\nTrue,2,p\n"))
    late = table_of(
        "c,d,y\ntrue,2,p\nTRUE,2,q\nfalse,2,q\n", types=schema.reader_options()["types"]
    )
    assert dense(schema.encode(late))[:, :2].tolist() == [[1, 0], [1, 0], [0, 1]]
    assert schema.unknown(late) == {}
    both = Schema.guess(table_of("c,d,y\nTrue,1,p\ntrue,2,q\nno,2,p\n"))
    assert both.names(range(3)) == ["c=True", "c=true", "c=no"]


def test_a_column_of_gaps_alone_is_one_feature_that_says_so() -> None:
    types = {"a": "number"}
    table = table_of("a,b,y\n?,1,p\n?,2,q\n", missing=["?"], types=types)
    schema = Schema.guess(table, missing=["?"])
    assert dense(schema.encode(table))[:, :2].tolist() == [[0, 1], [0, 1]]


def test_a_constant_column_gives_zeros_and_no_division_by_zero() -> None:
    table = table_of("a,b,y\n7,0.1,p\n7,0.1,q\n7,0.1,q\n")
    found = Schema.guess(table).encode(table)
    assert np.abs(dense(found)).max() < 1e-15
    plain = Schema.guess(table, scale=None)
    assert plain.encode(table).tolist() == [[7.0, 0.1]] * 3  # type: ignore[union-attr]
    assert plain.describe()[0] == "a  number    as it is"


def test_unknown_levels_have_no_feature_and_are_counted() -> None:
    schema = Schema.guess(table_of("c,d,y\nred,u,p\nblue,v,q\n"))
    other = table_of("c,d,y\ngreen,u,p\nred,v,q\ngreen,v,p\nbrown,u,p\n")
    assert dense(schema.encode(other)).tolist() == [
        [0, 0, 1, 0],
        [1, 0, 0, 1],
        [0, 0, 0, 1],
        [0, 0, 1, 0],
    ]
    assert schema.unknown(other) == {"c": {"green": 2, "brown": 1}}


def test_extra_columns_are_passed_over_and_missing_ones_listed() -> None:
    schema = Schema.guess(table_of("a,c,y\n1,red,p\n2,blue,q\n"))
    more = table_of("z,c,a,y\n9,red,1,p\n9,blue,2,q\n")
    assert dense(schema.encode(more)).tolist() == [[-1.349, 1, 0], [1.349, 0, 1]]
    with pytest.raises(InputError, match="1 column is missing: c"):
        schema.encode(table_of("a,y\n1,p\n"))
    with pytest.raises(InputError, match="'a' was read as text, but it is a number"):
        schema.encode(table_of("a,c,y\nx,red,p\n"))
    with pytest.raises(InputError, match="'c' was read as numbers, but it is a category"):
        schema.encode(table_of("a,c,y\n1,5,p\n"))


def test_texts_learn_new_words_and_encode_does_not() -> None:
    first = table_of("a,t,y\n1,one two,p\n2,two,q\n")
    later = table_of("a,t,y\n3,two three,p\n4,four,q\n")
    plain = {"bits": None, "words": (1, 1), "idf": False, "unit": False}
    schema = Schema.guess(first, declared={"t": "text"}, text=plain)
    assert schema.n_features == 3
    assert dense(schema.encode(later))[:, 1:].tolist() == [[0, 1], [0, 0]]
    assert dense(schema.learn(later))[:, 1:].tolist() == [[0, 1, 1, 0], [0, 0, 0, 1]]
    assert schema.names(range(5)) == ["a", "t: one", "t: two", "t: three", "t: four"]


def test_a_vocabulary_that_grows_moves_the_columns_behind_it_within_one_call() -> None:
    table = table_of("t,c,y\none,red,p\ntwo,blue,q\n")
    later = table_of("t,c,y\nthree,blue,q\n")
    declared = {"t": "text", "c": "category"}
    schema = Schema.guess(table, declared=declared, text={"bits": None, "words": (1, 1)})
    assert dense(schema.learn(later)).tolist() == [[0, 0, 1, 0, 1]]


def test_there_is_no_name_beyond_the_features() -> None:
    schema = Schema.guess(table_of("c,t,y\nred,u v,p\nblue,w,q\n"), declared={"t": "text"})
    last = schema.n_features - 1
    assert schema.names([last]) == [f"t: hash {last - 2}"]
    for feature in (-1, schema.n_features):
        with pytest.raises(ParameterError, match="there is no feature"):
            schema.names([feature])


SOUND = {
    "kind": "table",
    "target": "y",
    "missing": ["?"],
    "columns": [
        {
            "kind": "number",
            "name": "a",
            "center": 0.5,
            "scale": 2.0,
            "gaps": True,
            "clip": 3.0,
            "sums": [4.0, 0.5, 0.0, 16.0],
        },
        {"kind": "category", "name": "c", "levels": ["x", "z"]},
        {"kind": "ignored", "name": "i", "why": "because"},
    ],
}
HOSTILE: list[tuple[tuple[Any, ...], Any]] = [
    (("target",), 5),
    (("missing",), [1]),
    (("missing",), None),
    (("columns",), []),
    (("columns",), {"a": 1}),
    (("columns",), None),
    (("columns", 0, "name"), 7),
    (("columns", 0, "name"), "c"),
    (("columns", 0, "center"), "1"),
    (("columns", 0, "center"), 10**400),
    (("columns", 0, "scale"), 0.0),
    (("columns", 0, "scale"), -1.0),
    (("columns", 0, "scale"), True),
    (("columns", 0, "gaps"), "no"),
    (("columns", 0, "clip"), 0.0),
    (("columns", 0, "sums"), [1.0]),
    (("columns", 0, "more"), 1),
    (("columns", 0, "kind"), "text"),
    (("columns", 0, "kind"), []),
    (("columns", 1, "levels"), "xz"),
    (("columns", 1, "levels"), ["x", "x"]),
    (("columns", 1, "levels"), [1]),
    (("columns", 1, "levels"), [[]]),
    (("columns", 1, "mode"), 2),
    (("columns", 1, "mode"), -1),
    (("columns", 1, "mode"), True),
    (("columns", 1, "kind"), "colour"),
    (("columns", 2, "why"), None),
]


def changed(told: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    twin = list(told) if isinstance(told, list) else dict(told)
    inner = twin[path[0]] if isinstance(twin, list) or path[0] in twin else None
    twin[path[0]] = changed(inner, path[1:], value)
    return twin


def test_the_sound_schema_is_taken_as_it_is() -> None:
    assert schema_from_json(SOUND).to_json() == SOUND


@pytest.mark.parametrize(("path", "value"), HOSTILE)
def test_hostile_json_of_a_table_is_refused(path: tuple[Any, ...], value: Any) -> None:
    with pytest.raises(ModelFileError, match="not sound"):
        schema_from_json(changed(SOUND, path, value))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)
PATHS = sorted({path for path, _ in HOSTILE if path}, key=str)


@given(st.sampled_from(PATHS), ANYTHING)
def test_any_json_is_refused_or_gives_a_schema_that_can_be_asked(
    path: tuple[Any, ...], value: Any
) -> None:
    try:
        schema = schema_from_json(changed(SOUND, path, value))
    except ModelFileError:
        return
    assert len(schema.names(range(schema.n_features))) == schema.n_features
    assert all(isinstance(line, str) for line in schema.describe())
    json.dumps(schema.to_json())


@pytest.mark.parametrize(
    "told",
    [
        None,
        [],
        {},
        {"kind": "svmlight"},
        {"kind": "svmlight", "n_features": 0, "named": None, "bits": None},
        {"kind": "svmlight", "n_features": 2.0, "named": None, "bits": None},
        {"kind": "svmlight", "n_features": 2**31, "named": None, "bits": None},
        {"kind": "vw", "n_features": 2, "named": "ab", "bits": None},
        {"kind": "vw", "n_features": 2, "named": [1, 2], "bits": None},
        {"kind": "vw", "n_features": 2, "named": None, "bits": "18"},
        {"kind": "tree", "n_features": 2, "named": None, "bits": None},
        {"kind": ["table"]},
    ],
)
def test_hostile_json_of_other_kinds_is_refused(told: Any) -> None:
    with pytest.raises(ModelFileError, match="not sound"):
        schema_from_json(told)


def test_sparse_rows_keep_their_columns_and_are_called_as_in_the_file() -> None:
    from rosenblatt.tables.readers.svmlight import iter_svmlight

    schema = SparseSchema("svmlight", 9)
    block = iter_svmlight(io.BytesIO(b"1 2:0.5 3:1\n"), **schema.reader_options()).whole()
    rows = schema.encode(block)
    assert rows.shape == (1, 9)
    assert schema.names(rows.indices.tolist()) == ["2", "3"]
    assert SparseSchema("vw", 3, ["a", "b"]).names(range(3)) == ["a", "b", "2"]
    wide = iter_svmlight(io.BytesIO(b"1 10:1\n")).whole()
    with pytest.raises(ParameterError, match="rows of 10 features for a model of 9"):
        schema.encode(wide)


def test_a_fault_of_a_record_names_the_record() -> None:
    schema = Schema.guess_records([{"size": 1, "colour": "red"}, {"size": 2, "colour": "blue"}])
    with pytest.raises(InputError, match="record 1 of X: 'size' is 'big', but this model knows"):
        schema.encode_records([{"size": 3, "colour": "red"}, {"size": "big", "colour": "blue"}])
    assert dense(schema.encode_records([{"colour": "red"}])).tolist() == [[0, 1, 0]]


def test_numbers_that_only_tell_rows_apart_are_left_out() -> None:
    ids = [(i * 37) % 101 for i in range(30)]
    text = "row_id,size,n,y\n" + "".join(
        f"{k},{k},{i + 7},{'pq'[i % 2]}\n" for i, k in enumerate(ids)
    )
    assert kinds_of(text) == {"row_id": "ignored", "size": "number", "n": "ignored"}
    declared = {"row_id": "number", "n": "number"}
    assert set(kinds_of(text, declared=declared).values()) == {"number"}


@pytest.mark.parametrize("ignored", [[], ["size"], ["weight"]])
@pytest.mark.parametrize("gap", ["", "7"])
@pytest.mark.parametrize("colour", [True, False])
def test_features_made_in_place_are_the_same_and_take_the_memory_of_the_numbers(
    monkeypatch: pytest.MonkeyPatch, ignored: list[str], gap: str, colour: bool
) -> None:
    monkeypatch.setattr(schema_module, "NUMBERS_AT_ONCE", 8)
    rows = [
        f"{i % 7},{'red' if i % 3 else 'blue'},{gap if i == 4 else i * i},{i % 2}"
        for i in range(30)
    ]
    table = table_of("\n".join(["size,colour,weight,y", *rows]))
    declared = dict.fromkeys(ignored if colour else [*ignored, "colour"], "ignored")
    schema = Schema.guess(table, declared=declared)
    expected, numbers = schema.learn(table), table.numbers
    found = schema.learn(table, in_place=True)
    np.testing.assert_array_equal(dense(found), dense(expected))
    assert type(found) is type(expected)
    assert len(table.numbers) == 0
    if not colour:
        memory = found if isinstance(found, np.ndarray) else found.data
        assert np.shares_memory(memory, numbers)
