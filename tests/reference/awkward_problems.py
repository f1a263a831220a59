"""Random labelled rows that make trouble for floats: for checks against exact arithmetic."""

import numpy as np

KINDS = (
    *("whole", "floats", "columns", "rows", "collinear"),
    *("one ulp", "touching", "duplicates", "shifted"),
)


def problem(seed):
    """Rows, labels of two or three classes, whether there is a bias, and the kind of the rows.

    The labels follow planes, those of some problems with a wrong one, or nothing at all.
    """
    random = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n_classes = 3 if random.random() < 0.3 else 2
    d = int(random.integers(1, 4 if n_classes == 3 else 5))
    n = int(random.integers(n_classes, 9 if n_classes == 3 else 13))
    X = random.standard_normal((n, d))
    if kind in ("whole", "collinear", "duplicates") or random.random() < 0.3:
        X = random.integers(-4, 5, (n, d)).astype(float)
    fit_intercept = bool(random.integers(2))
    y = _labels(random, X, n_classes, fit_intercept)
    if kind == "columns":
        X = X * 10.0 ** random.uniform(-12, 12, d)
    elif kind == "rows":
        X = X * 10.0 ** random.uniform(-12, 12, (n, 1))
    elif kind == "collinear":
        X = np.outer(random.integers(-6, 7, n), X[0]) + random.integers(0, 2, d)
    elif kind == "one ulp":
        for i in range(2, n):
            X[i] = _between(random, X, *random.integers(0, i, 2))
        X *= 10.0 ** random.integers(-12, 13, d) if random.random() < 0.5 else 1.0
    elif kind == "touching":  # a row of one class between two of another
        last = np.flatnonzero(y != y[0])[-1]
        X[last] = _between(random, X, *random.choice(np.flatnonzero(y == y[0]), 2))
        X *= 10.0 ** random.integers(-12, 13, d) if random.random() < 0.5 else 1.0
    elif kind == "duplicates":
        X = X[random.integers(0, n, n)]
        if random.random() < 0.7:  # twins agree, or there would be nothing to find out
            y = _labels(random, X, n_classes, fit_intercept)
    elif kind == "shifted":
        X = X + 10.0 ** random.uniform(0, 12, d)
    return X, y, fit_intercept, kind


def _between(random, X, a, b):
    """A mean of two rows as float arithmetic rounds it, or one step beside."""
    share = random.choice([0.5, random.random()])
    row = share * X[a] + (1 - share) * X[b]
    column = random.integers(len(row))
    if random.random() < 0.7:
        row[column] = np.nextafter(row[column], random.choice([-np.inf, np.inf]))
    return row


def _labels(random, X, n_classes, fit_intercept):
    weights = random.integers(-2, 3, (n_classes, X.shape[1])) + 0.1 * random.standard_normal()
    scores = X @ weights.T + fit_intercept * random.integers(-1, 2, n_classes)
    y = scores.argmax(axis=1)
    way = random.random()
    if way < 0.15:
        y = random.integers(0, n_classes, len(X))
    elif way < 0.45:
        y[random.integers(0, len(X))] = random.integers(0, n_classes)
    y[:n_classes] = random.permutation(n_classes) if len(set(y)) < n_classes else y[:n_classes]
    return y


def extreme_problem(seed):
    """A few rows whose numbers differ in size as much as floats can, labels, and whether there is
    a bias."""
    random = np.random.default_rng(seed)
    n_classes = int(random.choice([2, 2, 3]))
    n, d = int(random.integers(n_classes, 9)), int(random.integers(1, 5))
    low, high = [(-300, 149), (-17, 16), (-150, 149), (-300, -200), (-60, 60)][seed % 5]
    X = random.standard_normal((n, d))
    if random.random() >= 0.5:
        X = random.integers(-4, 5, (n, d)).astype(float)
    way = random.integers(4)
    if way < 3:  # by entry, by column or by row
        X = X * 10.0 ** random.uniform(low, high, [(n, d), (1, d), (n, 1)][way])
    else:
        sizes = 10.0 ** random.uniform(low, high, (n, d))
        X = np.where(random.random((n, d)) < 0.5, X * sizes, X)
    y = random.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    return np.clip(X, -9e149, 9e149), y, bool(random.integers(2))
