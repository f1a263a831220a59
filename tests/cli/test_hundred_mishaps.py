"""A hundred mishaps: each has its exit code, a sentence that names the thing, and its cure.

Read them aloud: they are what a colleague says who looks over your shoulder.
"""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path

import pytest

from cli.shell import MAIL, PETS, inside, run, trained, written

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files, most of which something is wrong with."""
    folder = tmp_path_factory.mktemp("desk")
    trained(folder, data=PETS)
    (folder / "pets.csv.rbt").rename(folder / "pets.rbt")
    trained(folder, "--format", "text", data="\n".join(MAIL) + "\n", name="mail.txt")
    (folder / "mail.txt.rbt").rename(folder / "mail.rbt")
    shutil.copy(ROOT / "examples" / "harbour.conllu", folder / "tagged.conllu")
    run(
        "tag",
        "train",
        folder / "tagged.conllu",
        "-o",
        folder / "tagger.rbt",
        "--quiet",
        "--epochs",
        "2",
    )
    written(folder, "empty.csv", "")
    written(folder, "header.csv", "name,weight,colour,note,kind\n")
    written(folder, "one_class.csv", "a,y\n1,u\n2,u\n3,u\n")
    written(folder, "short.csv", "a,b,y\n1,2,u\n3,v\n")
    written(folder, "long.csv", "a,b,y\n1,2,u\n3,4,5,v\n")
    written(folder, "quote.csv", 'a,y\n1,"u\n2,v\n')
    written(folder, "twice.csv", "a,a,y\n1,2,u\n3,4,v\n")
    written(folder, "words.csv", "a,y\n1,u\nx,v\n" + "2,u\n3,v\n" * 9)
    written(folder, "only_target.csv", "y\nu\nv\n")
    written(folder, "measure.csv", "a,y\n1,0.25\n2,1.75\n3,2.5\n")
    written(folder, "semicolon.csv", "a;b;y\n1;2;u\n3;4;v\n")
    written(folder, "few.csv", "name,weight\nRex,3\n")
    written(folder, "rows.svm", "1 1:2\n-1 1:x\n")
    written(folder, "bad.jsonl", '{"a": 1, "y": "u"}\n{"a": 2, "y"\n')
    written(folder, "nolabel.txt", "just a text\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (folder / "latin.csv").write_bytes("a,y\nmünchen,u\nköln,v\n".encode("latin-1"))
    (folder / "cut.csv.gz").write_bytes(gzip.compress(PETS.encode() * 50)[:200])
    (folder / "archive.zip").write_bytes(b"PK\x03\x04 and so on")
    (folder / "cut.rbt").write_bytes((folder / "pets.rbt").read_bytes()[:-100])
    data = bytearray((folder / "pets.rbt").read_bytes())
    data[-9] ^= 1
    (folder / "flipped.rbt").write_bytes(data)
    (folder / "empty.rbt").write_bytes(b"")
    (folder / "folder").mkdir()
    return folder


# A command, its exit code with what it says, and the first cure if that has a line of its own.
MISHAPS = "\n" + (ROOT / "tests" / "cli" / "mishaps.txt").read_text(encoding="utf-8")


def mishaps() -> list[tuple[str, int, str, str]]:
    found = re.findall(r"^\$ (.*)\n(\d) (.*)\n(?:help: (.*)\n)?", MISHAPS, re.MULTILINE)
    return [(line, int(code), said, cure) for line, code, said, cure in found]


def test_there_are_a_hundred_of_them_and_none_twice() -> None:
    lines = [line for line, *_ in mishaps()]
    assert len(lines) == len(set(lines)) == MISHAPS.count("\n$ ")
    assert len(lines) >= 100


@pytest.mark.parametrize(("line", "code", "said", "cure"), mishaps(), ids=lambda x: str(x)[:60])
def test_a_mishap_is_named_with_its_cure(
    line: str, code: int, said: str, cure: str, desk: Path
) -> None:
    with inside(desk):
        before = sorted(desk.iterdir())
        done = run(*line.split())
        assert sorted(desk.iterdir()) == before  # nothing half-written is left behind
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert (f"help: {cure}\n" if cure else "") in done.err
    assert "Traceback" not in done.err
