"""Separability and the largest margin in fractions: small, slow and exact, in two ways.

`separable` asks a linear program; `squared_margin` walks to the nearest point of a hull (Wolfe).
"""

from fractions import Fraction

from reference.linear_program import maximum


def points(X, y, fit_intercept):
    """What must have a positive product with the weights: ``±(x, 1)``, or with three classes the
    rows of Kesler's construction. The second of two classes is the positive one."""
    classes = sorted(set(y))
    rows = [[Fraction(v) for v in x] + [Fraction(1)] * fit_intercept for x in X]
    if len(classes) == 2:
        return [
            [v if label == classes[1] else -v for v in x] for x, label in zip(rows, y, strict=True)
        ]
    stacked = []
    for x, label in zip(rows, y, strict=True):
        for wrong in classes:
            if wrong != label:
                signs = [(c == label) - (c == wrong) for c in classes]
                stacked.append([sign * v for sign in signs for v in x])
    return stacked


def separable(Z):
    """Whether some v has ``z·v > 0`` for every point: not if weights, not all of them 0, make them
    add up to 0 (Gordan). The largest sum of such weights, of at most 1, is 1 or 0."""
    columns = [list(column) for column in zip(*Z, strict=True)]
    # Lengths do not matter to the question; without them the numbers stay short.
    columns = [[v / max(map(abs, c)) for v in c] for c in columns if any(c)]
    A = columns + [[-v for v in c] for c in columns] + [[1] * len(Z)]
    return maximum([1] * len(Z), A, [0] * (len(A) - 1) + [1]) == 0


def differences(X, y):
    """All differences of a row of the second class and one of the first: twice the margin."""
    first = min(y)
    high = [x for x, label in zip(X, y, strict=True) if label != first]
    low = [x for x, label in zip(X, y, strict=True) if label == first]
    return [
        [Fraction(p) - Fraction(q) for p, q in zip(a, b, strict=True)] for a in high for b in low
    ]


def squared_margin(Z):
    """The squared length of the point of the hull nearest to 0: the largest ``min z·u``, squared,
    over u of length 1; 0 if there is no separator."""
    chosen, weights = [min(range(len(Z)), key=lambda i: _dot(Z[i], Z[i]))], [Fraction(1)]
    while True:
        point = _sum(weights, [Z[i] for i in chosen])
        length = _dot(point, point)
        products = [_dot(z, point) for z in Z]
        lowest = min(range(len(Z)), key=products.__getitem__)
        if products[lowest] >= length:
            return length
        chosen, weights = [*chosen, lowest], [*weights, Fraction(0)]
        while True:
            target = _nearest_weights([Z[i] for i in chosen])
            if all(t > 0 for t in target):
                weights = target
                break
            share = min(
                w / (w - t) for w, t in zip(weights, target, strict=True) if t <= 0 and w > t
            )
            weights = [w + share * (t - w) for w, t in zip(weights, target, strict=True)]
            stay = [k for k, w in enumerate(weights) if w > 0]
            chosen, weights = [chosen[k] for k in stay], [weights[k] for k in stay]


def _nearest_weights(P):
    """Weights of sum 1 of the point of the plane through P that is nearest to 0.

    The normal equations are ``(p_k - p_0)·(p_0 + Σ t_j (p_j - p_0)) = 0``."""
    base, *others = P
    D = [[a - b for a, b in zip(p, base, strict=True)] for p in others]
    table = [[_dot(a, b) for b in D] + [-_dot(a, base)] for a in D]
    t = _solve(table)
    return [1 - sum(t), *t]


def _solve(table):
    """Gauss and Jordan; the corral of Wolfe's method is always affinely independent."""
    n = len(table)
    for k in range(n):
        pivot = next(i for i in range(k, n) if table[i][k])
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [v / table[k][k] for v in table[k]]
        for i in range(n):
            if i != k and (factor := table[i][k]):
                table[i] = [a - factor * b for a, b in zip(table[i], table[k], strict=True)]
    return [row[-1] for row in table]


def _dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True) if p and q), start=Fraction(0))


def _sum(weights, P):
    return [
        sum((w * v for w, v in zip(weights, c, strict=True)), start=Fraction(0))
        for c in zip(*P, strict=True)
    ]
