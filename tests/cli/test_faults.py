"""What was learned is kept when the disk fails, and when nobody listens."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import rosenblatt
from cli.processes import piped
from cli.shell import Done, run
from cli.writing import TRAIN, WRITING
from rosenblatt.errors import ModelFileError
from rosenblatt.persistence import disk


def afresh(files_before: Path, here: Path) -> None:
    """The folder as it was, and no temporary files."""
    for place in (here, here.parent / "temporary"):
        for path in place.iterdir():
            path.unlink()
    for path in files_before.iterdir():
        shutil.copy(path, here)


# ---------------------------------------------------------------------- the disk fails


class Faults:
    """The system as `disk` knows it, in which one of all writes, syncs and renames fails."""

    def __init__(self, fails_at: int | None = None, code: int = 0) -> None:
        self.n, self._fails_at, self._code = 0, fails_at, code

    def __getattr__(self, name: str) -> Any:
        found = getattr(os, name)
        return self._tried(found) if name in ("write", "fsync", "replace") else found

    def _tried(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def tried(*arguments: Any) -> Any:
            self.n += 1
            if self.n - 1 == self._fails_at:
                raise OSError(self._code, os.strerror(self._code))
            return call(*arguments)

        return tried


def with_faults(line: str, faults: Faults) -> Done:
    with patch.object(disk, "os", faults):
        return run(*line.split())


@pytest.mark.parametrize("verb", WRITING)
def test_whichever_write_fails_the_old_or_the_new_file_is_whole(
    files_before: Path, here: Path, verb: str
) -> None:
    line, names = WRITING[verb]
    counting = Faults()
    assert with_faults(line, counting).code == 0
    new = {name: (here / name).read_bytes() for name in names}
    old = {name: (files_before / name).read_bytes() for name in names}
    assert counting.n >= 3 * len(names)
    for place in range(counting.n):
        for code in (errno.ENOSPC, errno.EACCES, errno.EIO):
            afresh(files_before, here)
            done = with_faults(line, Faults(place, code))
            said = done.err
            if "warning: no checkpoint" in said:  # and learning went on
                assert done.code == 0, said
            else:
                assert done.code == 5, said
                assert os.strerror(code) in said
            for name in names:
                assert (here / name).read_bytes() in (old[name], new[name])
            more = set(os.listdir(here)) - set(os.listdir(files_before))
            if elsewhere := re.search(r"What was learned is kept in (\S+-\w+\.rbt)\.$", said, re.M):
                assert more == {elsewhere[1]}
                assert same_model(here / elsewhere[1], new[names[0]])
            else:
                assert more == set()
                if names[0].endswith(".rbt"):  # something else failed
                    assert (here / names[0]).read_bytes() == new[names[0]]
            assert list((here.parent / "temporary").iterdir()) == []


def same_model(file: Path, new: bytes) -> bool:
    """Whether the file has learned what that of an undisturbed run has, but for the data digest."""
    other = file.with_suffix(".expected")
    other.write_bytes(new)
    found, expected = rosenblatt.model.read(file), rosenblatt.model.read(other)
    other.unlink()
    assert found.card.record.t == expected.card.record.t
    return all(np.array_equal(found.arrays[name], own) for name, own in expected.arrays.items())


def test_where_no_name_beside_it_will_do_the_model_goes_to_the_temporary_files(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = os.open

    def fail(path: Any, *rest: Any) -> int:
        if str(path).startswith(str(here / ".rosenblatt")):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return original(path, *rest)

    monkeypatch.setattr(os, "open", fail)
    old = (here / "made.rbt").read_bytes()
    done = run(*f"{TRAIN} --out made.rbt".split())
    assert done.code == 5
    (kept,) = (here.parent / "temporary").iterdir()
    assert f"made.rbt: Read-only file system. What was learned is kept in {kept}." in done.err
    assert rosenblatt.load(kept).n_iter_ == 3
    assert (here / "made.rbt").read_bytes() == old


@pytest.mark.parametrize("verb", [verb for verb in WRITING if WRITING[verb][1][0].endswith(".rbt")])
def test_what_was_learned_is_kept_elsewhere_if_the_model_does_not_pass_its_checks(
    files_before: Path, here: Path, verb: str
) -> None:
    line, (name, *_) = WRITING[verb]
    assert run(*line.split()).code == 0
    new = (here / name).read_bytes()
    afresh(files_before, here)
    # What is resumed is read, and so checked, before it is learned on.
    refusals = [ModelFileError("a part is odd.")] * 9
    outcomes = [None] * line.count("--resume") + refusals
    with patch("rosenblatt.persistence.file.check", side_effect=outcomes):
        done = run(*line.split())
    assert done.code == 4
    kept = re.search(
        rf"{name}: a part is odd. What was learned is kept in (\S+-\w+\.rbt), which load refuses",
        done.err,
    )
    assert kept, done.err
    assert (here / name).read_bytes() == (files_before / name).read_bytes()
    assert same_model(here / kept[1], new)


def test_out_of_memory_in_the_report_the_model_is_there(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with 30,000 classes, whose scores may not fit into the memory."""

    def fail(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("rosenblatt.cli.verbs.train.facts_of", fail)
    done = run(*f"{TRAIN} --out made.rbt".split())
    assert done.code == 1
    assert "out of memory" in done.err
    assert "(the model is whole: wrote made.rbt)" in done.err
    assert rosenblatt.load("made.rbt").n_iter_ == 3


# ---------------------------------------------------------------------- nobody listens


def closed(*numbers: int) -> Callable[[], None]:
    return lambda: [os.close(number) for number in numbers] and None


@pytest.mark.slow
@pytest.mark.parametrize("line", ["predict made.rbt rows.csv", "show made.rbt", "check rows.csv"])
def test_a_closed_standard_output_is_an_error(here: Path, line: str) -> None:
    ended = piped(*line.split(), folder=here, before=closed(1))
    assert ended.code == 5
    assert "error: standard output is closed\n" in ended.err


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [(1,), (2,), (0, 1, 2)])
@pytest.mark.parametrize("verb", ["train", "tag train", "stream"])
def test_a_model_is_written_though_nobody_listens(
    here: Path, verb: str, numbers: tuple[int, ...]
) -> None:
    line, (name, *_) = WRITING[verb]
    old = (here / name).read_bytes()
    ended = piped(*line.split(), folder=here, before=closed(*numbers))
    assert ended.code == (0 if numbers == (2,) else 5)
    assert (here / name).read_bytes() != old
    rosenblatt.load(here / name)
    if numbers == (1,):
        assert "error: standard output is closed" in ended.err
        assert name in ended.err.splitlines()[-1 if verb != "stream" else -2]
    assert list(here.glob(".rosenblatt*")) == []


def test_a_stream_whose_reader_is_gone_keeps_its_model(here: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = piped("stream", "rows.csv", "--out", "m.rbt", folder=here, out=writing)
    os.close(writing)
    assert ended.code == 141
    t = rosenblatt.load(here / "m.rbt").t_
    kept = "What was learned is kept in m.rbt; continue with --resume m.rbt"
    assert f"\nstopped after {t} rows. {kept}\n" in ended.err
