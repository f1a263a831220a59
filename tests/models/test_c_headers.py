"""Rules and loop are plain C: another program can compile them and learns the same."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import PassiveAggressive, Perceptron
from rosenblatt.engine.rows.rules import Rule

# The headers are part of the source, not of what is installed.
KERNELS = Path(__file__).parents[2] / "src" / "rosenblatt" / "engine"
COMPILER = shlex.split(os.environ.get("CC", "")) or [shutil.which("cc") or "gcc"]

PROGRAM = r"""
#include <stdio.h>
#include "rows/loop.h"
#include "rows/tables.h"

int main(int argc, char **argv) {
    static const double X[12] = {-1, 2, 1, 0, 1, 1, -1, 0, -1, -2, 1, -1};
    static const int32_t labels[6] = {0, 1, 1, 0, 0, 1};
    double w[2] = {0}, b[1] = {0};
    rb_rows rows = {.values = X, .n_rows = 6, .n_features = 2};
    rb_weights weights = {.w = (char *)w, .b = (char *)b, .n_vectors = 1, .n_features = 2,
                          .class_stride = 2, .feature_stride = 1, .itemsize = 8, .limit = 1e150};
    rb_rule rule = {.parameters = {.eta = 1.0, .C = 1.0}, .tie_is_mistake = 0};
    rb_tally tally = {.refused = -1};
    if (argc != 2 || !rb_set_rule(&rule, argv[1])) return 1;
    for (int epoch = 0; epoch < 2; epoch++) {
        rb_walk walk = {.search = {.labels = labels, .stop = 6, .quiet_above = rule.quiet_above},
                        .rows = &rows, .ops = &rb_ops_dense_f64, .rule = &rule,
                        .weights = &weights, .tally = &tally, .longest_row = 3.0,
                        .seen_at_zero = 6 * epoch};
        rb_learn(&walk, NULL, NULL);
    }
    printf("%.17g %.17g %d\n", w[0], w[1], (int)tally.mistakes);
    return 0;
}
"""
# A rule of its own returns the step and the scale that are given. The position reached is
# printed: 0 if the row was refused, and then no weight has changed.
DECIDING = r"""
#include <stdio.h>
#include "rows/loop.h"
#include "rows/tables.h"

static rb_decision given;
static rb_decision decide(const rb_parameters *p, const rb_case *c) {
    (void)p, (void)c;
    return given;
}

int main(int argc, char **argv) {
    static const double X[2] = {3, 4};
    static const int32_t labels[1] = {1};
    double w[4] = {0.5, 0.5, 0.5, 0.5}, b[2] = {0}, room[64];
    const int n_vectors = atoi(argv[1]), scales = atoi(argv[2]);
    if (argc != 5) return 1;
    given = (rb_decision){.step = atof(argv[3]), .scale = atof(argv[4])};
    rb_rows rows = {.values = X, .n_rows = 1, .n_features = 2};
    rb_weights weights = {.w = (char *)w, .b = (char *)b, .n_vectors = n_vectors, .n_features = 2,
                          .class_stride = 2, .feature_stride = 1, .itemsize = 8, .limit = 1e150,
                          .scale = 1.0, .is_scaled = scales};
    rb_rule rule = {.decide = decide, .number = -1, .does = RB_NORM | (scales ? RB_SCALES : 0),
                    .quiet_above = INFINITY, .tie_is_mistake = 1};
    rb_tally tally = {.refused = -1};
    rb_walk walk = {.search = {.labels = labels, .stop = 1, .quiet_above = INFINITY},
                    .rows = &rows, .ops = &rb_ops_dense_f64, .rule = &rule,
                    .weights = &weights, .tally = &tally, .longest_row = 5.0};
    const int64_t reached = rb_learn(&walk, NULL, room);
    if (reached == 0 && tally.refused != 0) return 2;
    if (reached == 0)
        for (int i = 0; i < 4; i++)
            if (w[i] != 0.5 || weights.scale != 1.0 || weights.reach > 0.5) return 3;
    printf("%d\n", (int)reached);
    return 0;
}
"""
X = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], float)
LABELS = [-1, 1, 1, -1, -1, 1]
COMMON = {"ties": "positive", "fit_intercept": False, "shuffle": False, "max_iter": 2, "tol": None}


def compiled(source: str, folder: Path) -> Path:
    """The program of a C file."""
    if shutil.which(COMPILER[0]) is None:
        pytest.skip("there is no C compiler")
    (folder / "loop.c").write_text(source)
    out = folder / "loop"
    flags = ["-O1", "-ffp-contract=off", "-Wno-psabi", f"-I{KERNELS}"]
    subprocess.run([*COMPILER, *flags, str(folder / "loop.c"), "-o", str(out), "-lm"], check=True)
    return out


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(PROGRAM, tmp_path_factory.mktemp("loop"))


@pytest.fixture(scope="module")
def deciding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(DECIDING, tmp_path_factory.mktemp("deciding"))


@pytest.mark.parametrize(
    ("scales", "step", "scale", "is_allowed"),
    [
        (False, "0.25", "1", True),
        (False, "nan", "1", False),
        (False, "inf", "1", False),
        (False, "-0.25", "1", False),
        (False, "1e150", "1", False),
        (False, "0.25", "0.5", False),
        (True, "0.25", "0.5", True),
        (True, "0", "0.5", True),
        (True, "nan", "0.5", False),
        (True, "inf", "0.5", False),
        (True, "-0.25", "0.5", False),
        (True, "0.25", "0", False),
        (True, "0", "0", False),
        (True, "0.25", "1.5", False),
        (True, "0.25", "nan", False),
        (True, "0", "-1", False),
    ],
)
@pytest.mark.parametrize("n_vectors", [1, 2])
def test_a_decision_that_no_rule_may_return_is_refused_and_changes_nothing(
    deciding: Path, n_vectors: int, scales: bool, step: str, scale: str, is_allowed: bool
) -> None:
    arguments = [str(n_vectors), str(int(scales)), step, scale]
    done = subprocess.run([deciding, *arguments], check=True, capture_output=True, text=True)
    assert done.stdout == f"{int(is_allowed)}\n"


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
@pytest.mark.parametrize(
    ("rule", "learner"),
    [
        ("perceptron", Perceptron(**COMMON)),
        ("PA-I", PassiveAggressive(variant="PA-I", C=1.0, average=False, **COMMON)),
    ],
    ids=["perceptron", "PA-I"],
)
def test_a_program_without_python_learns_the_same(
    program: Path, rule: str, learner: Perceptron | PassiveAggressive
) -> None:
    done = subprocess.run([program, rule], check=True, capture_output=True, text=True)
    *w, mistakes = (float(word) for word in done.stdout.split())
    learner.fit(X, LABELS)
    assert w == learner.coef_[0].tolist()
    assert mistakes == learner.n_mistakes_


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="no rule is called 'PA-III'"):
        Rule("PA-III")
