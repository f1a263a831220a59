"""A learner of another package, as CONTRIBUTING tells how to write one, is a learner like ours."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text() if (ROOT / "CONTRIBUTING.md").exists() else ""


def block(language: str, holding: str) -> str:
    """The block of code in the guide that holds a text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    return next(text for text in blocks if holding in text)


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """A folder as pip would leave it: a module, and the entry point in the metadata beside it."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "half_perceptron.py").write_text(block("python", "class Half(LinearLearner)"))
    toml = block("toml", "rosenblatt.learners")
    facts = folder / "half_perceptron-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: half-perceptron\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(
        re.sub(r'\[project\.entry-points\."(.*)"\]', r"[\1]", toml).replace('"', "")
    )
    return folder


@pytest.fixture(scope="module")
def troubled(package: Path, tmp_path_factory) -> Path:
    """The package, one that names its class where it is imported to, and one that does not load."""
    folder = tmp_path_factory.mktemp("troubled")
    (folder / "half_perceptron.py").write_text((package / "half_perceptron.py").read_text())
    (folder / "front.py").write_text("from half_perceptron import Half\n")
    (folder / "broken.py").write_text("import a_module_that_nobody_has\n")
    facts = folder / "front-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: front\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(
        "[rosenblatt.learners]\nhalf = front:Half\nbroken = broken:Broken\n"
        "perceptron = front:Half\n"
    )
    return folder


def run(package: Path, *command: object, **options: object) -> subprocess.CompletedProcess[str]:
    paths = [str(package), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        **options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


DATA = "a,b,kind\n" + "".join(f"{i % 7 - 3},{i % 5 - 2},{'xy'[i % 7 > 3]}\n" for i in range(60))


def test_it_fits_saves_and_loads(package, tmp_path):
    code = f"""if True:
        import numpy as np, rosenblatt
        from half_perceptron import Half
        X = np.array([[1.0, 2.0], [3.0, -1.0], [-2.0, 0.5], [0.5, 1.0]])
        learner = Half(share=0.25, max_iter=7, record=True).partial_fit(X, ["p", "q", "r", "p"])
        rosenblatt.save(learner, {str(tmp_path / "half.rbt")!r})
        copy = rosenblatt.load({str(tmp_path / "half.rbt")!r})
        assert type(copy) is Half and copy.share == 0.25
        assert copy.coef_.tobytes() == learner.coef_.tobytes()
        learner.partial_fit(X, ["p", "q", "r", "p"]); copy.partial_fit(X, ["p", "q", "r", "p"])
        assert copy.coef_.tobytes() == learner.coef_.tobytes()
        assert np.allclose(copy.ledger_.replay(np.vstack([X, X]))[0], copy._model.weights.matrix)
    """
    run(package, "-c", code)
    # Without the package nothing is imported on the word of the file.
    code = f"import rosenblatt; rosenblatt.load({str(tmp_path / 'half.rbt')!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "the learner 'Half' is not known" in done.stderr
    assert "needs that package" in done.stderr


def test_a_step_goes_a_share_of_the_way(package):
    code = """if True:
        from half_perceptron import Half
        learner = Half(share=0.5, fit_intercept=False)
        learner.partial_fit([[3.0, 4.0]], ["yes"], classes=["no", "yes"])
        print(learner.coef_.tolist(), learner.decision_function([[3.0, 4.0]]).tolist())
    """
    assert run(package, "-c", code).stdout == "[[0.06, 0.08]] [0.5]\n"


def test_the_shell_trains_it_by_name_with_its_own_option(package, tmp_path):
    (tmp_path / "data.csv").write_text(DATA)
    shell = ("-m", "rosenblatt")
    help_ = run(package, *shell, "train", "--learner", "half", "--help", cwd=tmp_path).stdout
    assert "--share NUMBER" in help_
    listed = " ".join(help_.partition("--learner NAME")[2].partition("--")[0].split())
    assert "half" in listed
    options = ("--learner", "half", "--share", "0.25", "--epochs", "5")
    done = run(package, *shell, "train", "data.csv", *options, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["learner"] == "Half"
    shown = json.loads(run(package, *shell, "show", "data.rbt", "--json", cwd=tmp_path).stdout)
    assert shown["parameters"] == {"max_iter": 5, "share": 0.25}
    predicted = run(package, *shell, "predict", "data.rbt", "data.csv", cwd=tmp_path).stdout
    assert len(predicted.split()) == 60
    streamed = run(package, *shell, "stream", "data.csv", *options[:4], cwd=tmp_path).stdout
    assert "half: " in streamed


def test_the_studio_has_a_control_for_its_parameter_and_runs_it(package):
    code = """if True:
        import json
        from rosenblatt.studio import Session
        session = Session()
        start = session.ask("start", {})
        half = next(learner for learner in start["learners"] if learner["kind"] == "half")
        learner = {"kind": "half", "share": 0.25}
        run = session.ask("run", {"data": {"preset": "six"}, "learners": [learner]})["runs"][0]
        print(json.dumps([half, run["learner"], run["title"]]))
    """
    half, learner, title = json.loads(run(package, "-c", code).stdout)
    share = next(field for field in half["fields"] if field["name"] == "share")
    assert (share["kind"], share["default"], share["above"]) == ("number", 0.5, 0)
    assert learner["share"] == 0.25
    assert title == "Half (share 0.25)"


def test_a_class_may_be_named_where_it_is_imported_to(troubled, tmp_path):
    (tmp_path / "data.csv").write_text(DATA)
    shell = ("-m", "rosenblatt")
    for verb in ("train", "stream"):
        run(troubled, *shell, verb, "data.csv", "--learner", "half", "-o", "m.rbt", cwd=tmp_path)
    assert run(troubled, *shell, "predict", "m.rbt", "data.csv", cwd=tmp_path).stdout


def test_a_package_that_does_not_load_harms_nobody_else(troubled):
    code = """if True:
        import warnings
        from rosenblatt.estimators.catalogue import find
        from rosenblatt.studio import Session
        assert find("perceptron").class_name == "Perceptron"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            start = Session().ask("start", {})
        print([learner["kind"] for learner in start["learners"]][-1], caught[0].message)
    """
    done = run(troubled, "-c", code)
    assert "half" in done.stdout
    assert "broken:Broken does not load and is left out" in done.stdout


@pytest.mark.slow
def test_it_passes_the_suites_that_every_linear_learner_passes(package):
    suites = [
        ROOT / "tests" / name
        for name in (
            "estimators/linear/test_equivalences.py",
            "estimators/linear/test_ledger.py",
            "estimators/linear/test_online.py",
            "estimators/linear/test_refusal.py",
            "estimators/linear/test_sklearn.py",
            "persistence/test_round_trips.py",
        )
    ]
    done = run(package, "-m", "pytest", "-q", "-n", "0", "-k", "half or Half", *suites, cwd=ROOT)
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) > 100


def test_a_parameter_named_as_an_option_of_the_shell_is_refused_in_one_sentence(
    package: Path, tmp_path: Path
) -> None:
    module = (package / "half_perceptron.py").read_text()
    for name in ("half_perceptron.py", "half_perceptron-1.0.dist-info"):
        assert (package / name).exists()
    folder = tmp_path / "site"
    shutil.copytree(package, folder)
    (folder / "half_perceptron.py").write_text(re.sub(r"\bshare\b", "target", module))
    (tmp_path / "rows.csv").write_text(DATA)
    program = "from rosenblatt.cli import main; main()"
    command = ["train", str(tmp_path / "rows.csv"), "--learner", "half"]
    done = subprocess.run(
        [sys.executable, "-c", program, *command],
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert "half has a parameter for which --target would stand" in done.stderr
    assert "Traceback" not in done.stderr
