"""The rules of the house that no linter reads."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.estimators.catalogue import CATALOGUE

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "rosenblatt"
HEAVY = ("sklearn", "scipy", "matplotlib", "pandas", "click", "rich")


def modules_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_numpy_at_most() -> None:
    loaded = modules_after("import rosenblatt")
    assert not loaded & set(HEAVY)
    ours = {name for name in loaded if name.startswith("rosenblatt.")}
    assert ours == {"rosenblatt.lazy", "rosenblatt.estimators", "rosenblatt.estimators.catalogue"}


# What a learner needs to look at text, at files, at other packages and at threads alone.
LATER = {
    *("base64", "concurrent.futures", "hashlib", "html", "importlib.metadata", "json", "logging"),
    *("msgspec", "numpy.ma", "numpy.random", "pickletools", "random", "statistics", "threading"),
    *(
        "zlib",
        "rosenblatt.inspection.explanation",
        "rosenblatt.persistence",
        "rosenblatt.tables.features",
        "rosenblatt.tables.readers.reader",
    ),
}


def test_the_learners_load_numpy_and_little_else() -> None:
    names = ", ".join(entry.class_name for entry in CATALOGUE)
    loaded = modules_after(f"from rosenblatt import {names}")
    assert not (loaded - modules_after("import numpy")) & LATER


@pytest.mark.parametrize("name", ["Perceptron", "KernelPerceptron", "SequenceTagger"])
def test_a_learner_loads_but_the_modules_that_it_learns_with(name: str) -> None:
    ours = [one for one in modules_after(f"from rosenblatt import {name}") if "rosenblatt" in one]
    assert len(ours) <= 70


def test_what_is_saved_and_loaded_needs_few_modules() -> None:
    loaded = modules_after("from rosenblatt import load, save") - modules_after("import numpy")
    assert not loaded & {"secrets", "pickletools", "random", "rosenblatt.tables.readers.reader"}


ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))


def modules_of(room: str) -> list[str]:
    """Names of all modules of a room."""
    files = [path.relative_to(SOURCE) for path in (SOURCE / room).rglob("*.py")]
    names = [
        ".".join(("rosenblatt", *path.with_suffix("").parts)).removesuffix(".__init__")
        for path in files
    ]
    return sorted(names)


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_loads_without_scikit_learn(room: str) -> None:
    if room == "studio":
        pytest.importorskip("starlette")
        pytest.importorskip("anywidget")
    loaded = modules_after(f"import {', '.join(modules_of(room))}")
    assert not loaded & {"sklearn", "scipy", "matplotlib", "rich"}


def test_public_names_are_all_there_and_nothing_else_is_promised() -> None:
    for name in rosenblatt.__all__:
        assert getattr(rosenblatt, name) is not None
    shown = [name for name in dir(rosenblatt) if not name.startswith("__")]
    assert shown == sorted(rosenblatt.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Percepton'"):
        _ = rosenblatt.Percepton  # type: ignore[attr-defined]


def sources(*suffixes: str) -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in suffixes)


def test_the_engine_imports_nothing_of_ours_but_itself() -> None:
    files = sources(".pyx", ".pxd", ".pyi", ".h")
    assert files
    for file in files:
        text = file.read_text()
        for name in re.findall(r"(?:from|import|cimport)\s+(rosenblatt[\w.]*)", text):
            assert name.startswith("rosenblatt.engine"), f"{file.name} imports {name}"
        up = re.search(r"from\s+\.\.|#include\s+\"\.\./", text)
        assert up is None, f"{file.name} leaves its folder: {up[0] if up else ''}"


def test_compiled_code_is_in_the_engine_alone() -> None:
    for file in sources(".pyx", ".pxd", ".h"):
        assert file.relative_to(SOURCE).parts[0] == "engine", file


def test_stubs_name_what_the_engine_has() -> None:
    import importlib

    stubs = [path.relative_to(SOURCE) for path in sources(".pyi")]
    kernels = [path.relative_to(SOURCE) for path in sources(".pyx")]
    assert [stub.with_suffix("") for stub in stubs] == [path.with_suffix("") for path in kernels]
    for stub in stubs:
        module = importlib.import_module(".".join(("rosenblatt", *stub.with_suffix("").parts)))
        for name in re.findall(r"^(?:class|def) (\w+)", (SOURCE / stub).read_text(), re.MULTILINE):
            assert hasattr(module, name), f"{stub} names {name}"


# Where a fit with ``verbose`` tells how far it is, on standard error.
PROGRESS = "estimators/progress.py"


def printing(source: str) -> list[str]:
    """The calls in a module by which something is printed."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    found = [ast.unparse(call) for call in calls]
    return [
        call for call in found if re.match(r"print\(|(sys\.)?std(out|err)\.write|click\.", call)
    ]


def test_the_command_line_and_progress_alone_print() -> None:
    for file in sources(".py"):
        name = file.relative_to(SOURCE).as_posix()
        if not name.startswith("cli/") and name != PROGRESS:
            assert printing(file.read_text()) == [], name
    for file in sources(".pyx", ".pxd", ".h"):
        assert not re.search(r"\bf?printf?\s*\(", file.read_text()), file


def test_progress_goes_to_standard_error() -> None:
    calls = printing((SOURCE / PROGRESS).read_text())
    assert calls
    assert all("file=sys.stderr" in call for call in calls)


# Of Python ruff measures the lines. A tab is two columns wide.
LONGEST_LINE = {".h": 110, ".js": 100, ".pxd": 110, ".pyx": 110}
WRITTEN = {".css", ".h", ".html", ".js", ".pxd", ".py", ".pyi", ".pyx"}
MADE = {".c", ".pyc", ".pyd", ".so"}  # by a build in place
DATA = SOURCE / "datasets" / "data"


def written_files() -> list[Path]:
    return [
        path
        for path in sorted(SOURCE.rglob("*"))
        if path.is_file() and path.suffix not in MADE and not path.is_relative_to(DATA)
    ]


def test_every_kind_of_file_is_measured() -> None:
    unknown = {path.suffix for path in written_files() if path.name != "py.typed"} - WRITTEN
    assert not unknown


def test_no_line_is_longer_than_it_should_be() -> None:
    for file in sources(*LONGEST_LINE):
        most = LONGEST_LINE[file.suffix]
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            width = len(line.expandtabs(2))
            assert width <= most, f"{file}:{number} has {width} characters"


def rooms_on_the_page() -> list[str]:
    """The first column of the table in ARCHITECTURE.md."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    return re.findall(r"^\| `([\w/.]+)` \|", text, re.MULTILINE)


def test_the_rooms_of_architecture_are_the_folders_and_files() -> None:
    folders = [f"{room}/" for room in ROOMS]
    files = [path.name for path in SOURCE.glob("*.py")]
    assert sorted(rooms_on_the_page()) == sorted(folders + files)


def test_the_rooms_of_architecture_stand_in_the_order_of_the_import_contract() -> None:
    """A room takes from rooms above it in the table, which are below it in the contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (c["layers"] for c in contracts["contracts"] if c["type"] == "layers")
    depth = {
        name.strip().removeprefix("rosenblatt."): place
        for place, layer in enumerate(layers)
        for name in layer.split("|")
    }
    rooms = [name.rstrip("/").removesuffix(".py") for name in rooms_on_the_page()]
    rooms = [room for room in rooms if room not in ("__init__", "__main__")]
    assert set(rooms) == set(depth)
    assert [depth[room] for room in rooms] == sorted((depth[r] for r in rooms), reverse=True)


def calls_in(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def test_only_one_file_runs_epochs() -> None:
    """models/epochs.py alone counts epochs up to ``max_iter`` and hands a trainer an order."""
    loops, learns = set(), set()
    for file in sources(".py"):
        for call in calls_in(ast.parse(file.read_text("utf-8"))):
            text = ast.unparse(call)
            if re.match(r"range\(.*(max_iter|epochs)\b", text):
                loops.add(file.relative_to(SOURCE).as_posix())
            if re.search(r"trainer\.learn\(", text):
                learns.add(file.relative_to(SOURCE).as_posix())
    assert loops == learns == {"models/epochs.py"}


def test_only_one_list_has_the_reasons_to_stop() -> None:
    from rosenblatt.models.result import STOP_REASONS

    reasons = set(STOP_REASONS) - {"early_stopping", "max_iter"}  # these are parameters too
    holders = set()
    for file in sources(".py"):
        for statement in ast.parse(file.read_text("utf-8")).body:
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                words = {n.value for n in ast.walk(statement.value) if isinstance(n, ast.Constant)}
                if len(words & reasons) > 1:
                    holders.add(file.relative_to(SOURCE).as_posix())
    assert holders == {"models/result.py"}


# ---------------------------------------------------------------------- what the shell may do


def imported(tree: ast.AST) -> set[str]:
    """Modules that code imports, with the names taken from them; types alone do not count."""
    names: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        names |= imported(node)
    return names


def called(tree: ast.AST) -> set[str]:
    """Names of the functions and methods that code calls."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {call.attr if isinstance(call, ast.Attribute) else ast.unparse(call) for call in calls}


def shell() -> dict[str, ast.Module]:
    """The modules of the command line by name."""
    files = sorted((SOURCE / "cli").rglob("*.py"))
    return {
        file.relative_to(SOURCE / "cli").as_posix(): ast.parse(file.read_text()) for file in files
    }


def test_click_is_known_to_the_command_line_alone() -> None:
    for file in sources(".py"):
        if "cli" not in file.relative_to(SOURCE).parts:
            names = imported(ast.parse(file.read_text()))
            assert not [name for name in names if name.split(".")[0] == "click"], file


# Words for the reason to stop, a way to ask for it, and templates of features given as text.
FROM_MODELS = {
    "rosenblatt.models.result.stop_text",
    "rosenblatt.models.result.stopping_when",
    "rosenblatt.models.templates.TemplateError",
    "rosenblatt.models.templates.Templates",
}


def test_the_command_line_takes_no_loops_and_nothing_that_learns_or_scores() -> None:
    for name, tree in shell().items():
        taken = {one for one in imported(tree) if one.startswith("rosenblatt.models.")}
        assert taken <= FROM_MODELS, name
        assert not [one for one in imported(tree) if one.startswith("rosenblatt.engine")], name


LEARNING = {"fit", "partial_fit", "learn_one", "predict_then_learn", "insert_features", "grow"}
# Who trains does so by the learner's own method.
TRAINS = {
    "verbs/train.py": {"fit", "partial_fit", "insert_features", "grow"},
    "verbs/stream.py": {"predict_then_learn"},
    "verbs/demo.py": {"fit"},
    "tag/tag_train.py": {"fit", "partial_fit"},
    "plot/plot_pictures.py": {"fit"},
    "data/training_data.py": {"grow"},
    "verbs/convert.py": {"grow"},
}


def test_who_trains_in_the_shell_asks_the_learner_and_nobody_else_does() -> None:
    found = {name: called(tree) & LEARNING for name, tree in shell().items()}
    assert {name: calls for name, calls in found.items() if calls} == TRAINS


ENCODING = {
    "AssociationLayer",
    "Category",
    "NGramCounter",
    "Number",
    "Schema",
    "SparseRows",
    "SparseSchema",
    "TextFeatures",
    "TextSchema",
    "Words",
    "from_entries",
    "one_hot",
    "__post_init__",
}
SCORING = {"coef_", "intercept_", "raw_coef_", "raw_intercept_", "dual_coef_"}


def test_the_shell_makes_no_features_and_weighs_none() -> None:
    for name, tree in shell().items():
        assert not called(tree) & ENCODING, name
        read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} & SCORING
        assert not read or name == "data/models.py", f"{name} reads {read}"
        products = [
            node for node in ast.walk(tree) if isinstance(getattr(node, "op", None), ast.MatMult)
        ]
        assert not products, name
