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

# A question a line, an answer a line; the first line is what the engine is made of.
LOOP = """
const lines = require("readline").createInterface({input: process.stdin});
let ask = null;
lines.on("line", async (line) => {
  const asked = JSON.parse(line);
  if (!ask) { ask = createSession(asked); return; }
  let answer;
  try { answer = {answer: await ask(asked.name, asked.body)}; }
  catch (error) { answer = {error: error.message, python: error instanceof NeedsPython}; }
  process.stdout.write(JSON.stringify(answer) + "\\n");
});
"""


class EngineError(Exception):
    """What the engine refused; ``needs_python`` where the library could answer."""

    def __init__(self, message: str, needs_python: bool) -> None:
        super().__init__(message)
        self.needs_python = needs_python


class Engine:
    """A session of the page, asked from Python."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._send(Session().ask("start", {}))

    def _send(self, value: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()

    def ask(self, name: str, body: Any) -> Any:
        assert self._process.stdout is not None
        self._send({"name": name, "body": body})
        # JavaScript writes floats below 1e21 without a point; Python would take them for whole.
        whole = lambda digits: int(digits) if len(digits) < 16 else float(digits)  # noqa: E731
        found = json.loads(self._process.stdout.readline(), parse_int=whole)
        if "error" in found:
            raise EngineError(found["error"], found["python"])
        return found["answer"]


@contextmanager
def running_engine() -> Iterator[Engine]:
    """The engine in a process of its own; where Node cannot be had the tests are skipped."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    code = joined("engine/session.js") + LOOP
    command = [node, "--input-type=commonjs", "-e", code]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        try:
            yield Engine(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(10)
