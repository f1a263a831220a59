"""Streams of svmlight rows, which a second thread reads: it does not show, and Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from waiting import PATIENCE, ending

import rosenblatt
from cli.shell import PROGRAM, Done, run
from rosenblatt.cli.verbs import stream as verb
from rosenblatt.plurals import count as counted
from rosenblatt.tables.readers import lines


def rows(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        columns = np.unique(rng.integers(1, 5 + i // 20, 6))
        values = rng.normal(size=len(columns))
        label = "+1" if values.sum() + rng.normal(0, 0.3) > 0 else "-1"
        pairs = zip(columns, values, strict=True)
        found.append(f"{label} " + " ".join(f"{j}:{v:.5f}" for j, v in pairs))
    return found


def at_once(reader: Any) -> Any:
    return reader


def streamed(folder: Path, *options: str, text: str = "") -> tuple[Done, bytes | None]:
    """What a stream in small blocks told and wrote."""
    model = folder / "made.rbt"
    model.unlink(missing_ok=True)
    with patch.object(lines, "PIECE", 4096):
        arguments = ("--format", "svmlight", "--every", "100", "--out", model, *options)
        done = run("stream", *arguments, text=text)
    return done, model.read_bytes() if model.exists() else None


GOOD = rows(2000)
BAD_LATE = [*GOOD[:1500], "+1 2:1 1:1", *GOOD[1500:]]
WILD_LATE = [*GOOD[:1500], "+1 2000000000:1", *GOOD[1500:]]


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        (GOOD, (), 0),
        (GOOD, ("--json",), 0),
        (GOOD, ("--predictions", "-", "--learner", "pa"), 0),
        (GOOD, ("--count", "latest"), 0),
        (BAD_LATE, (), 3),
        (BAD_LATE, ("--on-bad", "skip"), 0),
        (BAD_LATE, ("--on-bad", "skip", "--json"), 0),
        (BAD_LATE, ("--on-bad", "rejects=bad.jsonl"), 0),
        (WILD_LATE, (), 3),
        ([], (), 3),
    ],
)
def test_a_second_thread_changes_nothing_of_what_is_told_and_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: list[str],
    options: tuple[str, ...],
    code: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "rows.svm"
    file.write_text("".join(f"{line}\n" for line in text))
    found = streamed(tmp_path, str(file), *options)
    with patch.object(verb, "ReadAhead", at_once):
        expected = streamed(tmp_path, str(file), *options)
    assert found[0].code == code, found[0].err
    assert found == expected


def test_packed_files_and_several_of_them_are_read_ahead_too(tmp_path: Path) -> None:
    import gzip

    halves = []
    for i, part in enumerate((GOOD[:900], GOOD[900:])):
        halves.append(tmp_path / f"{i}.svm.gz")
        halves[i].write_bytes(gzip.compress("".join(f"{line}\n" for line in part).encode()))
    whole = streamed(tmp_path, "-", text="".join(f"{line}\n" for line in GOOD))
    assert streamed(tmp_path, *map(str, halves)) == whole


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "stream", "--format", "svmlight", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def test_who_sends_a_row_at_a_time_sees_each_of_them_learned() -> None:
    process = started("--every", "1")
    assert process.stdin is not None
    assert process.stdout is not None
    with ending(process):
        for i, row in enumerate(GOOD[:5], 1):
            process.stdin.write(row + "\n")
            process.stdin.flush()
            if i == 1:
                assert process.stdout.readline().split()[0] == "examples"
            assert process.stdout.readline().split()[0] == str(i)
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "mistakes in 5 examples" in out


@pytest.mark.parametrize("n", [1, 500])
def test_ctrl_c_while_a_pipe_is_silent_ends_at_once_with_the_model(tmp_path: Path, n: int) -> None:
    model = tmp_path / "m.rbt"
    process = started("--every", str(n), "--out", model)
    assert process.stdin is not None
    assert process.stdout is not None
    with ending(process):
        process.stdin.write("".join(f"{row}\n" for row in GOOD[:n]))
        process.stdin.flush()
        process.stdout.readline()
        assert process.stdout.readline().split()[0] == str(n)
        process.send_signal(signal.SIGINT)
        # Standard input stays open, so that nothing but the signal can end the command.
        assert process.wait(PATIENCE) == 130
        assert process.stderr is not None
        said = process.stderr.read()
    assert f"\ninterrupted after {counted(n, 'row')}. " in said
    assert "Fatal" not in said
    assert rosenblatt.model.read(model).card.record.t == n


def test_ctrl_c_in_the_midst_of_a_pipe_that_runs_leaves_a_model_of_whole_blocks(
    tmp_path: Path,
) -> None:
    """The thread is reading, parsing or waiting for room when the process ends."""
    model = tmp_path / "m.rbt"
    text = ("".join(f"{row}\n" for row in GOOD) * 20).encode()
    for pause in (0.0, 0.01, 0.03):
        process = started("--every", "1000", "--out", model)
        assert process.stdin is not None
        assert process.stdout is not None
        with ending(process):
            stdin = process.stdin.fileno()
            ended = threading.Event()

            def feed(place: int = stdin, ended: threading.Event = ended) -> None:
                while not ended.is_set():
                    try:
                        os.write(place, text)
                    except OSError:  # the command has ended
                        return

            feeder = threading.Thread(target=feed, daemon=True)
            feeder.start()
            process.stdout.readline()
            process.stdout.readline()
            time.sleep(pause)
            process.send_signal(signal.SIGINT)
            said = []
            taker = threading.Thread(target=lambda p=process, s=said: s.append(p.stdout.read()))
            taker.start()
            assert process.wait(PATIENCE) == 130
            ended.set()
            feeder.join(PATIENCE)
            taker.join(PATIENCE)
            assert process.stderr is not None
            told = process.stderr.read()
            assert "Fatal" not in told
            t = rosenblatt.model.read(model).card.record.t
            assert f"{t:,} examples" in said[0]
            assert f"\ninterrupted after {t:,} rows. " in told
