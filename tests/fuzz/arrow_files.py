"""Parquet and Arrow files of odd columns, and such files damaged."""

from __future__ import annotations

import datetime
import decimal
import io
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from fuzz.damage import any_bytes

WORDS = [
    b"\0",
    b"\xff",
    b"\xff\xff\xff\x7f",
    b"\x80",
    b"PAR1",
    b"ARROW1\0\0",
    b"\x15\x04",
    b"\0" * 8,
]
DAY = datetime.date(2026, 1, 31)
VALUES: list[tuple[Any, list[Any]]] = [
    (pa.float64(), [0.0, -1.5, 1e300, float("nan"), float("inf"), 5e-324, 1e150]),
    (pa.float32(), [0.0, 1.5, 3e38, -0.0]),
    (pa.float16(), [1.0, 65504.0]),
    (pa.int64(), [0, -1, 2**63 - 1, -(2**63), 2**53 + 1]),
    (pa.uint64(), [0, 2**64 - 1]),
    (pa.int8(), [-128, 0, 127]),
    (pa.bool_(), [True, False]),
    (pa.decimal128(38, 2), [decimal.Decimal("1.5"), decimal.Decimal(10) ** 35]),
    (pa.decimal256(76, 0), [decimal.Decimal(10) ** 75, decimal.Decimal(-3)]),
    (pa.string(), ["", "a", "?", "é", "1e400", " 7 ", "null", "\0", "x" * 300]),
    (pa.large_string(), ["", "12", "名"]),
    (pa.dictionary(pa.int8(), pa.string()), ["a", "b", "3"]),
    (pa.date32(), [DAY]),
    (pa.timestamp("us", tz="UTC"), [datetime.datetime(2026, 1, 31, 12)]),
    (pa.time64("ns"), [datetime.time(23, 59)]),
    (pa.duration("s"), [datetime.timedelta(days=-9)]),
    (pa.binary(), [b"", b"\xff\xfe"]),
    (pa.list_(pa.int8()), [[], [1, 2]]),
    (pa.struct([("s", pa.int8())]), [{"s": 1}]),
    (pa.null(), [None]),
]


def table(random: Random) -> Any:
    """A table of any columns, most of which can be read; names may come twice."""
    n_rows = random.randrange(12)
    columns = []
    for _ in range(random.randrange(1, 5)):
        type_, values = VALUES[random.randrange(len(VALUES) if random.random() < 0.2 else 12)]
        gaps = [None] * (random.random() < 0.3)
        column = pa.array(random.choices([*values, *gaps], k=n_rows), type_)
        columns.append(column)
    names = random.choices(["a", "b", "y", "", "é"], k=len(columns))
    if random.random() < 0.9:
        names = ["a", "b", "y", "c"][: len(columns)]
    return pa.table(columns, names=names)


def parquet(random: Random, rows: Any) -> bytes:
    file = io.BytesIO()
    pa.parquet.write_table(
        rows,
        file,
        compression=random.choice(["none", "snappy", "gzip", "zstd", "lz4"]),
        use_dictionary=random.random() < 0.5,
        row_group_size=random.choice([2, 5, 1 << 20]),
        data_page_version=random.choice(["1.0", "2.0"]),
        write_page_checksum=random.random() < 0.3,
    )
    return file.getvalue()


def arrow(random: Random, rows: Any) -> bytes:
    """A file or a stream."""
    file = io.BytesIO()
    codec = random.choice([None, None, "lz4", "zstd"])
    options = pa.ipc.IpcWriteOptions(compression=codec)
    make = random.choice([pa.ipc.new_file, pa.ipc.new_stream])
    with make(file, rows.schema, options=options) as writer:
        writer.write_table(rows, max_chunksize=random.choice([2, 1 << 20]))
    return file.getvalue()


@cache
def seeds(write: Callable[[Random, Any], bytes]) -> list[bytes]:
    return [write(Random(n), table(Random(n))) for n in range(60)]


def any_file(write: Callable[[Random, Any], bytes], random: Random) -> bytes:
    """As often a new table as a damaged file."""
    while random.random() < 0.5:
        try:
            return write(random, table(random))
        except (pa.ArrowException, NotImplementedError):  # not every type can be written
            pass
    return any_bytes(random, seeds(write), WORDS)
