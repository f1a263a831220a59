"""L5.3, L5.4: the cells of the lecture's notebook, as a reader types them, three lines changed.

The cells are kept as text and run in one namespace, as a notebook does; the magic line and LaTeX
are left out, as they have nothing to do with us.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference.lectures import perceptron_train

plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("sklearn")

CELLS = [
    """
import matplotlib.pyplot as plt
import numpy as np
from rosenblatt import Perceptron, plot
""",
    """
def plot_line(ax, xlims, w, do_norm=True):
    x1 = np.linspace(xlims[0], xlims[1], 1000)
    x2_plot = (-w[2] - w[0] * x1) / w[1]
    ax.plot(x1, x2_plot)
    origin = x1[len(x1) // 2], x2_plot[len(x1) // 2]
    nn = np.linalg.norm(w) if do_norm else 1
    ax.quiver(*origin, w[0] / nn, w[1] / nn, angles="xy", scale_units="xy", scale=1)

w = [4, 0.6]
b = 0
f, ax = plt.subplots(figsize=(5, 5))
plot_line(ax, [-5, 5], [w[0], w[1], b])
""",
    """
from sklearn import datasets

X, y = datasets.make_blobs(n_samples=10, centers=np.array([[-1, 1], [1, -1]]),
                           n_features=2, center_box=(0, 10), random_state=SEED)
y[y == 0] = -1

def plot_dataset(ax, X, y):
    ax.plot(X[:, 0][y == -1], X[:, 1][y == -1], "g^")
    ax.plot(X[:, 0][y == 1], X[:, 1][y == 1], "bs")
""",
    """
f, ax = plt.subplots(figsize=(4, 4))
plot_dataset(ax, X, y)
Xprime = np.hstack([X, np.ones((X.shape[0], 1))])
w = perceptron_train(Xprime,y)
plot_line(ax, [-4, 4], w)
""",
    """
f, axs = plt.subplots(nrows=2, ncols=4, figsize=(20, 10))
w = perceptron_train_and_plot(axs.reshape(-1),Xprime,y)
""",
]
CHANGED = {
    "w = perceptron_train(Xprime,y)": (
        "w = Perceptron(fit_intercept=False, shuffle=False).fit(Xprime, y).coef_[0]"
    ),
    "w = perceptron_train_and_plot(axs.reshape(-1),Xprime,y)": (
        "shown = plot.updates(Perceptron(shuffle=False, record=True).fit(X, y), X, y).plot()"
    ),
}


def run(seed: int) -> dict[str, Any]:
    """What the cells leave behind; the last cell is in the notebook twice."""
    names: dict[str, Any] = {"SEED": seed}
    for cell in [*CELLS, CELLS[-1]]:
        text = cell
        for line, ours in CHANGED.items():
            text = text.replace(line, ours)
        exec(text, names)
    plt.close("all")
    return names


@pytest.mark.parametrize("seed", [4, 5, 8])
def test_the_cells_run_with_three_changed_lines(seed: int) -> None:
    cells = [*CELLS, CELLS[-1]]
    assert sum(cell.count(line) for cell in cells for line in CHANGED) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a vertical line cannot be drawn by plot_line
        names = run(seed)
    expected = perceptron_train(names["Xprime"], names["y"], max_iter=1000)
    np.testing.assert_array_equal(names["w"], expected)
    # The pictures are of the same run: with a bias on X instead of a column of ones.
    last = names["shown"].run.steps[-1]
    np.testing.assert_array_equal([*last.W[0], last.b[0]], expected)


def test_the_page_shows_the_same_changes() -> None:
    page = Path(__file__).parents[3] / "docs" / "lectures" / "L5.md"
    for line, ours in CHANGED.items():
        assert f"`{line}`" in page.read_text("utf-8")
        assert f"`{ours.removeprefix('shown = ')}`" in page.read_text("utf-8")
