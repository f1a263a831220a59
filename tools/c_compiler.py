"""Which C compiler builds the kernels: one of this machine, or ziglang from PyPI.

Read by the build backend, which must know before anything is built whether to ask for ziglang, and
by setup.py, which builds.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

# Newer ones may drop an option that is used here; each of these built the kernels.
ZIG_REQUIREMENT = "ziglang>=0.13,<0.18"

USELESS_CC = (
    "rosenblatt needs a C compiler to build its loops, and the one named by CC ({name}) could not "
    "build a shared library of three lines: unset CC to take another one, or correct it."
)
NO_COMPILER = (
    "rosenblatt needs a C compiler to build its loops, found none that works, and ziglang, which "
    "would do, is not installed: install a compiler (Debian: apt-get install gcc libc6-dev; macOS: "
    "xcode-select --install; Windows: the Visual C++ build tools) or, except on Windows, run pip "
    "install ziglang, and then run the same command again."
)
NO_HEADERS = (
    "rosenblatt needs the headers of Python to build its loops and found no Python.h in {folder}: "
    "install them (Debian: apt-get install python3-dev; Fedora: dnf install python3-devel)."
)

# A shared library of two headers: finds a compiler without the C library's headers, too.
PROBE = "#include <math.h>\n#include <stdlib.h>\ndouble probe(double x) { return exp(x); }\n"


class NoCompiler(Exception):
    """Nothing here can build the kernels; the text says what to do."""


def find_command() -> list[str] | None:
    """The first compiler that works: the one named by CC, else Python's own, else a usual name."""
    if asked := os.environ.get("CC"):
        if not can_build(command := shlex.split(asked)):
            raise NoCompiler(USELESS_CC.format(name=asked))
        return command
    for name in filter(None, [sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]):
        if can_build(command := shlex.split(name)):
            return command
    return None


def can_build(command: list[str]) -> bool:
    """Whether the command makes a shared library of a few lines of C."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text(PROBE)
        arguments = ["-shared", "-fPIC", str(source), "-o", str(Path(folder, "probe.so")), "-lm"]
        try:
            done = subprocess.run([*command, *arguments], capture_output=True, check=False)
        except OSError:
            return False
        return done.returncode == 0


def zig_target(system: str, machine: str, library: str) -> str | None:
    """The processor and C library to build for, never more than every such machine has.

    Without a target zig builds for the very processor it runs on. None where zig cannot stand in:
    for Windows the libraries of Visual C++ would be missing.
    """
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine.lower(), machine.lower())
    if system == "Darwin":
        return f"{processor}-macos"
    if system != "Linux":
        return None
    if library != "glibc":
        return f"{processor}-linux-musl"
    # The oldest C library that wheels of NumPy still run with.
    oldest = ".2.17" if processor in {"x86_64", "aarch64"} else ""
    return f"{processor}-linux-gnu{oldest}"


def this_target() -> str | None:
    return zig_target(platform.system(), platform.machine(), platform.libc_ver()[0])


def zig_command() -> list[str]:
    """How to call zig as a C compiler."""
    if (target := this_target()) is None or importlib.util.find_spec("ziglang") is None:
        raise NoCompiler(NO_COMPILER)
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", target]
    folder = Path(sysconfig.get_path("include"))
    return [*zig, *multiarch_options(folder, sysconfig.get_config_var("MULTIARCH"))]


def multiarch_options(folder: Path, multiarch: str | None) -> list[str]:
    """Let zig find the half of Python's headers that Debian and Ubuntu keep in a second folder.

    Their ``/usr/include/python3.x/pyconfig.h`` only includes
    ``<x86_64-linux-gnu/python3.x/pyconfig.h>``. The compilers of the machine look for it in
    ``/usr/include``; zig has a C library of its own and does not. It is told to look there last, so
    that every other header is still the one of its own C library.
    """
    if multiarch is None or not Path(folder.parent, multiarch, folder.name, "pyconfig.h").exists():
        return []
    return ["-idirafter", str(folder.parent)]


def needs_zig() -> bool:
    """Whether only zig can build here; Visual C++ is found by setuptools itself."""
    return this_target() is not None and find_command() is None


def check_headers() -> None:
    """Python's headers must be there: no compiler brings them."""
    folder = sysconfig.get_path("include")
    if not Path(folder, "Python.h").exists():
        raise NoCompiler(NO_HEADERS.format(folder=folder))
