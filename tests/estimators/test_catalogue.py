"""There is one list of learners, and everything that names them reads it."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

import rosenblatt
from rosenblatt.errors import MissingExtra
from rosenblatt.estimators import catalogue
from rosenblatt.estimators.catalogue import CATALOGUE, entries, entry_of, find

every_entry = pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)


def test_names_are_read_without_importing_a_learner():
    code = (
        "import sys; from rosenblatt.estimators.catalogue import entries, find; list(entries()); "
        "find('mira'); "
        "print([m for m in sys.modules if m in ('numpy', 'sklearn') or 'rosenblatt.linear' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@every_entry
def test_every_row_leads_to_a_public_class(entry):
    learner = entry.load()
    assert getattr(rosenblatt, entry.class_name) is learner
    assert entry.class_name in rosenblatt.__all__
    assert entry_of(learner) is entry
    assert find(entry.name) is entry
    assert find(entry.class_name.upper()) is entry
    assert entry.title


def test_no_learner_is_public_that_is_not_in_the_list():
    classes = {
        name
        for name in rosenblatt.__all__
        if inspect.isclass(getattr(rosenblatt, name)) and hasattr(getattr(rosenblatt, name), "fit")
    }
    # `distribute` trains a learner on shards; it is none itself.
    assert classes - {"distribute"} == {entry.class_name for entry in CATALOGUE}


def test_type_checkers_see_the_learners_that_the_list_has():
    tree = ast.parse(Path(catalogue.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {f"{node.module}:{node.names[0].asname}" for node in block.body}
    assert seen == {entry.import_path for entry in CATALOGUE}


def test_a_class_derived_from_a_learner_has_no_entry():
    class Mine(rosenblatt.Perceptron):
        """A perceptron of mine."""

    assert entry_of(Mine) is None


def test_names_are_unique():
    names = [entry.name for entry in entries()] + [entry.class_name for entry in entries()]
    assert len(set(names)) == len(names)
    assert find("nobody") is None


def test_what_does_not_load_is_an_error_that_names_the_package_it_comes_from() -> None:
    foreign = CATALOGUE[0]._replace(name="foreign", import_path="no_such_package:None")
    with pytest.raises(MissingExtra, match=r"'foreign' \(no_such_package.* does not load"):
        foreign.load()
    with (
        patch("rosenblatt.estimators.catalogue.import_module", side_effect=ImportError("broken")),
        pytest.raises(ImportError, match=r"^broken$"),
    ):
        CATALOGUE[0].load()
