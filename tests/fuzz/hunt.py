"""Look for trouble with atheris: ``python -m fuzz.hunt TARGET [libFuzzer options] [folders]``.

Coverage guides the search through the Python code only. The compiled loops are not instrumented
unless they were built with ``-fsanitize=fuzzer-no-link``; for their memory errors build with
``-fsanitize=address,undefined`` and preload the run time library.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["rosenblatt.io", "rosenblatt.model", "fuzz"]):
    from fuzz.targets import TARGETS


def main() -> None:
    target = TARGETS[sys.argv[1]]

    def hunted(data: bytes) -> None:  # a number would mean something to atheris
        target(data)

    atheris.Setup([sys.argv[0], *sys.argv[2:]], hunted)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
