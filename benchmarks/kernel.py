"""The kernel perceptron beside the products it is made of, beside NumPy, and with a budget.

python benchmarks/kernel.py [--quick] [--only WORD] [--json FILE]

"Products" are the matrix products that an epoch or an answer cannot do without, in the blocks of
the library and nothing else: no kernel is taken of them, no row is judged. Three peers in NumPy
learn the same epoch; all score a block by one product and walk it in a Python loop. "Textbook" is
what a good user of NumPy writes in an evening: ten perceptrons, one for each digit, each with
support rows of its own, in float64, as pixels / 255 come out. They walk through the blocks together
and share the kernel within a block. It has the bar. Two more are shown without one: "separate"
trains one digit after the other, so that the kernel within the blocks is taken ten times, and
"tuned" has float32 rows and one set of support rows for all digits, as ours.

With a budget, "the first alone" learns until the budget is used up and nothing after that: what a
rule must do better than. Accuracy is that on rows never trained on: the last 4,000 of the
letters, and a fifth of the bananas drawn with a fixed seed. The kernel is rbf on standardised
features; gamma is the best of a few in cross-validation on rows of training. Accuracy and time are
medians of three orders of the rows: the last function of a run is a matter of luck.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import statistics
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import memory
import numpy as np
import numpy.typing as npt
import workloads
from report import Row
from running import Benchmarks, run
from timing import interleaved, quietly, seconds

from rosenblatt import KernelPerceptron

Array = npt.NDArray[Any]

BLOCK, TILE = 256, 2048
DIGITS = 10
EPOCHS, SEEDS = 5, (0, 1, 2)
# The bananas need few rows: only a small budget tells the rules apart.
BUDGETS = (("letter", 1000), ("bananas", 1000), ("bananas", 100))
POLICIES = ("projection", "oldest", "random", "smallest")
GAMMAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
# How much the peaks of two processes that do the same may differ.
SAME_MB = 5.0


def _digits_model() -> KernelPerceptron:
    return KernelPerceptron(degree=2, gamma=1.0, max_iter=1, shuffle=False)


# ---------------------------------------------------------------------- an epoch


def epoch(n: int, repeats: int) -> list[Row]:
    """One epoch of degree 2 on digits, its products alone, and two ways to write it in NumPy."""
    X, y = (part[:n] for part in workloads.mnist("train"))
    model = quietly(lambda: _digits_model().fit(X, y))
    wide = X.astype(np.float64)
    n_support = {"textbook": 0, "separate": 0, "tuned": 0}

    def peer(name: str, act: Callable[[], int]) -> None:
        n_support[name] = act()

    times = interleaved(
        repeats,
        ours=seconds(lambda: _digits_model().fit(X, y)),
        products=seconds(lambda: _products_of_an_epoch(X, model.support_, model.dual_coef_)),
        textbook=seconds(lambda: peer("textbook", lambda: len(textbook(wide, y)))),
        separate=seconds(lambda: peer("separate", lambda: separate(wide, y))),
        tuned=seconds(lambda: peer("tuned", lambda: tuned(X, y))),
    )
    # The same algorithm: rounding may decide a few rows.
    for name, found in n_support.items():
        assert abs(found / len(model.support_) - 1) < 0.01, (name, found, len(model.support_))
    name = f"epoch of d = 2, {n:,} digits"
    note = f"{len(model.support_):,} support rows"
    return [
        Row(f"{name} / products", times["ours"], times["products"], most_of_limit=2.0, note=note),
        Row(f"{name} / NumPy, textbook", times["ours"], peer=times["textbook"], least_of_peer=3.0),
        Row(f"{name} / NumPy, separate", times["ours"], peer=times["separate"]),
        Row(f"{name} / NumPy, tuned", times["ours"], peer=times["tuned"]),
    ]


def ten_epochs(n: int, repeats: int) -> list[Row]:
    """Ten epochs: ours keeps the scores of all rows from one to the next."""
    X, y = (part[:n] for part in workloads.mnist("train"))
    wide = X.astype(np.float64)
    model = _digits_model().set_params(max_iter=10)
    times = interleaved(
        repeats,
        ours=seconds(lambda: model.fit(X, y)),
        peer=seconds(lambda: textbook(wide, y, epochs=10)),
    )
    note = f"{len(model.support_):,} support rows"
    return [Row(f"10 epochs, {n:,} digits / NumPy, textbook", **times, note=note)]


def _products_of_an_epoch(X: Array, support: Array, coef: Array) -> None:
    """The support rows so far times each block, that times the coefficients, and within a block."""
    rows, coef = X[support], coef.astype(X.dtype)
    known = np.searchsorted(support, np.arange(0, len(X) + BLOCK, BLOCK))
    for first, before, after in zip(range(0, len(X), BLOCK), known, known[1:], strict=False):
        block = X[first : first + BLOCK]
        for tile in range(0, before, TILE):
            part = slice(tile, min(tile + TILE, before))
            coef[:, part] @ (rows[part] @ block.T)
        rows[before:after] @ block.T


def textbook(X: Array, y: Array, digits: range = range(DIGITS), epochs: int = 1) -> set[int]:
    """Perceptrons, each with its own support rows; which rows any of them keeps."""
    kept = {digit: np.empty_like(X) for digit in digits}  # memory is taken as it is written to
    alpha = {digit: np.zeros(len(X)) for digit in digits}
    slots: dict[int, dict[int, int]] = {digit: {} for digit in digits}
    for first in [*range(0, len(X), BLOCK)] * epochs:
        block = X[first : first + BLOCK]
        among = (1.0 + block @ block.T) ** 2
        for digit in digits:
            n = len(slots[digit])
            scores = (1.0 + block @ kept[digit][:n].T) ** 2 @ alpha[digit][:n]
            signs = np.where(y[first : first + BLOCK] == digit, 1.0, -1.0)
            for i in range(len(block)):
                if signs[i] * scores[i] <= 0.0:
                    slot = slots[digit].setdefault(first + i, len(slots[digit]))
                    kept[digit][slot] = block[i]
                    alpha[digit][slot] += signs[i]
                    scores += signs[i] * among[i]
    return set().union(*slots.values())


def separate(X: Array, y: Array) -> int:
    """The same, one digit after the other; how many rows any of them keeps."""
    return len(set().union(*(textbook(X, y, range(c, c + 1)) for c in range(DIGITS))))


def tuned(X: Array, y: Array) -> int:
    """Ten perceptrons that share their support rows; how many rows they keep."""
    kept, n = np.empty_like(X), 0
    alpha = np.zeros((len(X), DIGITS), X.dtype)
    for first in range(0, len(X), BLOCK):
        block = X[first : first + BLOCK]
        among = (1 + block @ block.T) ** 2
        scores = (1 + block @ kept[:n].T) ** 2 @ alpha[:n]
        signs = np.where(y[first : first + BLOCK, None] == np.arange(DIGITS), 1, -1).astype(X.dtype)
        for i in range(len(block)):
            wrong = signs[i] * scores[i] <= 0
            if wrong.any():
                step = signs[i] * wrong
                kept[n], alpha[n] = block[i], step
                n += 1
                scores += among[i][:, None] * step
    return n


# ---------------------------------------------------------------------- answers


def answers(n: int, n_queries: int, repeats: int) -> list[Row]:
    """Answers in three ways beside the support rows times the queries."""
    X, y = (part[:n] for part in workloads.mnist("train"))
    queries = workloads.mnist("t10k").X[:n_queries]
    model = quietly(lambda: _digits_model().fit(X, y))
    support = model.support_vectors_
    # Votes need the products of all support rows at once, so that their blocks are narrower.
    few = max(1, min(BLOCK, 4 * TILE * BLOCK // len(support)))

    def ask(combine: str) -> Any:
        return model.set_params(combine=combine).predict(queries)

    times = interleaved(
        repeats,
        tiles=seconds(lambda: _products_of_answers(support, queries, TILE, BLOCK)),
        whole=seconds(lambda: _products_of_answers(support, queries, len(support), few)),
        **{combine: seconds(partial(ask, combine)) for combine in ("vote", "average", "last")},
    )
    name = f"{len(queries):,} answers, {len(support):,} support rows"
    limits = {"vote": "whole", "average": "tiles", "last": "tiles"}
    return [
        Row(f"{combine}: {name}", times[combine], times[limit], most_of_limit=1.5)
        for combine, limit in limits.items()
    ]


def _products_of_answers(support: Array, queries: Array, tile: int, block: int) -> None:
    for first in range(0, len(queries), block):
        part = queries[first : first + block]
        for start in range(0, len(support), tile):
            support[start : start + tile] @ part.T


# ---------------------------------------------------------------------- budgets


def budgets(name: str, budget: int, n: int | None) -> list[Row]:
    """Accuracy and time of every rule of forgetting, of no budget, and of the first rows alone."""
    train, test = SPLITS[name](n)
    gamma = _best_gamma(*train)
    title, rows = f"{name}, budget {budget:,}", []
    settings = {"kernel": "rbf", "gamma": gamma, "max_iter": EPOCHS, "combine": "last"}
    for forget in ("no budget", *POLICIES):
        limit = {} if forget == "no budget" else {"budget": budget, "forget": forget}
        runs: dict[str, list[float]] = {}
        for seed in SEEDS:
            model = KernelPerceptron(**settings, **limit, random_state=seed)
            runs.setdefault("ms", []).append(1000 * seconds(partial(model.fit, *train))())
            runs.setdefault("support rows", []).append(len(model.support_))
            runs.setdefault("last", []).append(model.score(*test))
            if not limit:
                first = _right_by_first(model, budget, *test)
                runs.setdefault(f"the first {budget:,} alone", []).append(first)
            if not limit or forget == "projection":  # the others do not know their average
                average = model.set_params(combine="average").score(*test)
                runs.setdefault("average", []).append(average)
        medians = {what: statistics.median(values) for what, values in runs.items()}
        took, n_support = medians.pop("ms"), medians.pop("support rows")
        right = ", ".join(f"{what} {value:.4f}" for what, value in medians.items())
        note = f"{n_support:,} support rows; right: {right}; gamma {gamma:g}"
        rows.append(Row(f"{title}: {forget}", took, note=note))
    return rows


def _right_by_first(model: KernelPerceptron, budget: int, X: Array, y: Array) -> float:
    """The share that the last state is right on of which one more row would break the budget."""
    from sklearn.metrics.pairwise import rbf_kernel

    ledger = model.ledger_
    joined = np.sort(np.unique(ledger.entries.row, return_index=True)[1])
    coef = ledger.coefficients(upto=joined[budget] if len(joined) > budget else None)
    scores = coef @ rbf_kernel(model.support_vectors_, X, gamma=model.gamma)
    found = scores.argmax(axis=0) if len(scores) > 1 else (scores[0] > 0).astype(int)
    return float(np.mean(np.array(ledger.classes)[found] == y))


def _best_gamma(X: Array, y: Array) -> float:
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    # A part is enough to see which gamma is right.
    X, y = X[:4000], y[:4000]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(
        KernelPerceptron(kernel="rbf", max_iter=EPOCHS), {"gamma": GAMMAS}, cv=folds
    )
    quietly(lambda: search.fit(X, y))
    return float(search.best_params_["gamma"])


def _letters(n: int | None) -> tuple[workloads.Data, workloads.Data]:
    X, y = workloads.letter()
    return _standardised(X, y, np.arange(16_000)[:n], np.arange(16_000, 20_000))


def _bananas(n: int | None) -> tuple[workloads.Data, workloads.Data]:
    X, y = workloads.bananas()
    order = np.random.default_rng(workloads.SEED).permutation(len(y))
    a_fifth = len(y) // 5
    return _standardised(X, y, order[a_fifth:][:n], order[:a_fifth])


def _standardised(
    X: Array, y: Array, train: Array, test: Array
) -> tuple[workloads.Data, workloads.Data]:
    centre, spread = X[train].mean(axis=0), X[train].std(axis=0)
    X = (X - centre) / spread
    return workloads.Data(X[train], y[train]), workloads.Data(X[test], y[test])


SPLITS = {"letter": _letters, "bananas": _bananas}


def flat(n: int) -> list[Row]:
    """How much more memory a stream four times as long takes, each in a process of its own."""
    rows = []
    for forget in (*POLICIES, "nothing"):
        short, long = (_peak_of_stream(forget, length) for length in (n, 4 * n))
        rows.append(
            Row(
                f"MB more for {4 * n:,} rows than {n:,}: {forget}",
                long - short,
                most=None if forget == "nothing" else SAME_MB,
                note=f"peaks {short:.1f} and {long:.1f} MB",
            )
        )
    return rows


def _peak_of_stream(forget: str, n: int) -> float:
    command = [sys.executable, __file__, "--stream", forget, str(n)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def _stream(forget: str, n: int) -> float:
    """Learn rows that are made as they are learned from, then answer; the peak in MB."""
    budget = {} if forget == "nothing" else {"budget": 1000, "forget": forget}
    model = KernelPerceptron(kernel="rbf", combine="last", **budget)
    rng = np.random.default_rng(workloads.SEED)
    u = rng.standard_normal(100)
    for _ in range(0, n, 1000):
        X = rng.standard_normal((1000, 100))
        y = X @ u + 5 * rng.standard_normal(1000) > 0
        model.partial_fit(X, y)
        model.learn_one(X[0], y[0])
    model.predict(X)
    return memory._peak() / 1e6


def _benchmarks(n: int, n_queries: int, n_budget: int | None, n_stream: int) -> Benchmarks:
    return {
        "epoch": partial(epoch, n, 3),
        "ten passes": partial(ten_epochs, n // 6, 3),
        "answers": partial(answers, n, n_queries, 3),
        **{f"budgets {name} {b}": partial(budgets, name, b, n_budget) for name, b in BUDGETS},
        "flat memory": partial(flat, n_stream),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--stream"]:
        print(_stream(sys.argv[2], int(sys.argv[3])))
    else:
        packages = ["numpy", "scikit-learn"]
        quick = _benchmarks(10_000, 2_000, 2_000, 10_000)
        run(_benchmarks(60_000, 10_000, None, 20_000), __doc__, packages, quick=quick)
