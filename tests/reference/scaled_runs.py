"""Whole runs of the rules of `scaled`, epoch by epoch."""

import numpy as np

from . import binary, multiclass
from .scaled import Plain


def train_binary(X, signs, rule, *, epochs, fit_intercept, ties, weights=None):
    """As `binary.train`, with the plain weights as ``run.plain``."""
    plain = Plain(rule, 1, X.shape[1] + 1)
    run = binary.Run((np.zeros(X.shape[1]), 0.0), np.zeros(X.shape[1]), 0.0)
    for _ in range(epochs):
        run.mistakes.append(0)
        for i, y in enumerate(signs):
            run.seen += 1
            x = np.append(X[i], float(fit_intercept))
            weight = 1.0 if weights is None else float(weights[i])
            margin = float(y * (plain.W[0] @ x))
            if weight:
                mistaken = margin < 0 or (margin == 0 and (ties == "mistake" or y == -1))
                run.mistakes[-1] += int(mistaken)
                step = plain.learn(x, margin, weight, [(0, y)])
                if step:
                    run.updates.append(binary.Update(i, int(y), step, run.seen))
            run.snapshots.append((plain.W[0, :-1].copy(), float(plain.W[0, -1])))
    run.w, run.b = run.snapshots[-1]
    run.plain = plain
    return run


def train_classes(X, y, rule, *, n_classes, epochs, fit_intercept, ties, weights=None):
    """As `multiclass.train`, with the plain weights as ``run.plain``."""
    plain = Plain(rule, n_classes, X.shape[1] + 1)
    start = np.zeros((n_classes, X.shape[1])), np.zeros(n_classes)
    run = multiclass.Run(start, *start)
    for _ in range(epochs):
        run.mistakes.append(0)
        for i, right in enumerate(y.tolist()):
            run.seen += 1
            x = np.append(X[i], float(fit_intercept))
            weight = 1.0 if weights is None else float(weights[i])
            if weight:
                rival, margin, mistaken = multiclass.judge(plain.W @ x, right, ties)
                run.mistakes[-1] += int(mistaken)
                step = plain.learn(x, margin, weight, [(rival, -1), (right, 1)])
                if step:
                    run.updates.append(multiclass.Update(i, right, rival, step, run.seen))
            run.snapshots.append((plain.W[:, :-1].copy(), plain.W[:, -1].copy()))
    run.W, run.b = run.snapshots[-1]
    run.plain = plain
    return run
