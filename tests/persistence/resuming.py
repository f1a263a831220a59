"""Runs of all families that are interrupted: the first part here, the second in another process.

As a program, ``python resuming.py FOLDER``, it finishes every run from its file, and predicts from
files without scikit-learn.
"""

import sys
import warnings
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from functools import partial

from strategies import LEARNERS, csr, floats

from persistence.kernel_samples import BUDGETS, EARLY, fit, rows
from persistence.samples import as_mapping
from persistence.tagger_samples import FORMS
from rosenblatt import KernelPerceptron, SequenceTagger, load, save
from rosenblatt.persistence import disk

N, EPOCHS = 24, 5


# ---------------------------------------------------------------------- linear

LINEAR = {
    "batches": range(1, N, 3),
    "batches of two classes": range(1, N, 5),
    "batches, sparse, recorded": range(1, N, 5),
    "batches, float32": range(1, N, 5),
    "one by one": range(1, N, 5),
    "one by one, recorded": range(2, N, 7),
    "mappings": range(1, N, 3),
    "mappings, recorded": range(2, N, 7),
    "epochs": range(1, EPOCHS),
    "epochs of two classes, sparse": range(1, EPOCHS),
    "epochs, recorded": range(1, EPOCHS),
    "epochs, early": range(1, EPOCHS),
}


def linear_learner(name, kind):
    options = {"record": "recorded" in kind}
    if kind.startswith("epochs"):
        options |= {"warm_start": True, "tol": None}
    if "early" in kind:
        options |= {"early_stopping": True, "validation_fraction": 0.3}
    return LEARNERS[name](**options)


def learned(learner, kind, first, last):
    """Learn from the rows (or, of epochs, as many epochs) from ``first`` to ``last``."""
    # Those of a stream bring new classes as they come.
    d, n_classes = 8 if "mappings" in kind else 4, 2 if "two" in kind else 4
    X, y = floats(11, n=N, d=d, n_classes=n_classes)
    table = csr(X) if "sparse" in kind else X.astype("f4") if "float32" in kind else X
    if kind.startswith("epochs"):
        return learner.set_params(max_iter=last - first).fit(table, y)
    if kind.startswith("batches"):
        return learner.partial_fit(table[first:last], y[first:last])
    for x, label in zip(X[first:last], y[first:last], strict=True):
        learner.learn_one(as_mapping(x) if "mappings" in kind else x, label)
    return learner


def end_of(kind):
    return EPOCHS if kind.startswith("epochs") else N


# ---------------------------------------------------------------------- kernel

KERNEL = ("batches", "new classes", "one by one", "epochs", "epochs, early", "wide", "float32")


def kernel_begun(policy, kind):
    options = BUDGETS[policy] | {"kernel": "rbf", "multiclass": "argmax" if "w" in kind else "ovr"}
    k = 2 if kind == "new classes" else 3
    if kind.startswith("epochs"):
        return fit(n_classes=k, warm_start=True, **options, **(EARLY if "early" in kind else {}))
    form = "csr_array" if kind == "wide" else "float32" if kind == "float32" else "dense"
    return KernelPerceptron(**options).partial_fit(*rows(1, form, k))


def kernel_finished(kind, learner):
    if kind.startswith("epochs"):
        return learner.fit(*rows(2, n_classes=4))
    if kind == "one by one":
        for x, label in zip(*rows(2, n_classes=4), strict=True):
            learner.learn_one(x, label)
        return learner
    return learner.partial_fit(*rows(2, "csr_array" if kind == "wide" else "dense", 4))


# ---------------------------------------------------------------------- tags

TAGS = {
    "plain": {},
    "order 2": {"order": 2},
    "beam": {"search": "beam", "beam": 3},
    "mira": {"rule": "mira", "C": 0.3},
    "recorded, last weights": {"record": True, "averaged": False},
    "dictionary": {"tag_dictionary": 2},
}


def tags_begun(form, option, cut):
    """Cut after so many epochs; 0 stands for a stream."""
    tagger = SequenceTagger(warm_start=True, **TAGS[option])
    if cut:
        return tagger.set_params(max_iter=cut).fit(*FORMS[form](1, 40))
    return tagger.partial_fit(*FORMS[form](1, 40))


def tags_finished(form, cut, tagger):
    if cut:
        return tagger.set_params(max_iter=EPOCHS - cut).fit(*FORMS[form](1, 40))
    return tagger.partial_fit(*FORMS[form](2, 8, ["Q", "A", "P"]))


# ---------------------------------------------------------------------- all runs


def runs():
    """For each run how it is begun and how it goes on, by name."""
    found = {}
    for name in LEARNERS:
        for kind, cuts in LINEAR.items():
            for cut in cuts:
                found[f"linear: {name}, {kind}, {cut}"] = (
                    lambda name=name, kind=kind, cut=cut: learned(
                        linear_learner(name, kind), kind, 0, cut
                    ),
                    lambda learner, kind=kind, cut=cut: learned(learner, kind, cut, end_of(kind)),
                )
    for policy in BUDGETS:
        for kind in KERNEL:
            begun = partial(kernel_begun, policy, kind)
            found[f"kernel: {policy}, {kind}"] = begun, partial(kernel_finished, kind)
    for form in FORMS:
        for option in TAGS:
            for cut in range(EPOCHS) if (form, option) != ("mappings", "dictionary") else ():
                begun = partial(tags_begun, form, option, cut)
                found[f"tags: {form}, {option}, {cut}"] = begun, partial(tags_finished, form, cut)
    return found


def main(folder):
    warnings.simplefilter("ignore")
    disk.os.fsync = lambda file: None
    for number, (_, finish) in enumerate(runs().values()):
        save(finish(load(folder / f"{number}.rbt")), folder / f"{number}.done")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
