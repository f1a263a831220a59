"""The rules of the house that no linter reads."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt

PACKAGE = Path(rosenblatt.__file__).parent
SOURCE = Path(__file__).parent.parent / "src" / "rosenblatt"
HEAVY = ("sklearn", "scipy", "matplotlib", "pandas", "click", "rich")


def modules_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_numpy_at_most() -> None:
    loaded = modules_after("import rosenblatt")
    assert not loaded & set(HEAVY)
    assert not {name for name in loaded if name.startswith("rosenblatt.")}


@pytest.mark.parametrize(
    "statement",
    [
        "import rosenblatt.core.training",
        "import rosenblatt.core.ledger",
        "import rosenblatt.losses",
        "import rosenblatt.theory",
        "import rosenblatt.geometry",
        "import rosenblatt.datasets",
        "import rosenblatt.io, rosenblatt.io.svmlight",
        "import rosenblatt.kernel.machine",
        "import rosenblatt.model",
        "import rosenblatt.estimator.inputs, rosenblatt.estimator.targets",
        "import rosenblatt.cli, rosenblatt.cli.demo",
    ],
)
def test_all_but_the_estimators_load_without_scikit_learn(statement: str) -> None:
    assert not modules_after(statement) & {"sklearn", "scipy", "matplotlib", "rich"}


def test_public_names_are_all_there_and_nothing_else_is_promised() -> None:
    for name in rosenblatt.__all__:
        assert getattr(rosenblatt, name) is not None
    assert set(rosenblatt.__all__) <= set(dir(rosenblatt))
    with pytest.raises(AttributeError, match="no attribute 'Percepton'"):
        _ = rosenblatt.Percepton  # type: ignore[attr-defined]


def test_kernels_import_nothing_of_ours_but_kernels() -> None:
    files = sorted(SOURCE.glob("_kernels/*.p[yx][xd]"))
    assert files
    for file in files:
        for name in re.findall(r"(?:from|import|cimport)\s+(rosenblatt[\w.]*)", file.read_text()):
            assert name.startswith("rosenblatt._kernels"), f"{file.name} imports {name}"


def test_stubs_name_what_the_kernels_have() -> None:
    import importlib

    stubs = sorted(PACKAGE.glob("_kernels/*.pyi"))
    assert {stub.stem for stub in stubs} == {file.stem for file in SOURCE.glob("_kernels/*.pyx")}
    for stub in stubs:
        module = importlib.import_module(f"rosenblatt._kernels.{stub.stem}")
        for name in re.findall(r"^(?:class|def) (\w+)", stub.read_text(), re.MULTILINE):
            assert hasattr(module, name), f"{stub.name} names {name}"


def test_the_command_line_and_progress_alone_print() -> None:
    allowed = {"progress.py"}
    for file in SOURCE.rglob("*.py"):
        if file.parent.name != "cli" and file.name not in allowed:
            assert not re.search(r"^\s*print\(", file.read_text(), re.MULTILINE), file


def test_no_file_is_longer_than_it_should_be() -> None:
    for file in SOURCE.rglob("*.py*"):
        if file.suffix in {".py", ".pyx"}:
            assert len(file.read_text().splitlines()) <= 400, file
