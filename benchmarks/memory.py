"""How much the peak memory of a process grows while a learner is fitted.

Run as a script with the name of a learner it prints one number, the growth as a share of X; the
table runs it so, in a fresh process for each learner.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from report import Row

__all__ = ["memory"]

N_ROWS, N_FEATURES = 200_000, 100
STATUS = Path("/proc/self/status")


def memory() -> list[Row]:
    """Growth in percent of X, ours and scikit-learn's."""
    ours, peer = (100 * _in_fresh_process(name) for name in ("ours", "scikit-learn"))
    name = f"memory of fit, % of X, dense {N_ROWS:,} x {N_FEATURES}"
    return [Row(name, ours, peer=peer, most=5.0)]


def _in_fresh_process(learner: str) -> float:
    command = [sys.executable, __file__, learner]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    return float(done.stdout)


def _peak() -> int:
    """The most memory this process ever held, in bytes.

    Linux also counts in ``ru_maxrss`` what the parent held when it started us, so a large parent
    would hide all growth; ``VmHWM`` is the same figure for this program alone.
    """
    if STATUS.exists():
        lines = STATUS.read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _learner(name: str) -> Any:
    if name == "ours":
        from rosenblatt import Perceptron

        return Perceptron(max_iter=5, tol=None)
    from sklearn.linear_model import Perceptron as Peer

    return Peer(max_iter=5, tol=None)


def _growth(name: str) -> float:
    import numpy as np

    rng = np.random.default_rng(0)
    learner = _learner(name)
    learner.fit(rng.standard_normal((50, 3)), np.arange(50) % 2)
    u = rng.standard_normal(N_FEATURES)
    X = np.empty((N_ROWS, N_FEATURES))
    y = np.empty(N_ROWS, np.int64)
    for start in range(0, N_ROWS, 100):  # in small parts: no peak before the one to be measured
        part = slice(start, start + 100)
        X[part] = rng.standard_normal((100, N_FEATURES))
        y[part] = X[part] @ u + 3 * rng.standard_normal(100) > 0
    before = _peak()
    learner.fit(X, y)
    return (_peak() - before) / X.nbytes


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    print(_growth(sys.argv[1]))
