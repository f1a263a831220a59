"""How a kernel perceptron learns: in epochs, in batches, or one example at a time."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.core import epochs
from rosenblatt.core.classes import answers
from rosenblatt.core.result import FitResult, Validation
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.kernel.answering import KernelAnswers, one_example
from rosenblatt.kernel.budgets import BudgetedTrainer
from rosenblatt.kernel.kernel_model import SETTINGS, KernelModel
from rosenblatt.kernel.support import narrow_as_dense
from rosenblatt.kernel.training import KernelTrainer, Scored
from rosenblatt.learner import outcome
from rosenblatt.learner.availability import available_if
from rosenblatt.learner.classes import declared, first_places, refuse_one_class
from rosenblatt.learner.held_out import watched_rows
from rosenblatt.learner.inputs import read_rows
from rosenblatt.learner.progress import progress
from rosenblatt.learner.seeds import seed_from
from rosenblatt.learner.sklearn_classes import convergence_warning
from rosenblatt.learner.targets import encoded, read_labels
from rosenblatt.learner.undo import unchanged_on_error

__all__ = ["KernelLearning"]


def _knows_new_rows(model: Any) -> bool:
    if model._kernel_name() == "precomputed":
        raise AttributeError(
            "kernel='precomputed' cannot learn as rows come: their kernel with the rows before is "
            "not known. Use fit, or a kernel by name."
        )
    return True


class KernelLearning(KernelAnswers):
    """``fit``, ``partial_fit`` and ``learn_one``; a refused example changes nothing."""

    # The parameters that are used here.
    degree: int
    gamma: float | None
    coef0: float
    multiclass: str
    forget: str
    projection_tol: float
    max_iter: int
    tol: float | None
    shuffle: bool
    random_state: Any
    warm_start: bool
    n_iter_no_change: int
    cache_mb: float
    verbose: int

    check_parameters: Any
    _take_guessed_schema: Any

    def fit(self, X: Any, y: Any, validation_set: tuple[Any, Any] | None = None) -> Self:
        """Train on all rows, epoch by epoch, until there is a reason to stop.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of numbers; float32 rows are multiplied in float32. With
            ``kernel="precomputed"`` the kernel of all pairs of rows.
        y : array-like of shape (n_samples,)
            A label for each row.
        validation_set : tuple (X_dev, y_dev), default=None
            Rows to watch instead of a held-out part of ``X``; turns early stopping on.

        Returns
        -------
        self : estimator
            Fitted; ``stop_reason_`` says why training ended.
        """
        with unchanged_on_error(self):
            training = self._fit(X, y, validation_set)
            self._take_guessed_schema()
        if training.stop_reason == "max_iter" and training.mistakes_per_epoch[-1]:
            warnings.warn(self._what_to_try(training), convergence_warning(), stacklevel=2)
        return self

    def _fit(self, X: Any, y: Any, validation_set: tuple[Any, Any] | None) -> FitResult:
        self.check_parameters()
        goes_on = bool(self.warm_start) and self.__sklearn_is_fitted__()
        table, rows = read_rows(self, X, reset=not goes_on)
        classes, labels = encoded(read_labels(y, rows.n_rows))
        if self._kernel_name() == "precomputed":
            self._refuse_precomputed(table, goes_on)
        if goes_on:
            self._refuse_other_settings()
            machine = self._machine.copy()
            machine.best = None
            for label in classes.tolist():
                if label not in machine.slots:
                    machine.admit(label)
            labels = np.array([machine.slots[c] for c in classes.tolist()], np.int32)[labels]
        else:
            refuse_one_class(classes.tolist())
            machine = self._new_machine(table.shape[1], classes.tolist())
            machine.label_dtype = classes.dtype
        refuse_one_class(machine.classes)
        subset, dev, dev_labels = watched_rows(self, table, labels, machine.slots, validation_set)
        table, watch = narrow_as_dense(table), None
        if dev is not None:
            dev = narrow_as_dense(dev)

            def score() -> float:
                found = machine.scores(dev, self.combine, tie_is_positive=self.ties == "positive")
                return float(np.mean(answers(found, self.ties) == dev_labels))

            watch = Validation(score, machine.state, self.n_iter_no_change)
        trainer = self._trainer(machine, table, labels, subset=subset)
        n_scores = machine.n_vectors * rows.n_rows
        if self.budget is None and self.max_iter > 1 and 8e-6 * n_scores <= self.cache_mb:
            trainer.scored = Scored(machine, table)
        with progress(self.verbose, self.max_iter, type(self).__name__) as after_epoch:
            training = epochs.run(
                trainer,
                max_iter=self.max_iter,
                tol=self.tol,
                shuffle=self.shuffle,
                random=machine.random,
                validation=watch,
                after_epoch=after_epoch,
            )
        machine.random = training.random
        self._adopt(machine, training, watch)
        return training

    def _new_machine(self, n_features: int, classes: list[Any]) -> KernelModel:
        settings = {name: getattr(self, name) for name in SETTINGS}
        return KernelModel(settings, n_features, classes, seed_from(self.random_state))

    def _refuse_other_settings(self) -> None:
        """A machine is of one kernel and one kind; to go on with another makes no sense."""
        for name, begun in self._machine.settings.items():
            now = getattr(self, name)
            if now is not begun and now != begun:
                raise ParameterError(
                    f"{name}={now!r}, but what was learned so far was learned with {begun!r}. Set "
                    "it back, or fit anew."
                )

    def _refuse_precomputed(self, table: Any, goes_on: bool) -> None:
        if goes_on:
            raise ParameterError(
                "kernel='precomputed' cannot go on with other rows (warm_start=True): the kernel "
                "of the old rows with the new ones is not known."
            )
        if table.shape[0] != table.shape[1]:
            raise InputError(
                f"kernel='precomputed': X must be square, the kernel of all pairs of rows "
                f"(a square matrix), but has shape {table.shape}."
            )

    def _trainer(
        self, machine: KernelModel, table: Any, labels: npt.NDArray[np.int32], **settings: Any
    ) -> KernelTrainer:
        settings["tie_is_mistake"] = self.ties == "mistake"
        if self.budget is None:
            return KernelTrainer(machine, table, labels, **settings)
        return BudgetedTrainer(
            machine,
            table,
            labels,
            budget=int(self.budget),
            forget=self.forget,
            projection_tol=float(self.projection_tol),
            **settings,
        )

    def _adopt(self, machine: KernelModel, training: FitResult, watch: Validation | None) -> None:
        if watch is not None:
            machine.best = watch.best
        self._machine = machine
        outcome.adopt(self, training, watch)

    def _what_to_try(self, training: FitResult) -> str:
        return (
            f"KernelPerceptron stopped at max_iter={self.max_iter} with "
            f"{training.mistakes_per_epoch[-1]} mistakes in the last epoch: the rows are not "
            "separated. Try a larger max_iter, another kernel or gamma, scaled features "
            "(sklearn.preprocessing.StandardScaler), or early_stopping=True."
        )

    @available_if(_knows_new_rows)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from each row once, in the order given, starting from what was learned before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            A label for each row. Labels not seen before become new classes.
        classes : array-like, default=None
            Classes to know of from the start. Unlike in scikit-learn this is optional, and the
            list may grow in later calls.

        Returns
        -------
        self : estimator
        """
        with unchanged_on_error(self):
            self.check_parameters()
            fresh = not self.__sklearn_is_fitted__()
            table, rows = read_rows(self, X, reset=fresh)
            found, numbers = encoded(read_labels(y, rows.n_rows))
            table = narrow_as_dense(table)
            if not fresh:
                self._refuse_other_settings()
            machine = self._new_machine(table.shape[1], []) if fresh else self._machine
            undo = machine.checkpoint()
            machine.best = None
            try:
                for label in declared(classes):
                    if label not in machine.slots:
                        machine.admit(label)
                self._learn_batch(machine, table, found.tolist(), numbers)
            except BaseException:
                undo()
                raise
            outcome.forget(self)
            self._machine = machine
            self._take_guessed_schema()
        return self

    def _learn_batch(
        self, machine: KernelModel, table: Any, names: list[Any], numbers: npt.NDArray[np.int32]
    ) -> None:
        """Learn row by row; a class joins at the row where it first appears, as one by one."""
        joins = first_places(names, numbers, machine.slots)
        bounds = [0, *(place for place, _ in joins), table.shape[0]]
        for k, (start, stop) in enumerate(pairwise(bounds)):
            if k:
                machine.admit(joins[k - 1][1])
            if len(machine.classes) < 2:
                machine.t += stop - start
            elif start < stop:
                slots = np.array([machine.slots.get(name, 0) for name in names], np.int32)
                first = machine.t - start
                trainer = self._trainer(machine, table, slots[numbers], first_number=first)
                trainer.learn(np.arange(start, stop))

    @available_if(_knows_new_rows)
    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn from one example.

        Parameters
        ----------
        x : array-like of shape (n_features,) or mapping {feature: value}
        y : hashable
            The label. One not seen before becomes a new class.

        Returns
        -------
        self : estimator
        """
        labels = np.empty(1, object) if isinstance(y, tuple) else np.array([y])
        labels[0] = y
        self.partial_fit(one_example(x), labels)
        return self
