"""Commands as processes of their own: in pipes, on a terminal, and with less than usual."""

from __future__ import annotations

import ctypes
import fcntl
import os
import pty
import resource
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waiting import PATIENCE

from cli.shell import PROGRAM

COLUMNS = 80
# Root may read and write whatever the permissions say, by these two of its capabilities.
DAC_OVERRIDE, DAC_READ_SEARCH = 1, 2
PR_CAPBSET_READ, PR_CAPBSET_DROP = 23, 24


def argv(*arguments: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, *arguments]


def environment(**more: str) -> dict[str, str]:
    """This one without what decides on widths and colours."""
    decided = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"}
    kept = {name: value for name, value in os.environ.items() if name not in decided}
    return kept | {"TERM": "xterm-256color", "PYTHONDONTWRITEBYTECODE": "1"} | more


@dataclass
class Ended:
    """The exit code, what came out of each pipe, and what a terminal got."""

    code: int
    out: str = ""
    err: str = ""
    terminal: str = ""


def piped(
    *arguments: str,
    folder: Path,
    out: Any = subprocess.PIPE,
    before: Callable[[], None] | None = None,
) -> Ended:
    done = subprocess.run(
        argv(*arguments),
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.PIPE,
        preexec_fn=before,
        timeout=PATIENCE,
        check=False,
    )
    return Ended(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


def on_terminal(
    *arguments: str, folder: Path, out: bool = True, err: bool = True, **more: str
) -> Ended:
    """Run on a terminal of 80 columns; without `out` or `err` that one is a pipe."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    settings = termios.tcgetattr(theirs)
    settings[1] &= ~termios.OPOST  # what was written, not what the terminal makes of it
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    process = subprocess.Popen(
        argv(*arguments),
        cwd=folder,
        env=environment(**more),
        stdin=theirs,
        stdout=theirs if out else subprocess.PIPE,
        stderr=theirs if err else subprocess.PIPE,
    )
    os.close(theirs)
    pipes = {
        ours: bytearray(),
        **{p.fileno(): bytearray() for p in (process.stdout, process.stderr) if p},
    }
    came = dict(pipes)
    while pipes:
        ready, _, _ = select.select(list(pipes), [], [], PATIENCE)
        assert ready, "the command has hung"
        for stream in ready:
            try:
                some = os.read(stream, 1 << 16)
            except OSError:  # how a terminal says that the last one has left it
                some = b""
            if not some:
                del pipes[stream]
            came[stream] += some
    texts = {stream: bytes(text).decode() for stream, text in came.items()}
    ended = Ended(process.wait(PATIENCE), terminal=texts[ours])
    if process.stdout:
        ended.out = texts[process.stdout.fileno()]
        process.stdout.close()
    if process.stderr:
        ended.err = texts[process.stderr.fileno()]
        process.stderr.close()
    os.close(ours)
    return ended


def screen(text: str) -> list[str]:
    """The lines a terminal shows at the end: what follows a return is written over the line."""
    lines = []
    for line in text.split("\n"):
        shown: list[str] = []
        for part in line.split("\r"):
            shown[: len(part)] = part
        lines.append("".join(shown).rstrip(" "))
    return lines


def permissions_can_count() -> bool:
    """Whether a process can be started that is refused what permissions do not allow."""
    if os.geteuid() != 0:
        return True
    if not sys.platform.startswith("linux"):
        return False
    system, setpcap = ctypes.CDLL(None), 8
    return bool(system.prctl(PR_CAPBSET_READ, setpcap, 0, 0, 0) == 1)


def permissions_count() -> None:
    """In a new process, before the command starts: permissions mean what they say, for root too."""
    if os.geteuid() == 0:
        system = ctypes.CDLL(None)
        for capability in (DAC_OVERRIDE, DAC_READ_SEARCH):
            if system.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
                raise OSError("capabilities cannot be dropped here")


def files_are_full_at(size: int) -> Callable[[], None]:
    """In a new process: no file grows beyond `size` bytes, as on a disk that is full."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit
