"""Docstrings in the source are what `help` shows: `tools/docstrings.py` keeps them complete."""

from __future__ import annotations

import importlib.util
import inspect
import os
from pathlib import Path
from typing import Any

import pytest

from rosenblatt import AveragedPerceptron, Perceptron
from rosenblatt.linear import option

TOOL = Path(__file__).parents[1] / "tools" / "docstrings.py"


@pytest.fixture(scope="module")
def tool() -> Any:
    spec = importlib.util.spec_from_file_location("docstrings_of_learners", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Patient(Perceptron):
    """Wait before each step.

    Attributes
    ----------
    stop_reason_ : str
        An old text.
    waited_ : int
        Rows waited for.

    Examples
    --------
    >>> "\\n"
    """

    patience: int = option(default=3, at_least=1, help="Rows to wait.")


def test_the_docstrings_of_all_learners_and_transformers_are_complete_and_current(
    tool: Any,
) -> None:
    names = [name for _, _, changed in tool.outdated() for name in changed]
    assert not names, f"run {tool.COMMAND}"


def test_every_public_learner_and_transformer_is_looked_at(tool: Any) -> None:
    names = {cls.__name__ for cls in tool.public_classes()}
    assert {"Perceptron", "AutoLinear", "KernelPerceptron", "SequenceTagger"} <= names
    assert {"LinearLearner", "StructuredPerceptron", "TextFeatures", "TableFeatures"} <= names


def test_parameters_come_from_the_options_and_inherited_attributes_from_the_bases(
    tool: Any,
) -> None:
    text = tool.completed(Patient, inspect.getdoc(Patient))
    opening, parameters = text.split("\n\nParameters\n----------\n")
    parameters, attributes = parameters.split("\n\nAttributes\n----------\n")
    assert opening == "Wait before each step."
    assert parameters.startswith("patience : int, default=3\n    Rows to wait.\neta0 : float, ")
    assert "An old text." not in attributes
    assert attributes.index("stop_reason_ : str") < attributes.index("waited_ : int")
    assert text.endswith('Examples\n--------\n>>> "\\n"\n')


def test_only_the_docstring_of_the_class_changes_and_escapes_stay_as_they_are_written(
    tool: Any,
) -> None:
    source = Path(__file__).read_text("utf-8")
    completed = tool.with_completed_docstring(source, Patient)
    assert tool.with_completed_docstring(completed, Patient) == completed
    before, after = source.split('    """Wait before', 1)[0], source.split('>>> "', 1)[1]
    assert completed.startswith(before)
    assert completed.endswith(after)


def test_an_attribute_that_a_learner_describes_in_its_own_words_is_kept(tool: Any) -> None:
    entry = tool.own_attributes(AveragedPerceptron)["coef_"]
    assert entry.endswith("    Mean weights.\n")
    for name, attributes in tool.OWN_WORDS.items():
        cls = next(cls for cls in tool.public_classes() if cls.__name__ == name)
        inherited = tool.inherited_attributes(cls)
        own = tool.own_attributes(cls)
        assert all(own[attribute] != inherited[attribute] for attribute in attributes)


def test_a_changed_option_is_reported_with_the_command_to_run(
    tool: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "outdated", lambda: iter([(Path(os.devnull), "", ["MIRA"])]))
    assert tool.main([]) == 1
    assert "MIRA. Run python tools/docstrings.py --write" in capsys.readouterr().err
