"""The build finds a C compiler that works, or asks for ziglang; versions and extras agree."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ZIG = "import c_compiler; print(c_compiler.needs_zig())"
COMMAND = "import c_compiler; print(c_compiler.find_command())"

on_posix = pytest.mark.skipif(os.name != "posix", reason="Visual C++ is found by setuptools itself")


def asked(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What the tools of the build say in a process of their own with these variables."""
    kept = {name: value for name, value in os.environ.items() if name not in {"CC", "PATH"}}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=kept | {"PYTHONPATH": str(ROOT / "tools")} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def program(file: Path, lines: str) -> Path:
    file.write_text(f"#!/bin/sh\n{lines}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


@on_posix
def test_zig_is_needed_where_no_compiler_can_be_found(tmp_path: Path) -> None:
    assert asked(ZIG, PATH=str(tmp_path)).stdout == "True\n"


@on_posix
def test_a_compiler_that_cannot_compile_is_none(tmp_path: Path) -> None:
    for name in ("cc", "gcc", "clang"):
        program(tmp_path / name, "echo 'fatal error: math.h: no such file' >&2; exit 1")
    assert asked(ZIG, PATH=str(tmp_path)).stdout == "True\n"


@on_posix
def test_a_compiler_of_a_usual_name_is_taken_when_that_of_python_is_not_there(
    tmp_path: Path,
) -> None:
    program(tmp_path / "clang", "exit 0")
    assert asked(COMMAND, PATH=str(tmp_path)).stdout == "['clang']\n"
    assert asked(ZIG, PATH=str(tmp_path)).stdout == "False\n"


@on_posix
def test_the_compiler_named_by_the_user_is_taken_with_its_options(tmp_path: Path) -> None:
    mine = program(tmp_path / "mine", '[ "$1" = -m64 ]')
    found = asked(COMMAND, PATH=str(tmp_path), CC=f"{mine} -m64")
    assert found.stdout == f"['{mine}', '-m64']\n"
    useless = asked(COMMAND, PATH=str(tmp_path), CC=f"{mine} -m32")
    assert re.search(r"named by CC \(.*mine -m32\).*: unset CC", useless.stderr)


@on_posix
def test_without_compiler_and_ziglang_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    hidden = "import importlib.util as util; util.find_spec = lambda name: None; "
    said = asked(f"{hidden} import c_compiler; c_compiler.zig_command()", PATH=str(tmp_path)).stderr
    assert re.search(
        r"found none that works.*ziglang.*apt-get install gcc.*pip install ziglang", said
    )


@on_posix
def test_the_backend_asks_for_zig_only_where_it_is_needed(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    code = "import build_backend as b; print(b._with_compiler(lambda _: ['wheel'], None))"
    assert asked(code, PATH=str(tmp_path)).stdout.startswith("['wheel', 'ziglang>=")
    program(tmp_path / "cc", "exit 0")
    assert asked(code, PATH=str(tmp_path)).stdout == "['wheel']\n"


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (("Linux", "x86_64", "glibc"), "x86_64-linux-gnu.2.17"),
        (("Linux", "aarch64", "glibc"), "aarch64-linux-gnu.2.17"),
        (("Linux", "riscv64", "glibc"), "riscv64-linux-gnu"),
        (("Linux", "x86_64", ""), "x86_64-linux-musl"),
        (("Darwin", "arm64", ""), "aarch64-macos"),
        (("Windows", "AMD64", ""), None),
    ],
)
def test_zig_builds_for_every_machine_of_the_kind(machine: tuple[str, ...], expected: str) -> None:
    found = asked(f"import c_compiler; print(c_compiler.zig_target(*{machine!r}))")
    assert found.stdout == f"{expected}\n"


def multiarch_options(folder: Path, multiarch: str | None) -> str:
    given = f"pathlib.Path({str(folder)!r}), {multiarch!r}"
    code = f"import pathlib, c_compiler; print(*c_compiler.multiarch_options({given}))"
    return asked(code).stdout


def test_zig_finds_the_headers_that_debian_keeps_apart_after_its_own(tmp_path: Path) -> None:
    headers = tmp_path / "include" / "python3.14"
    headers.mkdir(parents=True)
    assert multiarch_options(headers, "x86_64-linux-gnu") == "\n"
    apart = tmp_path / "include" / "x86_64-linux-gnu" / "python3.14"
    apart.mkdir(parents=True)
    (apart / "pyconfig.h").touch()
    expected = f"-idirafter {tmp_path / 'include'}\n"
    assert multiarch_options(headers, "x86_64-linux-gnu") == expected
    assert multiarch_options(headers, None) == "\n"


def test_zig_compiles_against_headers_of_python_that_lie_in_two_folders(tmp_path: Path) -> None:
    """As on Debian: pyconfig.h includes another one, by a path below the folder of all headers."""
    pytest.importorskip("ziglang")
    headers, apart = (tmp_path / name / "python3.14" for name in ("", "x86_64-linux-gnu"))
    for folder in (headers, apart):
        folder.mkdir(parents=True)
    (headers / "pyconfig.h").write_text("#include <x86_64-linux-gnu/python3.14/pyconfig.h>\n")
    (apart / "pyconfig.h").write_text("#define SIZEOF_LONG 8\n")
    # Another C library's header beside them must not be taken.
    (tmp_path / "math.h").write_text("#error a header of another C library\n")
    source = tmp_path / "module.c"
    source.write_text('#include "pyconfig.h"\n#include <math.h>\nint size = SIZEOF_LONG;\n')
    said = asked(
        f"""
import subprocess, sysconfig, c_compiler
sysconfig.get_path = lambda name: {str(headers)!r}
sysconfig.get_config_var = lambda name: "x86_64-linux-gnu"
command = [*c_compiler.zig_command(), "-I{headers}", "-c", "{source}", "-o", "{tmp_path}/module.o"]
subprocess.run(command, check=True)
""",
        ZIG_GLOBAL_CACHE_DIR=str(tmp_path / "cache"),
        ZIG_LOCAL_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert said.returncode == 0, said.stderr
    assert (tmp_path / "module.o").exists()


def test_settings_and_pages_beside_the_package_are_in_the_source_distribution() -> None:
    lines = (ROOT / "MANIFEST.in").read_text().splitlines()
    included = [line.removeprefix("include ") for line in lines if line.startswith("include ")]
    kinds = ("*.json", "*.yml", "*.md", "*.cff")
    names = sorted(file.name for kind in kinds for file in ROOT.glob(kind))
    assert [name for name in names if not any(fnmatch(name, each) for each in included)] == []


def test_versions_agree() -> None:
    import rosenblatt

    citation = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.*)$", citation, re.M)[1] == PROJECT["version"]  # type: ignore[index]
    assert rosenblatt.__version__ == PROJECT["version"]


def test_all_is_every_extra_of_a_user() -> None:
    extras = PROJECT["optional-dependencies"]
    (line,) = extras["all"]
    named = set(re.fullmatch(r"rosenblatt\[(.*)\]", line)[1].split(","))  # type: ignore[index]
    assert named == set(extras) - {"all", "bench", "dev", "test"}
