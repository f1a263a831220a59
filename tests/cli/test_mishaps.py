"""What every command does when it is interrupted, not listened to, or refused by the system.

It says so in one sentence, ends with the code for it, and leaves nothing half-written behind.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import signal
import stat
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

import rosenblatt
from cli.processes import (
    argv,
    environment,
    files_are_full_at,
    permissions_can_count,
    permissions_count,
    piped,
)
from cli.shell import COMMANDS, inside, run, written

USAGE, ENVIRONMENT, INTERRUPTED, CLOSED_PIPE = 2, 5, 130, 141
ROOT = Path(__file__).parents[2]
FULL = Path("/dev/full")
FEATURES = 6_000  # so that all weights are more than a pipe holds
TABLE = "examples/parcels.csv --target late"
SENTENCES = "examples/harbour.conllu"


@dataclass(frozen=True)
class Verb:
    """How to call a command; ``@`` stands for the one file that something is wrong with.

    ``prints``: with something on standard output; it should go on for as long as it is let to.
    ``waits``: reading standard input. ``works``: for ever, after a line with these words.
    ``reads``: one call for each kind of file. ``writes``: one for each option that names a file.
    ``ending``: what the name of such a file must end in.
    """

    prints: str
    waits: str | None = None
    works: tuple[str, str] | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    ending: str = ""


MISHAPS = {
    "train": Verb(
        prints=f"{TABLE} --epochs 2 --out made.rbt",
        waits="- --target late --out made.rbt",
        works=(f"{TABLE} --epochs 1000000000 --out made.rbt", "remark"),
        reads=(
            "@ --target late",
            f"{TABLE} --epochs 2 --resume @",
            f"{TABLE} --epochs 2 --schema-from @",
        ),
        writes=(f"{TABLE} --epochs 2 --out @",),
    ),
    "predict": Verb(
        prints="parcels.rbt examples/parcels.csv",
        waits="parcels.rbt -",
        reads=("@ examples/parcels.csv", "parcels.rbt @"),
    ),
    "stream": Verb(
        prints=f"{TABLE} --every 1",
        waits="- --target late --out made.rbt --predictions made.txt",
        reads=("@ --target late", f"{TABLE} --resume @"),
        writes=(f"{TABLE} --out @", f"{TABLE} --predictions @"),
    ),
    "evaluate": Verb(
        prints="parcels.rbt examples/parcels.csv",
        waits="parcels.rbt -",
        reads=("@ examples/parcels.csv", "parcels.rbt @"),
    ),
    "show": Verb(prints="wide.rbt --weights", reads=("@",)),
    "diff": Verb(
        prints=f"wide.rbt wide_too.rbt --top {FEATURES}", reads=("@ wide.rbt", "wide.rbt @")
    ),
    "check": Verb(prints="examples/parcels.csv", waits="-", reads=("@",)),
    "explain": Verb(
        prints="parcels.rbt examples/parcels.csv --row 1",
        waits="parcels.rbt - --row 1000",
        reads=(
            "@ examples/parcels.csv --row 1",
            "parcels.rbt @ --row 1",
            "recorded.rbt examples/parcels.csv --row 1 --train @",
        ),
    ),
    "convert": Verb(
        prints="examples/parcels.csv",
        waits="- --out made.svm --names made.tsv",
        reads=("@", "examples/parcels.csv --model @"),
        writes=(
            "examples/parcels.csv --out @",
            "long_name.csv --out made.svm --names @",
            "numbers.rbt --out @",
        ),
    ),
    "pack": Verb(
        prints=f"{TABLE} --out made.rows",
        waits="- --target late --out made.rows",
        reads=("@ --target late", "examples/parcels.csv --schema-from @"),
        writes=(f"{TABLE} --out @",),
    ),
    "certify": Verb(prints="numbers.csv", waits="-", reads=("@",)),
    "tag train": Verb(
        prints=f"{SENTENCES} --epochs 2 --out made.rbt",
        waits="- --out made.rbt",
        works=("contradictory.conll --epochs 1000000000 --out made.rbt", "2 columns"),
        reads=("@", f"{SENTENCES} --resume @"),
        writes=(f"{SENTENCES} --epochs 2 --out @",),
    ),
    "tag predict": Verb(
        prints=f"tagger.rbt {SENTENCES}",
        waits="tagger.rbt - --out made.conllu",
        reads=(f"@ {SENTENCES}", "tagger.rbt @"),
        writes=(f"tagger.rbt {SENTENCES} --out @",),
    ),
    "tag evaluate": Verb(
        prints=f"tagger.rbt {SENTENCES}",
        waits="tagger.rbt -",
        reads=(f"@ {SENTENCES}", "tagger.rbt @"),
    ),
    "plot": Verb(
        prints="confusion parcels.rbt examples/parcels.csv -o made.svg",
        waits="confusion parcels.rbt - -o made.svg",
        reads=(
            "confusion @ examples/parcels.csv -o made.svg",
            "confusion parcels.rbt @ -o made.svg",
        ),
        writes=("mistakes parcels.rbt -o @", "losses --out @"),
        ending=".svg",
    ),
    "demo": Verb(
        prints="--data iris --epochs 9",
        works=("--data iris --epochs 1000000000", "learning from"),
        writes=("--data wine --out @",),
        ending=".svg",
    ),
    "studio": Verb(
        prints="numbers.csv --out made.html",
        waits="- --out made.html",
        works=("numbers.csv --no-open", "Ctrl-C ends it"),
        reads=("@ --out made.html",),
        writes=("numbers.csv --out @",),
    ),
    "docs": Verb(prints="--site site --no-open"),
    "completion": Verb(prints="bash"),
}


def calls(kind: str) -> list[tuple[str, str]]:
    return [(verb, line) for verb, told in MISHAPS.items() for line in getattr(told, kind)]


# ---------------------------------------------------------------------- the folder


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("mishaps")
    shutil.copytree(ROOT / "examples", here / "examples")
    written(here / "site", "index.html", ["<!doctype html>"])
    # The names of its features take more room than its rows.
    (here / "long_name.csv").write_text(f"{'x' * 200},kind\n1,a\n2,b\n")
    (here / "numbers.csv").write_text("x,y,differ\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    # No epoch goes by without a mistake.
    (here / "contradictory.conll").write_text("fish NOUN\n\nfish VERB\n")
    for name, sign in (("wide", 1), ("wide_too", -1)):
        columns = range(1, FEATURES + 1)
        rows = [" ".join(f"{i}:{sign * label * i}" for i in columns) for label in (1, -1)]
        (here / f"{name}.svm").write_text(f"1 {rows[0]}\n-1 {rows[1]}\n")
    with inside(here):
        for line in (
            f"{TABLE} --epochs 3 --out parcels.rbt",
            f"{TABLE} --epochs 3 --record --out recorded.rbt",
            "numbers.csv --epochs 3 --out numbers.rbt",
            "wide.svm --format svmlight --out wide.rbt",
            "wide_too.svm --format svmlight --out wide_too.rbt",
        ):
            assert run("train", "--learner", "averaged", *line.split(), "--quiet").code == 0
        assert run("tag", "train", SENTENCES, "--out", "tagger.rbt", "--quiet").code == 0
    return here


@pytest.fixture
def folder(files: Path) -> Iterator[Path]:
    """The files; what a test leaves beside them is taken away again."""
    before = {path.name for path in files.iterdir()}
    yield files
    for path in files.iterdir():
        if path.name not in before:
            path.chmod(0o755)
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


def listing(folder: Path) -> dict[str, str]:
    """Every file with a digest of what it holds."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file() and os.access(path, os.R_OK)
        else stat.filemode(path.stat().st_mode)
        for path in sorted(folder.rglob("*"))
    }


def sentence(err: str) -> str:
    """The one thing that is said on standard error, after what was learned of the columns."""
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    lines = err.splitlines()
    starts = [i for i, line in enumerate(lines) if line.lower().startswith("error: ")]
    assert len(starts) == 1, err
    said = lines[starts[0] :]
    assert len(said) <= 2, err
    return "\n".join(said)


# ---------------------------------------------------------------------- Ctrl-C


def unread(stream: int) -> int:
    """Bytes that wait in a pipe."""
    (count,) = struct.unpack("i", fcntl.ioctl(stream, termios.FIONREAD, bytes(4)))
    return int(count)


def wait_until_it_has_worked(process: subprocess.Popen[bytes]) -> None:
    """Until the command has had some more time of a processor, whatever the clock says."""
    file = Path(f"/proc/{process.pid}/stat")
    if not file.exists():
        time.sleep(0.2)
        return

    def ticks() -> int:
        after_name = file.read_text().rpartition(")")[2].split()
        return int(after_name[11]) + int(after_name[12])  # in the command, in the system for it

    enough = ticks() + os.sysconf("SC_CLK_TCK") // 5
    wait_until(lambda: process.poll() is not None or ticks() >= enough)


def started(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv(*arguments),
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def interrupted(process: subprocess.Popen[bytes]) -> str:
    """Press Ctrl-C; what is on standard error in the end."""
    assert process.poll() is None, "the command ended too early to be interrupted"
    process.send_signal(signal.SIGINT)
    # What stands in a pipe is taken out only now; standard input is still open.
    stdin, process.stdin = process.stdin, None
    try:
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        assert stdin is not None
        stdin.close()
    said = err.decode()
    assert process.returncode == INTERRUPTED, said
    assert "Traceback" not in said
    lines = said.splitlines()
    assert sum(line.startswith("interrupted") for line in lines) == 1
    assert lines[-1].startswith("interrupted")
    return said


@pytest.mark.slow
@pytest.mark.parametrize("verb", [verb for verb in MISHAPS if MISHAPS[verb].waits])
def test_ctrl_c_while_rows_are_waited_for_ends_with_130(folder: Path, verb: str) -> None:
    before = listing(folder)
    rows = (folder / "examples" / "parcels.csv").read_bytes()
    if verb == "certify":
        rows = (folder / "numbers.csv").read_bytes()
    if verb.startswith("tag "):
        rows = (folder / SENTENCES).read_bytes()
    process = started(folder, *verb.split(), *str(MISHAPS[verb].waits).split())
    assert process.stdin is not None
    process.stdin.write(rows)
    process.stdin.flush()
    place = process.stdin.fileno()
    wait_until(lambda: unread(place) == 0)
    interrupted(process)
    left = {name: text for name, text in listing(folder).items() if name not in before}
    if verb == "stream":
        # It promises the model so far, with the answers that led there.
        assert set(left) <= {"made.rbt", "made.txt"}
        if left:
            learned = rosenblatt.model.read(folder / "made.rbt").card.record.t
            assert len((folder / "made.txt").read_text().splitlines()) == learned
    else:
        assert left == {}


@pytest.mark.slow
@pytest.mark.parametrize("verb", [verb for verb in MISHAPS if MISHAPS[verb].works])
def test_ctrl_c_in_the_midst_of_work_ends_with_130(folder: Path, verb: str) -> None:
    before = listing(folder)
    line, words = MISHAPS[verb].works or ("", "")
    process = started(folder, *verb.split(), *line.split())
    stream = process.stdout if verb == "demo" else process.stderr
    assert stream is not None
    while words.encode() not in (told := stream.readline()):
        assert told, "the command ended before it began to work"
    if verb != "studio":
        wait_until_it_has_worked(process)
    said = interrupted(process)
    left = {name: text for name, text in listing(folder).items() if name not in before}
    if "train" in verb:
        assert set(left) == {"made.rbt"}
        fit = rosenblatt.model.read(folder / "made.rbt").card.record.fit
        assert (fit.stop_reason, len(fit.mistakes_per_epoch)) == ("interrupted", fit.n_iter)
        assert f"interrupted in epoch {fit.n_iter:,}. What was learned is kept in made.rbt" in said
    else:
        assert left == {}


@pytest.mark.parametrize("verb", ["show", "diff"])
def test_ctrl_c_while_nobody_takes_the_output_ends_with_130(folder: Path, verb: str) -> None:
    before = listing(folder)
    process = started(folder, verb, *MISHAPS[verb].prints.split())
    assert process.stdout is not None
    place = process.stdout.fileno()
    # A pipe holds so much; then the command waits for room.
    wait_until(lambda: unread(place) > 30_000)
    interrupted(process)
    assert listing(folder) == before


def test_every_command_can_be_interrupted_somewhere() -> None:
    """But for one that is done as soon as it starts."""
    assert set(MISHAPS) == set(COMMANDS)
    tried = {verb for verb in MISHAPS if MISHAPS[verb].waits or MISHAPS[verb].works}
    assert set(COMMANDS) - tried == {"show", "diff", "docs", "completion"}
    for verb in COMMANDS:
        assert MISHAPS[verb].reads or verb in {"demo", "docs", "completion"}


# ---------------------------------------------------------------------- nobody listens, no room


@pytest.mark.slow
@pytest.mark.parametrize("verb", COMMANDS)
def test_a_closed_pipe_ends_with_141_and_no_words(folder: Path, verb: str) -> None:
    with inside(folder):
        told = run(*verb.split(), *MISHAPS[verb].prints.split())
    assert told.out
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = piped(*verb.split(), *MISHAPS[verb].prints.split(), folder=folder, out=writing)
    finally:
        os.close(writing)
    assert ended.code == CLOSED_PIPE
    # Notices at the end may be missing; nothing is added.
    assert told.err.startswith(ended.err)


@pytest.mark.slow
@pytest.mark.skipif(not FULL.is_char_device(), reason="there is no /dev/full")
@pytest.mark.parametrize("verb", COMMANDS)
def test_no_room_for_standard_output_ends_with_5(folder: Path, verb: str) -> None:
    # Only ever as an open file: by its name, root could put another file in its place.
    with FULL.open("wb") as full:
        ended = piped(*verb.split(), *MISHAPS[verb].prints.split(), folder=folder, out=full)
    assert ended.code == ENVIRONMENT, ended.err
    assert "No space left" in sentence(ended.err)


@pytest.mark.slow
@pytest.mark.parametrize("there", [False, True], ids=["new", "old"])
@pytest.mark.parametrize(("verb", "line"), calls("writes"))
def test_a_file_that_cannot_be_finished_leaves_the_old_one(
    folder: Path, verb: str, line: str, there: bool
) -> None:
    target = f"target{MISHAPS[verb].ending}"
    if there:
        (folder / target).write_text("as it was\n")
    before = listing(folder)
    arguments = line.replace("@", target).split()
    ended = piped(*verb.split(), *arguments, folder=folder, before=files_are_full_at(100))
    assert ended.code == ENVIRONMENT, ended.err
    assert "File too large" in sentence(ended.err)
    assert listing(folder) == before


# ---------------------------------------------------------------------- what is to be read


@pytest.mark.parametrize("mishap", ["missing", "folder"])
@pytest.mark.parametrize(("verb", "line"), calls("reads"))
def test_what_cannot_be_read_is_named(folder: Path, verb: str, line: str, mishap: str) -> None:
    if mishap == "folder":
        (folder / "wanted").mkdir()
    before = listing(folder)
    with inside(folder):
        done = run(*verb.split(), *line.replace("@", "wanted").split())
    assert done.code == USAGE
    assert done.out == ""
    said = sentence(done.err)
    assert "'wanted'" in said
    assert ("does not exist" if mishap == "missing" else "is a directory") in said
    assert listing(folder) == before


@pytest.mark.skipif(not permissions_can_count(), reason="root may read everything here")
@pytest.mark.parametrize(("verb", "line"), calls("reads"))
def test_what_may_not_be_read_is_named(folder: Path, verb: str, line: str) -> None:
    wanted = folder / "wanted"
    shutil.copy(folder / "parcels.rbt", wanted)
    wanted.chmod(0)
    names = sorted(listing(folder))
    arguments = line.replace("@", "wanted").split()
    ended = piped(*verb.split(), *arguments, folder=folder, before=permissions_count)
    assert ended.code == USAGE, ended.err
    assert ended.out == ""
    assert "'wanted' is not readable" in sentence(ended.err)
    assert sorted(listing(folder)) == names


# ---------------------------------------------------------------------- what is to be written


@pytest.mark.parametrize(("verb", "line"), calls("writes"))
@pytest.mark.parametrize(
    ("mishap", "target"), [("no folder", "nowhere/target"), ("folder", "target"), ("pipe", "pipe")]
)
def test_where_nothing_can_be_written_is_refused_before_the_work(
    folder: Path, verb: str, line: str, mishap: str, target: str
) -> None:
    target += MISHAPS[verb].ending
    if mishap == "folder":
        (folder / target).mkdir()
    if mishap == "pipe":
        os.mkfifo(folder / target)
    before = listing(folder)
    with inside(folder):
        done = run(*verb.split(), *line.replace("@", target).split())
    assert listing(folder) == before
    assert done.code == USAGE, done.err
    assert done.out == ""
    assert target in sentence(done.err)


@pytest.mark.skipif(not permissions_can_count(), reason="root may write everywhere here")
@pytest.mark.parametrize("there", [False, True], ids=["new", "old"])
@pytest.mark.parametrize(("verb", "line"), calls("writes"))
def test_a_folder_that_may_not_be_written_to_ends_with_5(
    folder: Path, verb: str, line: str, there: bool
) -> None:
    closed, target = folder / "closed", f"closed/target{MISHAPS[verb].ending}"
    closed.mkdir()
    if there:
        (folder / target).write_text("as it was\n")
    closed.chmod(0o555)
    before = listing(folder)
    arguments = line.replace("@", target).split()
    ended = piped(*verb.split(), *arguments, folder=folder, before=permissions_count)
    assert ended.code == ENVIRONMENT, ended.err
    said = sentence(ended.err)
    assert "Permission denied" in said
    assert target in said
    assert listing(folder) == before


@pytest.mark.parametrize(
    "verb",
    [
        "train",
        "predict",
        "stream",
        "evaluate",
        "check",
        "explain",
        "convert",
        "certify",
        "plot",
        "tag train",
        "tag predict",
        "tag evaluate",
    ],
)
def test_rejects_for_a_folder_that_is_not_there_are_refused_before_the_work(
    folder: Path, verb: str
) -> None:
    before = listing(folder)
    with inside(folder):
        rejects = ("--on-bad", "rejects=nowhere/rejects.txt")
        done = run(*verb.split(), *MISHAPS[verb].prints.split(), *rejects)
    assert done.code == USAGE, done.err
    assert done.out == ""
    assert "nowhere/rejects.txt" in sentence(done.err)
    assert listing(folder) == before
