"""Loops that another compiler builds, or that check their bounds, come to the same bytes."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TO_BUILD = ["setup.py", "pyproject.toml", "README.md", "LICENSE", "tools", "src"]
MADE = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "*.egg-info")


def build(folder: Path, **environment: str) -> Path:
    """Build the loops in a copy of the source; where the package then is."""
    pytest.importorskip("Cython")
    pytest.importorskip("setuptools")
    for name in TO_BUILD:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=MADE)
        else:
            shutil.copy(ROOT / name, folder)
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    made = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr[-3000:]
    return folder / "src"


def seeded_bytes(package: Path | None = None) -> dict[str, Any]:
    """What `models.seeded_bytes` finds with the loops of a package, or with those of the tests."""
    before = os.environ.get("PYTHONPATH")
    paths = [str(package) if package else None, str(ROOT / "tests"), before]
    done = subprocess.run(
        [sys.executable, "-m", "models.seeded_bytes"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    assert package is None or package in Path(found["where"]).parents
    return found


def assert_same(found: dict[str, Any]) -> None:
    ours = seeded_bytes()
    assert len({*ours["clones"].values(), *found["clones"].values()}) == 1, found["clones"]
    assert found["texts"] == ours["texts"]
    assert found["changed"] == ours["changed"] == []


@pytest.mark.long
def test_clang_builds_loops_that_come_to_the_same_bytes(tmp_path: Path) -> None:
    if shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    assert_same(seeded_bytes(build(tmp_path, CC="clang")))


@pytest.mark.long
def test_zig_builds_loops_that_come_to_the_same_bytes(tmp_path: Path) -> None:
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed")
    # Where no compiler is in sight it is zig that builds.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    assert_same(seeded_bytes(build(tmp_path, PATH=str(tmp_path / "bin"), CC="")))


@pytest.mark.long
def test_loops_that_check_their_bounds_come_to_the_same_bytes(tmp_path: Path) -> None:
    assert_same(seeded_bytes(build(tmp_path, ROSENBLATT_CHECKED="1")))
