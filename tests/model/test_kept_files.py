"""Files of the present format stay readable: some of each family are kept in ``files/``."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import hstack
from strategies import csr, integers

from model.families import assert_same
from model.forging import opened
from model.samples import same, stream_of_mappings
from model.tagger_samples import questions
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    SequenceTagger,
    SoftPerceptron,
    VotedPerceptron,
    load,
    save,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FILES = Path(__file__).parent / "files"
SENTENCES = [["the", "dog", "runs"], ["dogs", "run"], ["a", "run"], ["the", "Runs", "run"]]
TAGS = [["DET", "NOUN", "VERB"], ["NOUN", "VERB"], ["DET", "NOUN"], ["DET", "NOUN", "VERB"]]


def wide(X):
    """Sparse, and with so many columns that it stays so."""
    empty = csr(np.zeros((len(X), 2000)))
    return hstack([empty, csr(X)], format="csr")


def made():
    """What was saved, by file; the rows are whole numbers, so that no sum is rounded."""
    X, y = integers(5, n=12, n_classes=3)
    words = np.array(["left", "right", "up"])[y]
    options = {"max_iter": 3, "tol": None}
    return {
        "format5-averaged": AveragedPerceptron(**options).fit(X, words, validation_set=(X, words)),
        "format5-voted": VotedPerceptron(**options).fit(csr(X), words),
        "format5-mappings": stream_of_mappings(AveragedPerceptron(record=True), X, words.tolist()),
        "format5-kernel": KernelPerceptron(degree=2, gamma=1.0, multiclass="argmax", **options).fit(
            X, words, validation_set=(X, words)
        ),
        "format5-budget": KernelPerceptron(
            degree=2, gamma=1.0, combine="last", budget=5, forget="smallest", **options
        ).fit(X, words, validation_set=(X, words)),
        "format5-stream": KernelPerceptron(kernel="linear").partial_fit(wide(X), words),
        "format5-soft": SoftPerceptron(class_weight={"left": 2.0}, **options).fit(
            X.astype(np.float32), words
        ),
        "format5-tagger": SequenceTagger(
            order=2,
            record=True,
            tag_dictionary=2,
            constraints={None: ["DET", "NOUN"], "DET": {"NOUN", "VERB"}},
            max_iter=3,
        ).fit(SENTENCES, TAGS, validation_set=(SENTENCES, TAGS)),
        "format5-tags": SequenceTagger(rule="mira", templates=["w[0].suffix(2)|pos[-1]", "w[0]"])
        .partial_fit([[(w, w[:1], w[-1:]) for w in x] for x in SENTENCES], TAGS)
        .partial_fit([[("Süß", "S", "ß")]], [["ADJ"]]),
        "format5-tokens": SequenceTagger(search="beam", beam=2, averaged=False).partial_fit(
            [[{"word": w, "letters": len(w)} for w in x] for x in SENTENCES], TAGS
        ),
    }


def test_all_that_is_kept_is_looked_at():
    assert {path.stem for path in FILES.glob("format5-*.rbt")} == set(made())


@pytest.mark.parametrize("name", sorted(path.stem for path in FILES.glob("format5-*.rbt")))
def test_a_file_that_was_kept_gives_the_same_learner(name):
    old, new = load(FILES / f"{name}.rbt"), made()[name]
    assert_same(old, new)
    if isinstance(new, SequenceTagger):
        assert old.predict(questions(new)) == new.predict(questions(new))


@pytest.mark.parametrize("name", sorted(path.stem for path in FILES.glob("format5-*.rbt")))
def test_the_present_format_does_not_change_by_accident(name, tmp_path):
    """Should it have to: a field more or less is a new format, with a number of its own."""
    save(load(FILES / f"{name}.rbt"), tmp_path / f"{name}.rbt")
    (new, new_arrays), (old, old_arrays) = (
        opened((folder / f"{name}.rbt").read_bytes()) for folder in (tmp_path, FILES)
    )
    for card in (new, old):
        del card["version"], card["sha256"]
    # A parameter that is younger than the file belongs to the learner, not to the format.
    defaults = {name: o.default for name, o in type(load(FILES / f"{name}.rbt")).options().items()}
    for added in new["parameters"].keys() - old["parameters"].keys():
        assert new["parameters"].pop(added) == defaults[added]
    assert same(new, old)
    assert same(new_arrays, old_arrays)
