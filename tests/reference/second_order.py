"""Rules that scale the step of each weight by a number of its own.

Variances (AROW, CW, SCW), diagonal: with the margin m and v = sum of S x^2 over the vectors that
move, a rule says (alpha, beta), and for each of these vectors

    w <- w + alpha y S x,   1/S <- 1/S + beta / (1 - beta v) x^2,   S = 1 at first,

which is the diagonal of the inverse of S - beta S x x^T S (Sherman and Morrison), before S is cut
down to its diagonal.

    AROW    m < 1:  beta = 1/(v + r), alpha = (1 - m) beta       (Crammer, Kulesza, Dredze 2009)
    SCW     m < phi sqrt(v):  alpha as below,                    (Wang, Zhao, Hoi 2012)
            u = ((sqrt(alpha^2 v^2 phi^2 + 4 v) - alpha v phi) / 2)^2,
            beta = alpha phi / (sqrt(u) + v alpha phi)

A weight c of a row makes r/c of r and c C of C; without a C (CW) it can only shorten a step.

AdaGrad (Duchi, Hazan, Singer 2011): for a gradient of length g

    G <- G + g^2 x^2,   w <- w + eta g y x / sqrt(G + 1e-12),   G = 0 at first.

With several classes the right one has y = +1 and the best wrong one -1; the soft rule takes each
wrong class in turn, with its probability for g.
"""

from collections.abc import Callable
from math import exp, inf, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from . import binary, multiclass


def arow(m, v, c, *, r):
    beta = 1 / (v + r / c)
    return ((1 - m) * beta, beta) if m < 1 else (0.0, 0.0)


def scw(m, v, c, *, eta, C=inf, squared=False):
    phi = NormalDist().inv_cdf(eta)
    psi, zeta, n = 1 + phi**2 / 2, 1 + phi**2, v + 1 / (2 * C * c)
    if m >= phi * sqrt(v):
        return 0.0, 0.0
    if squared:
        root = phi * sqrt(phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2))
        alpha = (-(2 * m * n + phi**2 * m * v) + root) / (2 * (n**2 + n * v * phi**2))
    else:
        alpha = (-m * psi + sqrt(m**2 * phi**4 / 4 + v * phi**2 * zeta)) / (v * zeta)
        alpha = min(1, c) * alpha if inf == C else min(C * c, alpha)
    u = ((sqrt(alpha**2 * v**2 * phi**2 + 4 * v) - alpha * v * phi) / 2) ** 2
    return alpha, alpha * phi / (sqrt(u) + v * alpha * phi)


class Variances(NamedTuple):
    step: Callable[..., tuple[float, float]]


class AdaGrad(NamedTuple):
    eta: float
    threshold: float | None = None  # None: the soft rule
    raise_only_on_tie: bool = False

    def gradient(self, margin, mistaken):
        if self.threshold is None:
            return 1 / (1 + exp(margin))
        return float(mistaken or (self.threshold > 0 and margin <= self.threshold))


class Rates:
    """The matrix of weights with the bias in its last column, and the numbers beside them."""

    def __init__(self, rule, n_vectors, n_features):
        self.rule, self.W = rule, np.zeros((n_vectors, n_features))
        self.S = np.full(self.W.shape, 1.0 if isinstance(rule, Variances) else 0.0)

    def move(self, x, margin, mistaken, weight, moves):
        """Move the vectors by their signs; the step, or 0."""
        if isinstance(self.rule, AdaGrad):
            return self.descend(x, weight * self.rule.gradient(margin, mistaken), moves)
        v = sum(float(self.S[c] @ x**2) for c, _ in moves)
        alpha, beta = self.rule.step(margin, v, weight) if v else (0.0, 0.0)
        for c, sign in moves if alpha else ():
            self.W[c] += alpha * sign * self.S[c] * x
            self.S[c] = 1 / (1 / self.S[c] + beta / (1 - beta * v) * x**2)
        return alpha

    def descend(self, x, gradient, moves):
        for c, sign in moves:
            self.S[c] += gradient**2 * x**2
            self.W[c] += self.rule.eta * gradient * sign * x / np.sqrt(self.S[c] + 1e-12)
        return self.rule.eta * gradient


def train_binary(X, signs, rule, *, epochs, fit_intercept, ties, weights=None):
    table = np.column_stack([X, np.full(len(X), float(fit_intercept))])
    state = Rates(rule, 1, table.shape[1])
    run = binary.Run(start=(np.zeros(X.shape[1]), 0.0), w=np.zeros(0), b=0.0)
    for _ in range(epochs):
        mistakes = 0
        for i, (x, y) in enumerate(zip(table, signs, strict=True)):
            run.seen += 1
            weight = 1.0 if weights is None else float(weights[i])
            margin = float(y * (state.W[0] @ x))
            mistaken = margin < 0 or (margin == 0 and (ties == "mistake" or y == -1))
            if weight:
                mistakes += mistaken
                if step := state.move(x, margin, mistaken, weight, [(0, y)]):
                    run.updates.append(binary.Update(i, int(y), step, run.seen))
            run.snapshots.append((state.W[0, :-1].copy(), float(state.W[0, -1])))
        run.mistakes.append(int(mistakes))
    run.w, run.b = run.snapshots[-1]
    return run


def train_classes(X, y, rule, *, n_classes, epochs, fit_intercept, ties, weights=None):
    table = np.column_stack([X, np.full(len(X), float(fit_intercept))])
    state = Rates(rule, n_classes, table.shape[1])
    nothing = np.zeros((n_classes, X.shape[1])), np.zeros(n_classes)
    run = multiclass.Run(nothing, *nothing)
    soft = isinstance(rule, AdaGrad) and rule.threshold is None
    for _ in range(epochs):
        mistakes = 0
        for i, (x, right) in enumerate(zip(table, y.tolist(), strict=True)):
            run.seen += 1
            weight = 1.0 if weights is None else float(weights[i])
            scores = state.W @ x
            rival, margin, mistaken = multiclass.judge(scores, right, ties)
            mistakes += mistaken and weight > 0
            found = []
            if weight and soft:
                shares = multiclass.softmax(scores) * weight
                for c in (c for c in range(n_classes) if c != right):
                    found.append((c, state.descend(x, float(shares[c]), [(c, -1), (right, 1)])))
            elif weight:
                alone = margin == 0 and ties == "mistake" and getattr(rule, "raise_only_on_tie", 0)
                moves = [(right, 1)] if alone else [(rival, -1), (right, 1)]
                step = state.move(x, margin, mistaken, weight, moves)
                found.append((-1 if alone else rival, step))
            for wrong, step in found:
                if step:
                    run.updates.append(multiclass.Update(i, right, wrong, step, run.seen))
            run.snapshots.append((state.W[:, :-1].copy(), state.W[:, -1].copy()))
        run.mistakes.append(int(mistakes))
    run.W, run.b = run.snapshots[-1]
    return run
