"""Kernel machines in all the states in which they can be saved."""

import numpy as np
import pandas as pd
import scipy.sparse as sp
from strategies import floats

from rosenblatt import KernelPerceptron

WIDE = 1100  # sparse rows of so many features stay sparse
FEW = {"max_iter": 4, "tol": None}
EARLY = {"early_stopping": True, "validation_fraction": 0.3, "n_iter_no_change": 2}
BUDGETS = {
    "all": {},
    "projection": {"budget": 7, "forget": "projection"},
    "oldest": {"budget": 7, "forget": "oldest", "combine": "last"},
    "random": {"budget": 7, "forget": "random", "combine": "last"},
    "smallest": {"budget": 7, "forget": "smallest", "combine": "last"},
}
FORMS = ("dense", "float32", "narrow", "csr_matrix", "csr_array")


def rows(seed, form="dense", n_classes=2, n=40):
    """Rows and labels; the wide ones are the same numbers in columns far apart."""
    X, y = floats(seed, n=n, n_classes=n_classes)
    if form == "float32":
        return X.astype(np.float32), y
    if form == "narrow":
        return sp.csr_array(X), y
    if form.startswith("csr"):
        wide = np.zeros((n, WIDE))
        wide[:, [3, 500, 501, WIDE - 1]] = X
        return getattr(sp, form)(wide), y
    return X, y


def gram(seed, n_classes=2, n=40):
    X, y = floats(seed, n=n, n_classes=n_classes)
    return (X @ X.T + 1.0) ** 2, y


def fit(form="dense", n_classes=2, **options):
    return KernelPerceptron(**{**FEW, **options}).fit(*rows(7, form, n_classes))


def stream(n_classes=2, **options):
    learner = KernelPerceptron(**options)
    for x, label in zip(*rows(7, n_classes=n_classes), strict=True):
        learner.learn_one(x, label)
    return learner


STATES = {
    "all": lambda k: fit(n_classes=k),
    "all, argmax": lambda k: fit(n_classes=k, multiclass="argmax", kernel="rbf"),
    "all, calibrated": lambda k: fit(n_classes=k, calibrate=True),
    "all, weights": lambda k: KernelPerceptron(**FEW, class_weight={0: 0.25}).fit(
        *rows(7, n_classes=k), sample_weight=np.arange(40) % 3
    ),
    "all, early": lambda k: fit(n_classes=k, **EARLY),
    "all, wide": lambda k: fit("csr_matrix", k),
    "all, vote": lambda k: fit("float32", k, combine="vote"),
    "stream": lambda k: stream(k, multiclass="argmax", combine="vote"),
    "one class": lambda k: KernelPerceptron().partial_fit([[1.0, 2.0]], ["only"]),
    "precomputed": lambda k: KernelPerceptron(kernel="precomputed", **FEW).fit(*gram(7, k)),
    "precomputed, early": lambda k: KernelPerceptron(
        kernel="precomputed", **FEW, **EARLY, **BUDGETS["random"]
    ).fit(*gram(7, k)),
    "projection": lambda k: fit(n_classes=k, kernel="rbf", **BUDGETS["projection"]),
    "projection, weights": lambda k: KernelPerceptron(
        kernel="rbf", **BUDGETS["projection"]
    ).partial_fit(*rows(7, n_classes=k), sample_weight=np.arange(40) / 10),
    "projection, early": lambda k: fit(n_classes=k, **BUDGETS["projection"], **EARLY),
    "oldest, wide": lambda k: fit("csr_array", k, **BUDGETS["oldest"]),
    "random, stream": lambda k: stream(k, **BUDGETS["random"]),
    "smallest, early": lambda k: fit(n_classes=k, **BUDGETS["smallest"], **EARLY),
    "random, wide, early": lambda k: fit("csr_array", k, **BUDGETS["random"], **EARLY),
    "frame": lambda k: KernelPerceptron(**FEW).fit(
        pd.DataFrame(rows(7)[0], columns=list("wxyz")), np.array(["no", "yes"])[rows(7)[1]]
    ),
    "budget of one class": lambda k: KernelPerceptron(budget=3).partial_fit([[1.0, 2.0]], [4]),
}
