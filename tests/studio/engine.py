"""The engine of the page in Node: it is asked as a page asks it; Node may be missing."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rosenblatt.studio import Session
from rosenblatt.studio.pages import joined

# A question a line, an answer a line; what is asked may take its time.
LOOP = """
const answered = async (asked) => {
  try { return {answer: await answer(asked)}; }
  catch (error) { return {error: error.message, python: error.constructor.name === "NeedsPython"}; }
};
require("readline").createInterface({input: process.stdin}).on("line", async (line) =>
  process.stdout.write(JSON.stringify(await answered(JSON.parse(line))) + "\\n"));
"""
# The first question is what the engine is made of.
OF_SESSION = """
let ask = null;
const answer = ({name, body}) => ask ? ask(name, body) : (ask = createSession(body)) && null;
"""


class EngineError(Exception):
    """What the engine refused; ``needs_python`` where the library could answer."""

    def __init__(self, message: str, needs_python: bool) -> None:
        super().__init__(message)
        self.needs_python = needs_python


class Engine:
    """Code of the page, asked from Python."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, name: str, body: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"name": name, "body": body}) + "\n")
        self._process.stdin.flush()
        # JavaScript writes floats below 1e21 without a point; Python would take them for whole.
        whole = lambda digits: int(digits) if len(digits) < 16 else float(digits)  # noqa: E731
        found = json.loads(self._process.stdout.readline(), parse_int=whole)
        if "error" in found:
            raise EngineError(found["error"], found["python"])
        return found["answer"]


@contextmanager
def running_module(module: str, answer: str) -> Iterator[Engine]:
    """A module of the page in a process of its own; skipped where Node cannot be had.

    ``answer`` is code that makes a function of that name, which is given each question.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    command = [node, "--input-type=commonjs", "-e", joined(module) + answer + LOOP]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        try:
            yield Engine(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(10)


@contextmanager
def running_engine() -> Iterator[Engine]:
    """The session of the page."""
    with running_module("engine/session.js", OF_SESSION) as engine:
        engine.ask("start", Session().ask("start", {}))
        yield engine
