"""Whatever kills a command, and whenever: the old or the new file is whole, as it is said."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import rosenblatt
from cli.killing import Killer
from cli.writing import WRITING
from rosenblatt.errors import DataError, ModelFileError

CATCHABLE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
BUSY = ("train", "train --resume", "stream", "stream --checkpoint", "tag train")


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    found = Killer()
    yield found
    found.close()


def afresh(files_before: Path, here: Path) -> None:
    for name in os.listdir(here):
        (here / name).unlink()
    for path in files_before.iterdir():
        shutil.copy(path, here)


def holds(here: Path, name: str, old: bytes) -> bool:
    """Whether the file has changed; if it has, it is whole."""
    found = (here / name).read_bytes()
    if found == old:
        return False
    if name.endswith(".rbt"):
        rosenblatt.load(here / name)
    elif name.endswith(".rows"):
        rosenblatt.io.read_packed(here / name)
    else:
        endings = {".svg": b"</svg>\n", ".html": b"</html>\n", ".onnx": b""}
        assert found.endswith(endings.get(Path(name).suffix, b"\n"))
    return True


def check_sentence(here: Path, model: str, said: str, changed: bool) -> None:
    """What is said of a model after a signal is what is in the file."""
    if "nothing is written" in said or said.endswith("\ninterrupted\n"):
        assert not changed, said
        return
    if found := re.search(
        r"interrupted after ([\d,]+) (?:row|sentence)s?(?: \(([\d,]+) in all\))?", said
    ):
        rows = found[2] or found[1]
        assert rosenblatt.load(here / model).t_ == int(rows.replace(",", "")), said
    elif found := re.search(r"interrupted in epoch ([\d,]+)", said):
        learner = rosenblatt.load(here / model)
        assert learner.stop_reason_ == "interrupted"
        assert learner.n_iter_ == int(found[1].replace(",", "")), said
    else:
        assert f"interrupted when training had ended; wrote {model}" in said
    assert changed, said


def kill_often(killer: Killer, files_before: Path, here: Path, number: int, times: int) -> None:
    dice, calls = random.Random(number), dict[str, int]()
    ended = {"early": 0, "late": 0}
    for trial in range(times):
        verb = list(WRITING)[trial % len(WRITING)]
        line, names = WRITING[verb]
        if verb not in calls:
            afresh(files_before, here)
            code, calls[verb], err = killer.run(here, line)
            assert code == 0, err
        # Half of them where files are written.
        first = 1 if dice.random() < 0.5 else int(0.7 * calls[verb])
        place = dice.randint(first, calls[verb])
        afresh(files_before, here)
        code, _, err = killer.run(here, line, number, place)
        context = f"{verb} {signal.Signals(number).name} at call {place} of {calls[verb]}: {err}"
        # Where an exception gets lost, as in a destructor, Python says so; the signal comes again.
        assert "Traceback" not in err or "Exception ignored in" in err, context
        assert code in (0, 128 + number, -number), context
        ended["late" if code == 0 else "early"] += 1
        try:
            changed = [holds(here, name, (files_before / name).read_bytes()) for name in names]
        except (ModelFileError, DataError, OSError, AssertionError) as error:
            raise AssertionError(context) from error
        if code == 0:
            assert all(changed), context
        if number in CATCHABLE and verb in (*BUSY, "pack"):
            left = {*os.listdir(here)} - {*os.listdir(files_before), ".out", ".err"}
            assert left == set(), context
            if code == 128 + number and verb in BUSY:
                check_sentence(here, names[0], err, changed[0])
    assert ended["early"] > times / 2, ended


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, *CATCHABLE])
def test_killed_at_any_moment_the_old_or_the_new_file_is_whole(
    killer: Killer, files_before: Path, here: Path, number: int
) -> None:
    kill_often(killer, files_before, here, number, 10)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, *CATCHABLE])
def test_killed_300_times_the_old_or_the_new_file_is_whole(
    killer: Killer, files_before: Path, here: Path, number: int
) -> None:
    kill_often(killer, files_before, here, number, 300)
