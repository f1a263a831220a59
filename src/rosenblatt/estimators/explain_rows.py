"""Explanations of predictions for rows: the score by feature, by past mistake or by vote.

Why a prediction
----------------
`inspection/explanation.py` holds the result, an `Explanation`, and all that shows it; it knows no
learner. A classifier reads its row as a `Question`
(`estimators/explain_rows.py`): the prediction, the class whose score is explained, and the linear
combination of weight vectors that gives it. The family then answers: with its weights by feature,
with its ledger by past mistake, or by vote. Structured learners build the result themselves, from
the features of their outputs (`estimators/structured/paths.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyFloatArray, FloatArray, SparseRows, is_sparse
from rosenblatt.errors import InputError, shown
from rosenblatt.estimators.inputs import named_values, read_table, rows_without_names
from rosenblatt.inspection.explanation import USUAL, Contribution, Explanation, PastMistake
from rosenblatt.models.classes import best_classes, signed_votes
from rosenblatt.models.recording import Entries, refuse_missing
from rosenblatt.models.rows import scores

if TYPE_CHECKING:
    from rosenblatt.arrays import Table
    from rosenblatt.estimators.learner import Learner
    from rosenblatt.estimators.linear.linear_learner import LinearLearner
    from rosenblatt.estimators.row_classifier import RowClassifier
    from rosenblatt.models.ledger import Ledger
    from rosenblatt.tables.features.average_row import AverageRow


class UpdateHistory(NamedTuple):
    """Updates that led to the weights that predict, with the similarity of their rows to a row.

    The average, if that predicts, began after ``average_from`` of all examples. ``similarity`` and
    ``numbers`` belong to the rows that the entries name: their dot product with the row in
    question, and their numbers in the data. ``moved``, where each weight has a rate of its own:
    what each update added to the scores of the row by every vector.
    """

    entries: Entries
    classes: Sequence[Hashable]
    similarity: FloatArray
    n_examples: int
    numbers: npt.NDArray[np.int64] | None = None
    average_from: int = 0
    moved: FloatArray | None = None

    def joined(
        self, own: npt.NDArray[np.intp], steps: FloatArray, parts: FloatArray
    ) -> list[PastMistake]:
        """Sum the steps of the updates ``own``, and their parts of the score, by example."""
        rows, place = np.unique(self.entries.row[own], return_inverse=True)
        last = np.zeros(len(rows), np.int64)
        last[place] = own  # the last one of an example is stored last
        sums = np.bincount(place, steps, len(rows))
        totals = np.bincount(place, parts, len(rows))

        found = []
        for i, (row, k) in enumerate(zip(rows.tolist(), last.tolist(), strict=True)):
            right = int(self.entries.y_true[k])
            wrong = int(self.entries.y_pred[k])
            similarity = totals[i] / sums[i] if sums[i] else self.similarity[row]
            mistake = PastMistake(
                row=row if self.numbers is None else int(self.numbers[row]),
                y_true=self.classes[right],
                y_pred=None if wrong < 0 else self.classes[wrong],
                updates=int((place == i).sum()),
                step=float(sums[i]),
                similarity=float(similarity),
                contribution=float(totals[i]),
            )
            found.append(mistake)
        return found


@dataclass
class Question:
    """One row to explain: the prediction for it, and the class whose score is decomposed.

    ``direction`` has a coefficient for each weight vector of the model, in the order of its
    classes: that linear combination of their scores is explained. Each step of the answer gives a
    new question with more of the explanation.
    """

    learner: RowClassifier
    row: Table
    direction: FloatArray
    explanation: Explanation

    @classmethod
    def of(cls, learner: RowClassifier, x: Any, label: Any, against: Any) -> Question:
        """Read and predict one example; raise InputError for a class that the learner lacks."""
        learner._refuse_unfitted()
        X, unlike_training = _one_row(learner, x)
        row = read_table(learner, X, reset=False, ignore_unseen=True)
        with rows_without_names():  # which were compared a line above
            found = learner.decision_function(X)

        classes = learner.classes_.tolist()
        best = int(best_classes(found, learner.ties)[0]) if len(classes) > 1 else 0
        prediction = classes[best]
        values = found[0].tolist() if found.ndim > 1 else [-float(found[0]), float(found[0])]
        by_class = dict(zip(classes, values, strict=False))

        label = prediction if label is None else label
        for name, value in (("label", label), ("against", against)):
            if value is not None and (np.ndim(value) > 0 or value not in classes):
                raise InputError(f"{name}={shown(value)} is not among the classes {classes}.")
        if against is not None and against == label:
            raise InputError(f"against={against!r} is the class that is explained: give another.")

        score = by_class[label]
        if found.ndim == 1:
            direction = np.array([1.0 if label in classes[1:] else -1.0])
            if learner._fitted().n_vectors == 2:  # the score is the difference of two
                direction = direction * [-1.0, 1.0]
            against = next((one for one in classes if one != label), None)
        else:
            slots = learner._fitted().slots
            direction = np.zeros(len(classes))
            direction[slots[label]] = 1.0
            if against is not None:
                direction[slots[against]] = -1.0
                score -= by_class[against]

        others = sorted((c for c in classes if c != prediction), key=lambda c: -by_class[c])
        explanation = Explanation(
            prediction=prediction,
            score=score,
            label=label,
            against=against,
            runner_up=others[0] if others else None,
            runner_up_score=by_class[others[0]] if others else None,
            scores=by_class,
            **unlike_training,
        )
        return cls(learner, row, direction, explanation)

    def _with(self, **parts: Any) -> Question:
        return replace(self, explanation=replace(self.explanation, **parts))

    def by_feature(self, coef: AnyFloatArray, bias: AnyFloatArray) -> Question:
        """Add the contribution of each feature; a row of ``coef`` is a weight vector.

        A feature contributes weight · (value - usual value): without a schema the usual value is 0,
        and what is left is the bias; with one it is that of the average row.
        """
        if is_sparse(self.row):
            row = SparseRows.of(self.row)
            columns = row.indices
            values = row.data
        else:
            columns = np.arange(self.row.shape[1])
            values = self.row[0]
        is_stored = values != 0
        columns = columns[is_stored]
        values = values[is_stored].astype(np.float64)

        weights = self.direction @ coef[:, columns]
        has_weight = weights != 0
        usual = np.zeros(len(columns))
        offset_name = "bias"
        offset = float(self.direction @ bias)
        average = average_row_of(self.learner, coef.shape[1])
        if average is not None:
            centred = average.centred(self.direction @ coef)[columns]
            usual = average.shares[columns] * values
            # The parts still add up to the score: the offset is the score of the average row.
            offset_name = USUAL
            offset += float(weights @ values - centred @ (values - usual))
            weights = centred

        sizes = weights * (values - usual)
        order = np.argsort(-np.abs(sizes), kind="stable")
        order = order[(sizes[order] != 0) & has_weight[order]]
        names = feature_names_of(self.learner, columns[order].tolist())
        parts = []
        for name, j in zip(names, order.tolist(), strict=True):
            value, weight, size = float(values[j]), float(weights[j]), float(sizes[j])
            parts.append(Contribution(name, value, weight, size, usual=float(usual[j])))
        parts.append(Contribution(offset_name, 1.0, offset, offset, "bias"))
        return self._with(contributions=parts, without_weight=int((~has_weight).sum()))

    def by_mistake(self, past: UpdateHistory, *, mean: bool, alone: bool = False) -> Question:
        """Add the contribution of each past example.

        ``mean``: what predicts is the mean over the examples, of which an update counts for those
        after it. ``alone``: an update with a wrong class lowers that class and raises none.
        """
        entries = past.entries
        steps = entries.step * self._moves(entries, alone)
        if mean:
            n_averaged = past.n_examples - past.average_from
            n_after = np.minimum(past.n_examples - entries.t + 1, n_averaged)
            steps = steps * (n_after / max(n_averaged, 1))

        own = np.flatnonzero(steps)
        parts = steps * past.similarity[entries.row]
        if past.moved is not None:
            factors = steps[own] / (entries.step * self._moves(entries, alone))[own]
            parts[own] = (past.moved @ self.direction)[own] * factors
        return self.with_mistakes(past.joined(own, steps[own], parts[own]))

    def by_vote(
        self, past: UpdateHistory, start: FloatArray, first: int, *, alone: bool
    ) -> Question:
        """Add the votes of all past hypotheses, each attributed to the mistake that created it.

        ``start`` are the scores of the first weights, before example ``first``. With several
        classes the highest score gets the vote or, with ``alone``, each says yes or no.
        """
        entries = past.entries
        changes = entries.step * past.similarity[entries.row]
        ballots: list[tuple[npt.NDArray[np.intp], FloatArray, float]] = []
        if len(start) > 1 and not alone:
            places = np.arange(len(changes))
            lowered = entries.y_pred >= 0
            # The scores of each class by the weights before and after each update.
            table = np.zeros((len(changes) + 1, len(start)))
            table[0] = start
            table[places + 1, entries.y_true] += changes
            table[places[lowered] + 1, entries.y_pred[lowered]] -= changes[lowered]
            winners = table.cumsum(axis=0).argmax(axis=1)
            ballots.append((places, self.direction[winners], 1.0))
        else:
            for vector in np.flatnonzero(self.direction).tolist():
                single = replace(self, direction=np.eye(len(start))[vector])
                moves = single._moves(entries, alone)
                own = np.flatnonzero(moves)
                sums = np.cumsum([start[vector], *(changes * moves)[own]])
                votes = signed_votes(sums, self.learner.ties)
                ballots.append((own, votes, float(self.direction[vector])))

        shares = np.zeros(len(changes))
        parts = np.zeros(len(changes))
        for own, votes, sign in ballots:
            # Weights vote for as many examples as they lived, the last ones up to the end.
            lived = np.diff([first, *entries.t[own], past.n_examples + 1])[1:]
            shares[own] += lived / max(past.n_examples, 1)
            parts[own] += sign * votes[1:] * lived / max(past.n_examples, 1)
        found = past.joined(np.flatnonzero(shares), shares[shares != 0], parts[shares != 0])
        return self.with_mistakes(found)._with(votes=True)

    def _moves(self, entries: Entries, alone: bool) -> FloatArray:
        """Return the effect of each update on the explained score, as a factor of its step."""
        if len(self.direction) == 1:
            return np.asarray((2 * entries.y_true - 1) * self.direction[0])
        of = np.append(self.direction, 0.0)  # the last is for no class, -1
        if alone:
            return np.where(entries.y_pred < 0, of[entries.y_true], -of[entries.y_pred])
        return np.asarray(of[entries.y_true] - of[entries.y_pred])

    def with_mistakes(self, found: list[PastMistake]) -> Question:
        """Add past mistakes to the explanation."""
        return replace(self, explanation=self.explanation.with_mistakes(found))


def _one_row(learner: RowClassifier, x: Any) -> tuple[Any, dict[str, Any]]:
    """Return one example as a table, and its unseen features as fields of an `Explanation`."""
    x = named_values(x)
    if isinstance(x, Mapping):
        return [x], _unlike_training(learner, x)
    row: Any = x if is_sparse(x) else np.asarray(x)
    row = row[None] if row.ndim == 1 else row
    if len(row.shape) != 2 or row.shape[0] != 1:
        raise InputError(
            f"x has shape {tuple(row.shape)}, but one example is explained at a time: give a "
            "mapping, a 1-D array or a sparse table of one row."
        )
    return row, {}


def _unlike_training(learner: RowClassifier, x: Mapping[Any, Any]) -> dict[str, Any]:
    """Return features and levels that did not occur in training, as fields of an `Explanation`."""
    from rosenblatt.tables.features.records import table_of_records
    from rosenblatt.tables.features.schema import Schema

    schema = getattr(learner, "schema_", None)
    if isinstance(schema, Schema):
        table = table_of_records([x], schema.types)
        unknown = {name: list(levels) for name, levels in schema.unknown(table).items()}
        return {"unknown": unknown, "clipped": schema.clipped(table)}
    known = set(getattr(learner, "feature_names_in_", x))
    return {"unknown": {str(name): [] for name in x if name not in known}}


def feature_names_of(learner: Learner, columns: Sequence[int]) -> list[str]:
    """Return the names of features, by the schema or the columns; otherwise x[0], x[1] …"""
    schema = getattr(learner, "schema_", None)
    if schema is not None:
        return [str(name) for name in schema.names(columns)]
    known = getattr(learner, "feature_names_in_", None)
    return [f"x[{j}]" if known is None else str(known[j]) for j in columns]


def average_row_of(learner: Learner, n_features: int) -> AverageRow | None:
    """Return the average row of training according to the schema; None without a schema."""
    from rosenblatt.tables.features.average_row import AverageRow

    schema = getattr(learner, "schema_", None)
    return None if schema is None else AverageRow.of(schema, n_features)


def similarities(learner: RowClassifier, row: Table, X: Any, entries: Entries) -> FloatArray:
    """Return the dot product of each row of ``X``, a table or an iterator of blocks, with ``row``.

    Raise an error if ``X`` lacks rows that the entries name.
    """
    if not len(entries.row):
        return np.zeros(0)
    x = row.toarray() if is_sparse(row) else row
    blocks = X if isinstance(X, Iterator) else [X]
    parts = [scores(read_table(learner, block, reset=False), x, np.zeros(1)) for block in blocks]
    found = np.concatenate([np.zeros(0), *parts])
    refuse_missing(int(entries.row.max(initial=-1)), len(found))
    return found


def update_history(
    learner: LinearLearner, ledger: Ledger, row: Table, X: Any, *, mean: bool
) -> UpdateHistory:
    """Return the updates of a ledger, and the similarity of the training rows ``X`` to a row.

    ``mean``: what predicts is the mean over the examples.
    """
    moved = None
    if ledger.start.rates and len(ledger):
        # The weights are no sum of rows: what each update did is seen by replaying all of them.
        moved = score_moves(learner, row, X, ledger)
        found = np.zeros(learner._model.next_row)
    else:
        found = similarities(learner, row, X, ledger.entries) + float(ledger.start.fit_intercept)
    entries = ledger.entries
    if ledger.start.is_scaled:
        entries = entries._replace(step=ledger.shares(mean=mean))
    return UpdateHistory(
        entries,
        ledger.classes,
        found,
        ledger.n_examples,
        average_from=ledger.average_from,
        moved=moved,
    )


def score_moves(learner: LinearLearner, row: Table, X: Any, ledger: Ledger) -> FloatArray:
    """Replay a ledger; return what each update added to the scores of ``row``."""
    blocks = X if isinstance(X, Iterator) else [X]
    tables = [read_table(learner, block, reset=False) for block in blocks]
    if is_sparse(tables[0]):
        table: Table = SparseRows.concat([SparseRows.of(one) for one in tables])
    else:
        table = np.vstack(tables)
    x = (row.toarray() if is_sparse(row) else row)[0]
    return np.diff([coef @ x + bias for coef, bias in ledger.trace(table)], axis=0)
