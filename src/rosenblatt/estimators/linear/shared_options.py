"""Parameters that several linear learners declare alike."""

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
        help="Length of a step. From zero weights it only scales the model.",
    )


def averaging(default: bool | str, choices: tuple[Any, ...] = (False, True, "tail")) -> Any:
    """Declare the option ``average``."""
    return option(
        default=default,
        choices=choices,
        label="Predict with",
        help="""
        Predict with the mean of the weights after each example, not with the last ones. It takes a
        running sum beside every weight, also in the file. "tail" leaves out the first epochs of
        ``fit``: the mean begins after the last of the epochs 1, 2, 4, 8 … that is at most half of
        all. What is learned after ``fit`` joins the mean.""",
    )


def step_lengths() -> Any:
    """Declare the option ``steps`` of the learners with a learning rate."""
    return option(
        default="constant",
        choices=("constant", "adagrad"),
        label="Steps",
        help="""
        "adagrad" divides the step of each weight by the root of the sum of its squared gradients so
        far, this one included: frequent features move less and less, and large columns do less
        harm. There is then no dual form and no bound on mistakes.""",
    )


def relative_to_data(what: str) -> Any:
    """Declare the option of that name, of a rule with ``what`` to scale."""
    return option(
        default=False,
        label="Relative to the data",
        in_studio=False,
        help=f"""
        Let {what} count relative to the mean of ``‖x‖²`` over the rows of ``fit`` (with a bias, of
        the rows with a 1 appended), so that one value means the same on few and on many columns.
        The rows stay as they are, and the mean is kept for what is learned later. Without ``fit``
        the rows of the first ``partial_fit`` count.""",
    )
