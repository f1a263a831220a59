"""Two threads parse the halves of a piece: the rows and the errors are those of one."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.io import iter_svmlight, iter_vw
from rosenblatt.tables.readers import halves, lines, reader

ROWS = {
    iter_svmlight: [
        b"1 1:0.5 3:2",
        b"-1 2:-0.25 70000:1e3 # words",
        b"+1",
        b"",
        b"# nothing",
        b"2 1:1 1:2",
        b"1 5:0.1234567 4:1",
        b"nan 1:1",
        b"x 1:1",
        b"1 0:1",
        b"1 9:0.123456789 10:7 11:-3.5 12:" + b"9" * 30,
    ],
    iter_vw: [
        b"1 | a:0.5 b",
        b"-1 0.5 'tag|n a a b:-2 |m c",
        b"",
        b"2 |",
        b"1 a",
        b"x | y:z",
        b"1 | 1:2 2:3",
    ],
}


def outcome(read: Callable[..., Any], text: bytes, n: int, **options: Any) -> Any:
    """All that a reader says of a text, with so many processors."""
    rows: Any = None
    with patch.object(reader, "n_processors", lambda: n), patch.object(halves, "LEAST", 0):
        found = read(io.BytesIO(text), **options)
        try:
            rows = found.whole()
        except RosenblattError as error:
            return str(error), found.skipped, [str(fault) for fault in found.first_faults]
    sparse = rows.rows
    told = [sparse.data, sparse.indices, sparse.indptr, rows.lines, np.asarray(rows.labels)]
    told += [rows.weights] if read is iter_vw else []
    return (
        [(part.dtype, part.tobytes()) for part in told],
        sparse.shape,
        found.skipped,
        [str(fault) for fault in found.first_faults],
    )


@pytest.mark.filterwarnings("ignore::rosenblatt.io.SkippedRows")
@pytest.mark.parametrize("read", list(ROWS))
@given(data=st.data())
@settings(max_examples=60)
def test_two_threads_read_what_one_reads(read: Any, data: st.DataObject) -> None:
    # Most rows are sound, or there would be little but errors.
    sound = st.sampled_from(ROWS[read][:3])
    text = b"\n".join(data.draw(st.lists(sound | sound | st.sampled_from(ROWS[read]), max_size=40)))
    options = {
        "on_bad": data.draw(st.sampled_from(["fail", "skip"])),
        "max_line_bytes": data.draw(st.sampled_from([1 << 24, 25])),
        "dtype": data.draw(st.sampled_from([np.float32, np.float64])),
        "classes": data.draw(st.sampled_from([None, None, [1, -1]])),
    }
    if read is iter_vw:
        options["labelled"] = data.draw(st.booleans())
    with patch.object(lines, "PIECE", data.draw(st.integers(1, 200))):
        assert outcome(read, text, 2, **options) == outcome(read, text, 1, **options)


def test_a_second_thread_reads_and_ends_with_the_reading() -> None:
    seen: list[str] = []
    parse = halves.Halves.parse

    def noted(*given: Any) -> int:
        found = parse(*given)
        seen.extend(thread.name for thread in threading.enumerate())
        return found

    text = b"".join(b"%d %d:0.5 99999:1\n" % (i % 3, i + 1) for i in range(60_000))
    with patch.object(halves.Halves, "parse", noted):
        two = outcome(iter_svmlight, text, 2)
    assert any(name.startswith("parsing") for name in seen)
    assert not any(thread.name.startswith("parsing") for thread in threading.enumerate())
    assert two == outcome(iter_svmlight, text, 1)


def test_the_first_fault_is_named_whichever_half_it_is_in() -> None:
    for line in (3, 98_765, 60_000):
        rows = [b"1 1:0.5"] * 100_000
        rows[line - 1] = b"1 1:x"
        rows[99_000] = b"oops:"
        with (
            patch.object(reader, "n_processors", lambda: 2),
            pytest.raises(DataError, match=f":{line}:5:"),
        ):
            iter_svmlight(io.BytesIO(b"\n".join(rows))).whole()


def test_without_a_second_thread_one_reads_all() -> None:
    text = b"1 1:0.5\n-1 2:1\n" * 50
    with patch("threading.Thread.start", side_effect=RuntimeError("can't start new thread")):
        alone = outcome(iter_svmlight, text, 2)
    assert alone == outcome(iter_svmlight, text, 1)
