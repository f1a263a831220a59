"""Commands run as a shell would, but in this process; and small files for them."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click

from rosenblatt.cli import main
from rosenblatt.cli.main import VERBS, group, tag

PROGRAM = "from rosenblatt.cli import main; main()"
DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[3] / "shared" / "data"))

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# Every command as it is typed; one of the verbs has verbs of its own.
COMMANDS = [
    *(verb for verb in VERBS if verb != "tag"),
    *(f"tag {verb}" for verb in tag.verbs),
]

PETS = """name,weight,colour,note,kind
Rex,30.5,brown,barks at the postman every single day,dog
Tom,4.2,grey,sleeps on the sofa all day long,cat
Bella,25,black,likes to fetch the ball in the park,dog
Minka,3.9,white,purrs and chases mice in the barn,cat
Waldi,9,brown,digs holes all over the garden lawn,dog
Mia,3.5,black,scratches the door of the kitchen,cat
"""
MAIL = [
    "ham\tsee you at noon",
    "spam\twin money now",
    "ham\tlunch at noon then",
    "spam\tcall now and win",
    "ham\tcan you call me at six",
    "spam\tmoney for you , call now",
]


def command_of(name: str) -> click.Command:
    """The command of a name as it is typed, or the group itself."""
    found: Any = group
    for verb in name.split():
        found = found.get_command(click.Context(found), verb)
        assert found is not None, name
    return found  # type: ignore[no-any-return]


@dataclass
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        found = json.loads(self.out)
        assert found["schema"] == 2
        return found


def run(*arguments: str | Path, text: str = "") -> Done:
    """Run a command with `text` on standard input."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")
    code: Any = 0
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "stdin", given),
        patch.object(sys, "argv", ["rosenblatt", *map(str, arguments)]),
    ):
        heard = {number: signal.getsignal(number) for number in SIGNALS}
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        finally:
            for number, handler in heard.items():
                signal.signal(number, handler)
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return Done(code, *said)


def launcher(folder: Path) -> dict[str, str]:
    """A file `rosenblatt` in a folder, and an environment in which shells find it."""
    file = folder / "rosenblatt"
    file.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{PROGRAM}" "$@"\n')
    file.chmod(0o755)
    return os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def written(folder: Path, name: str, text: str | list[str]) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text if isinstance(text, str) else "\n".join(text) + "\n", encoding="utf-8")
    return file


def trained(folder: Path, *options: str | Path, data: str = PETS, name: str = "pets.csv") -> Path:
    """A model of a small table, or of other data."""
    model = folder / f"{name}.rbt"
    done = run(
        "train",
        "--learner",
        "averaged",
        written(folder, name, data),
        "--out",
        model,
        "--quiet",
        *options,
    )
    assert (done.code, done.out, done.err) == (0, "", "")
    return model


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
