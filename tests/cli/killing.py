"""Commands in processes that send themselves a signal at a chosen call of a function.

Run as a program, it reads a JSON array a line: the folder, the arguments, the signal, and at which
call it comes (0: never). Each command has a process of its own, forked from this one, in which all
is loaded already. It prints the exit code (negative: killed by that signal), the number of calls
and what was said on standard error.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from waiting import PATIENCE

from cli.processes import environment


class Killer:
    """The program, and what it answers."""

    def __init__(self) -> None:
        tests = str(Path(__file__).parents[1])
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {tests!r})\n" + SERVE],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, folder: Path, line: str, number: int = 0, place: int = 0) -> tuple[int, int, str]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps([str(folder), line.split(), number, place]) + "\n")
        stdin.flush()
        code, calls, err = json.loads(stdout.readline())
        return code, calls, err

    def close(self) -> None:
        self._process.communicate(timeout=PATIENCE)


SERVE = "from cli.killing import serve\nserve()"


def serve() -> None:
    import matplotlib.pyplot  # noqa: F401

    import rosenblatt
    from rosenblatt.cli import main

    rosenblatt.AveragedPerceptron().partial_fit([[1.0]], [1])
    for line in sys.stdin:
        folder, arguments, number, place = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _command(main, folder, arguments, number, place, writing)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            calls = pipe.read()
        _, status = os.waitpid(child, 0)
        err = Path(folder, ".err").read_text(encoding="utf-8")
        print(json.dumps([os.waitstatus_to_exitcode(status), int(calls or 0), err]), flush=True)


def _command(
    main: Any, folder: str, arguments: list[str], number: int, place: int, pipe: int
) -> None:
    """In the new process, which ends here."""
    os.chdir(folder)
    for stream, name in ((0, os.devnull), (1, ".out"), (2, ".err")):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), stream)
    sys.argv = ["rosenblatt", *arguments]
    calls, code = 0, 1

    def look(_frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")
        if calls == place and event in ("call", "c_call"):
            os.kill(os.getpid(), number)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    faulthandler.dump_traceback_later(PATIENCE, exit=True, file=open(".err", "w"))  # noqa: SIM115
    sys.setprofile(look)
    try:
        main()
    except SystemExit as ended:
        code = ended.code  # type: ignore[assignment]
    except KeyboardInterrupt:  # before the command has begun to listen
        code = -signal.SIGINT
    finally:
        sys.setprofile(None)
    os.write(pipe, str(calls).encode())
    if code < 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)
