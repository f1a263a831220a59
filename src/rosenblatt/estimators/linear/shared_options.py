"""Declarations of parameters that several linear learners share."""

from __future__ import annotations

from typing import Any

from rosenblatt.estimators.params import option


def learning_rate() -> Any:
    """Declare the option ``eta0`` of the learners whose steps all have the same length."""
    return option(
        default=1.0,
        above=0.0,
        cure="It is the length of a step.",
        label="Learning rate η",
        help="Length of each step. If the weights start at 0, it only scales the model.",
    )


def averaging(default: bool | str, choices: tuple[object, ...] = (False, True, "tail")) -> Any:
    """Declare the option ``average``."""
    return option(
        default=default,
        choices=choices,
        label="Predict with",
        help="""
        Predict with the mean of the weights after each example, not with the last weights. This
        takes a running sum for every weight, also in the model file. "tail" leaves out the first
        epochs of ``fit``: the mean begins after the last of the epochs 1, 2, 4, 8 … that is at most
        half of all. Examples learned after ``fit`` join the mean.""",
    )


def step_lengths() -> Any:
    """Declare the option ``steps`` of the learners with a learning rate."""
    return option(
        default="constant",
        choices=("constant", "adagrad"),
        label="Steps",
        help="""
        Length of the steps: "constant" is the same for every weight; "adagrad" divides the step of
        each weight by the root of the sum of its squared gradients, the current one included.
        Frequent features then move less and less, and columns of large numbers do less harm; there
        is no dual form and no bound on the mistakes.""",
    )


def relative_to_data(what: str) -> Any:
    """Declare the option ``relative_to_data`` of a rule; ``what`` is the parameter it scales."""
    return option(
        default=False,
        label="Relative to the data",
        in_studio=False,
        help=f"""
        Measure {what} relative to the mean of ``‖x‖²`` over the rows of ``fit`` (with a bias, of
        the rows with a 1 appended), so that one value means the same on few and on many columns.
        The rows are not changed, and the mean is kept for later calls. Without ``fit`` the rows of
        the first ``partial_fit`` count.""",
    )
