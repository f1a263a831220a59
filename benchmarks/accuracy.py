"""AutoLinear as it comes beside tuned linear peers: errors on test parts, and time.

python benchmarks/accuracy.py [--only SET] [--peers LR,SVC]

Peers are scikit-learn's LogisticRegression, LinearSVC, averaged SGD and passive-aggressive learner,
and Vowpal Wabbit if it is installed. Each has three settings, of which the best on the held-out
rows that AutoLinear also chooses by is fitted again on all rows. Arrays are scaled for the peers;
of texts they get scikit-learn's tf-idf of words and pairs of words, and LinearSVC also our
features. Differences are in points, ours less the peer's, ± a paired standard error: over the
splits where there are several, else over the test rows. Times are those of the processor, of one
thread each, so that their ratios do not depend on what else the machine does.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from accuracy_sets import SETS, TEXTS, Part
from report import Skipped
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

from rosenblatt import AutoLinear
from rosenblatt.estimators.selection import splits

SGD = partial(SGDClassifier, average=True, max_iter=50, random_state=0)
PA = partial(SGD, penalty=None, learning_rate="pa1")
PEERS: dict[str, list[Callable[[], Any]]] = {
    "LR": [partial(LogisticRegression, C=C, max_iter=300) for C in (0.1, 1.0, 10.0)],
    "SVC": [partial(LinearSVC, C=C, random_state=0) for C in (0.01, 0.1, 1.0)],
    "SGD": [partial(SGD, alpha=alpha) for alpha in (1e-5, 1e-4, 1e-3)],
    "PA": [partial(PA, eta0=C) for C in (0.001, 0.01, 0.1)],
}
OF_TEXT = {"SVC": [partial(LinearSVC, C=C, random_state=0) for C in (0.1, 1.0, 10.0)]}
OF_TEXT |= {"SGD": [partial(SGD, alpha=alpha) for alpha in (1e-6, 1e-5, 1e-4)]}
OF_TEXT |= {"PA": [partial(PA, eta0=C) for C in (0.01, 0.1, 1.0)]}
OF_TEXT |= {"LR": [partial(LogisticRegression, C=C, max_iter=300) for C in (1.0, 10.0, 100.0)]}


class VowpalWabbit:
    """Vowpal Wabbit by files, as it comes but for loss, passes and rate."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __repr__(self) -> str:
        return f"VowpalWabbit({self.rate})"

    def fit(self, X: Any, y: Any) -> VowpalWabbit:
        self.folder = tempfile.TemporaryDirectory()
        self.classes, numbers = np.unique(y, return_inverse=True)
        k = len(self.classes)
        kind = ["--oaa", str(k)] if k > 2 else ["--binary"]
        self.labels = numbers + 1 if k > 2 else 2 * numbers - 1
        order = np.random.default_rng(0).permutation(len(y))
        self._write(X[order], self.labels[order], "train")
        passes = "10" if len(y) < 20_000 else "4"
        self._run(
            *(
                "-d",
                "train",
                "-c",
                "-k",
                "--passes",
                passes,
                "--holdout_off",
                "-b",
                "22",
                "-f",
                "m",
            ),
            *("-l", str(self.rate), "--loss_function", "logistic", *kind),
        )
        return self

    def predict(self, X: Any) -> Any:
        self._write(X, np.zeros(X.shape[0], int), "test")
        self._run("-t", "-i", "m", "-d", "test", "-p", "found")
        found = np.loadtxt(Path(self.folder.name) / "found").astype(int)
        return self.classes[found - 1 if len(self.classes) > 2 else (found + 1) // 2]

    def _run(self, *arguments: str) -> None:
        import vowpalwabbit

        here = [
            str(Path(self.folder.name) / word) if word in ("train", "test", "m", "found") else word
            for word in arguments
        ]
        vowpalwabbit.Workspace(arg_list=["--quiet", *here]).finish()

    def _write(self, X: Any, labels: Any, name: str) -> None:
        with open(Path(self.folder.name) / name, "w") as file:
            for row, label in enumerate(labels):
                if hasattr(X, "indptr"):
                    part = slice(X.indptr[row], X.indptr[row + 1])
                    pairs = zip(X.indices[part], X.data[part], strict=True)
                else:
                    pairs = enumerate(X[row])
                values = " ".join(f"{j}:{value:.6g}" for j, value in pairs if value)
                file.write(f"{label or ''} |f {values}\n")


@dataclass
class Outcome:
    """What a learner did on each test part, on the held-out rows, and how long it took."""

    wrong: list[Any] = field(default_factory=list)
    held_out: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    one_fit: list[float] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)

    @property
    def error(self) -> float:
        return 100 * float(np.mean([wrong.mean() for wrong in self.wrong]))

    def less(self, other: Outcome) -> tuple[float, float]:
        """The difference of the errors, in points, and its standard error."""
        rows = [a.astype(float) - b for a, b in zip(self.wrong, other.wrong, strict=True)]
        means = 100 * np.array([row.mean() for row in rows])
        if len(rows) > 1:
            return float(means.mean()), float(means.std(ddof=1) / len(rows) ** 0.5)
        return float(means[0]), float(100 * rows[0].std(ddof=1) / len(rows[0]) ** 0.5)


def timed(act: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = act()
    return time.process_time() - start, found


def tuned(
    settings: list[Any], rows: Any, train: Part, held: Any
) -> tuple[Any, float, float, float]:
    """The best of some settings, fitted on all rows; its held-out error, and times."""
    start, rates = time.process_time(), []
    for make in settings:
        wrong = [
            make().fit(rows[part.learned], train.y[part.learned]).predict(rows[part.held])
            != train.y[part.held]
            for part in held
        ]
        rates.append(float(np.mean(np.concatenate(wrong))))
    best = int(np.argmin(rates))
    took, model = timed(lambda: settings[best]().fit(rows, train.y))
    return model, rates[best], time.process_time() - start, took


def measure(name: str, wanted: list[str]) -> dict[str, Outcome]:
    """Every learner on every split of a set; of the peers those that are wanted, or all."""
    found: dict[str, Outcome] = {}
    peers = OF_TEXT | {"SVC, ours": OF_TEXT["SVC"]} if name in TEXTS else PEERS
    if find_spec("vowpalwabbit") is not None:
        peers = peers | {"VW": [partial(VowpalWabbit, rate) for rate in (0.1, 0.5, 2.0)]}
    for train, test in SETS[name]():
        labels = np.unique(train.y, return_inverse=True)[1].astype(np.int32)
        held = splits(np.zeros((len(labels), 1)), labels, None, 0)

        def add(who: str, model: Any, rows: Any, seconds: float, *more: float) -> None:
            outcome = found.setdefault(who, Outcome())
            outcome.wrong.append(np.asarray(model.predict(rows)) != test.y)  # noqa: B023
            outcome.seconds.append(seconds)
            rate = 100 * outcome.wrong[-1].mean()
            print(f"  {who} {rate:.2f} %, {seconds:.1f} s: {model}", flush=True)
            for values, value in zip((outcome.held_out, outcome.one_fit), more, strict=False):
                values.append(value)
            if hasattr(model, "predict_proba"):
                shares = model.predict_proba(rows)
                outcome.loss.append(log_loss(test.y, shares, labels=model.classes_))  # noqa: B023

        took, auto = timed(lambda: AutoLinear().fit(train.ours, train.y))  # noqa: B023
        add("auto", auto.best_learner_, test.ours, took)
        took, plain = timed(lambda: AutoLinear(search=False).fit(train.ours, train.y))  # noqa: B023
        add("no search", plain, test.ours, took)
        for peer in wanted or peers:
            rows, test_rows = (
                part.ours if peer == "SVC, ours" else part.peers for part in (train, test)
            )
            model, error, seconds, one_fit = tuned(peers[peer], rows, train, held)
            add(peer, model, test_rows, seconds, error, one_fit)
    return found


def lines(name: str, found: dict[str, Outcome]) -> tuple[list[str], dict[str, float]]:
    """What a set came to, in words, and the figures that all sets are judged by."""
    ours, lr = found["auto"], found.get("LR", Outcome([], [], [np.nan], [np.nan], [np.nan]))
    peers = {who: o for who, o in found.items() if o.held_out and who != "SVC, ours"}
    n = len(ours.wrong)
    # The peer that the same held-out rows choose, split by split.
    chosen = Outcome(
        [
            min(peers.values(), key=lambda o, i=i: o.held_out[i]).wrong[i]  # type: ignore[misc]
            for i in range(n)
        ]
    )
    best = min(peers, key=lambda who: peers[who].error)
    by_held_out, hindsight = ours.less(chosen), ours.less(peers[best])
    figures = {
        "by held-out": by_held_out[0],
        "beyond": hindsight[0] - 0.3 - 2 * hindsight[1],
        "search time": sum(ours.seconds) / sum(lr.seconds),
        "fit time": sum(found["no search"].seconds) / sum(lr.one_fit),
        "log loss": float(np.mean(ours.loss) / np.mean(lr.loss)),
    }
    text = [f"{name} ({n} split{'s' * (n > 1)}): error %"]
    text += ["  " + ", ".join(f"{who} {outcome.error:.2f}" for who, outcome in found.items())]
    text += [
        f"  to the peer by held-out rows {by_held_out[0]:+.2f} ± {by_held_out[1]:.2f}; to the best "
        f"in hindsight ({best}) {hindsight[0]:+.2f} ± {hindsight[1]:.2f}"
    ]
    if "SVC, ours" in found:
        same = ours.less(found["SVC, ours"])
        text += [f"  to SVC on our features {same[0]:+.2f} ± {same[1]:.2f}"]
    text += [
        f"  time: search {figures['search time']:.2f} × LR's, no search "
        f"{figures['fit time']:.2f} × one fit of LR; log loss {figures['log loss']:.3f} × LR's"
    ]
    return text, figures


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="SET", default="", help="sets with this in the name")
    parser.add_argument("--peers", default="", help="names of peers, with commas; else all")
    only, named = vars(parser.parse_args()).values()
    wanted = [peer for peer in named.split(",") if peer]
    warnings.simplefilter("ignore")
    figures = {}
    for name in (name for name in SETS if only in name):
        try:
            text, figures[name] = lines(name, measure(name, wanted))
        except Skipped as reason:
            text = [f"{name}: skipped, {reason}"]
        print("\n".join(text), flush=True)
    if figures:
        mean = np.mean([row["by held-out"] for row in figures.values()])
        worst = max(figures, key=lambda name: figures[name]["beyond"])
        print(f"mean difference to the peer by held-out rows: {mean:+.3f} (at most 0)")
        print(
            f"behind the best peer in hindsight by more than 0.3 + 2 se: "
            f"{[name for name in figures if figures[name]['beyond'] > 0] or 'never'} "
            f"(nearest: {worst}, {figures[worst]['beyond']:+.2f})"
        )


if __name__ == "__main__":
    main()
