"""An open model file: its learner, its schema, and readers of files for it."""

from __future__ import annotations

import math
from collections.abc import Generator, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import Reading

if TYPE_CHECKING:
    import numpy.typing as npt

    from rosenblatt.arrays import AnyArray, Table
    from rosenblatt.persistence.card import State
    from rosenblatt.tables.features.named_weights import NamedWeights
    from rosenblatt.tables.features.schemas import AnySchema
    from rosenblatt.tables.readers.block import Block
    from rosenblatt.tables.readers.reader import Reader


@dataclass
class Model:
    """A model file that a command has opened."""

    path: str
    state: State
    _schema: AnySchema | None

    @cached_property
    def learner(self) -> Any:
        """Return the learner, as `rosenblatt.load` does."""
        from rosenblatt.persistence.file import learner_of

        return learner_of(self.state, self.path)

    @property
    def classes(self) -> list[Any]:
        """Return the classes in sorted order."""
        return sorted(self.state.card.classes)

    @property
    def has_weights(self) -> bool:
        """Return whether the features have weights; only those of linear models do."""
        return self.state.family == "linear"

    @property
    def tags_sentences(self) -> bool:
        return self.state.family == "tags"

    @property
    def weights(self) -> NamedWeights:
        """Return the weights with the names of features; only the names if there are no weights."""
        from rosenblatt.estimators.explain_rows import feature_names_of
        from rosenblatt.tables.features.named_weights import NamedWeights

        coef = None
        intercept = None
        if self.has_weights:
            coef = self.learner.coef_
            intercept = self.learner.intercept_
        return NamedWeights(
            coef,
            intercept,
            self.classes,
            self.state.n_features,
            partial(feature_names_of, self.learner),
            self._schema,
        )

    def refuse_without_weights(self) -> None:
        """Raise if the model is not linear and so has no weights of features."""
        from rosenblatt.errors import ModelFileError

        if not self.has_weights:
            raise ModelFileError(
                f"{self.path}: a {self.state.card.learner} has no weights; it predicts by its "
                "support rows. For this load it in Python (rosenblatt.load)."
            )

    # ------------------------------------------------------------------ predictions

    def predict(self, X: Table, threshold: float | None = None) -> list[Hashable]:
        """Return the predicted class of each row, by ``threshold`` if it is given."""
        from rosenblatt.estimators.inputs import rows_without_names

        if threshold is not None:
            labels, _, _ = self.outputs(X, threshold)
        else:
            with rows_without_names():
                labels = self.learner.predict(X)
        predicted: list[Hashable] = labels.tolist()
        return predicted

    def outputs(
        self, X: Table, threshold: float | None
    ) -> tuple[AnyArray, AnyArray | None, AnyArray | None]:
        """Return predictions, scores and probabilities, as `inspection.metrics.outputs` does."""
        from rosenblatt.estimators.inputs import rows_without_names
        from rosenblatt.inspection.metrics import outputs

        # The schema has already matched the columns by name.
        with rows_without_names():
            return outputs(self.learner, X, threshold)

    def probabilities(self, X: Table) -> AnyArray:
        """Return the probability of each class for each row, in the order of `classes`."""
        from rosenblatt.estimators.inputs import rows_without_names

        with rows_without_names():
            found: AnyArray = self.learner.predict_proba(X)
        return found

    def scores(self, X: Table) -> AnyArray:
        """Return the score of each class for each row, in order of `classes` (-s and s if two)."""
        import numpy as np

        from rosenblatt.estimators.inputs import rows_without_names

        with rows_without_names():
            scores: AnyArray = self.learner.decision_function(X)
        if len(self.classes) < 2:
            return np.zeros((len(scores), len(self.classes)))
        if scores.ndim == 1:
            return np.column_stack([-scores, scores])
        return scores

    def refuse_lacking(self, *, proba: bool = False, threshold: float | None = None) -> None:
        """Raise if the model lacks the requested probabilities or cannot use the threshold."""
        has_probabilities = hasattr(self.learner, "calibration_")
        if proba and not has_probabilities:
            raise click.UsageError(
                f"{self.path} has scores and no probabilities; rosenblatt train --learner NAME "
                "--calibrate fits them."
            )
        if threshold is None:
            return
        if len(self.classes) != 2:
            raise click.UsageError(
                f"--threshold is for two classes, but {self.path} has {len(self.classes)}."
            )
        if has_probabilities and not 0 <= threshold <= 1:
            raise click.UsageError(f"--threshold {threshold:g}: give a probability, from 0 to 1.")
        if not math.isfinite(threshold):
            raise click.UsageError(f"--threshold {threshold:g}: give a score.")

    # ------------------------------------------------------------------ rows of files

    @property
    def schema(self) -> AnySchema:
        """Return the schema that encodes rows as features; raise if the model has none."""
        from rosenblatt.errors import ModelFileError

        if self._schema is None:
            raise ModelFileError(
                f"{self.path}: saved without a schema, so it does not say how the rows of a file "
                "become its features. Train with rosenblatt train, or predict in Python."
            )
        return self._schema

    @property
    def has_schema(self) -> bool:
        return self._schema is not None

    def label_options(self, new_classes: str | None = None) -> dict[str, Any]:
        """Return the reader arguments for labels of training rows: their type and known classes.

        With new_classes="allow" other classes are accepted as well.
        """
        is_text = any(isinstance(label, str) for label in self.state.card.classes)
        options: dict[str, Any] = {"labels": "text" if is_text else "number"}
        if new_classes != "allow":
            options["classes"] = self.classes
        return options

    def reader(self, reading: Reading, paths: Sequence[str], *, labelled: bool) -> Reader[Any]:
        """Open files, to be read as the training data were; labels must be known classes."""
        self._schema = reading.schema_of(paths, self.schema)
        if not labelled:
            return reading.reader(paths, schema=self.schema, labelled=False)
        return reading.reader(paths, schema=self.schema, **self.label_options())

    def blocks(
        self, reading: Reading, paths: Sequence[str], *, labelled: bool
    ) -> Generator[tuple[AnySchema, Block], None, None]:
        """Yield pairs of schema and block; if the model has no schema, the block defines it."""
        kind = reading.kind_of(paths, self._schema)
        # Sparse rows always have labels, and packed rows know whether they do.
        labelled = labelled and kind in ("text", "table", "vw")
        if self.has_schema:
            with self.reader(reading, paths, labelled=labelled) as blocks:
                for block in blocks:
                    if kind == "svmlight":
                        block.rows = block.rows.narrow(self.schema.n_features)
                    yield self.schema, block
            return
        from rosenblatt.tables.features.schemas import schema_of_columns

        if kind == "text":
            raise click.UsageError(f"{self.path} does not say how texts become its features.")
        types = "number" if kind == "table" else None
        with reading.reader(paths, labelled=labelled, types=types) as blocks:
            for block in blocks:
                yield schema_of_columns(kind, block, self.state.n_features), block


def open_model(path: str, *, n_jobs: int | None = None, taggers: bool = False) -> Model:
    """Open a model file, with its schema if it has one or its feature names define one.

    The model predicts with `n_jobs` threads if its learner can. A tagger, which tags sentences and
    does not predict rows, raises an error unless `taggers` is true.
    """
    from rosenblatt.errors import ModelFileError
    from rosenblatt.persistence.file import read
    from rosenblatt.tables.features.schema import Schema

    state = read(path)
    card = state.card
    model = Model(path, state, None)
    if state.family == "tags":
        if not taggers:
            raise ModelFileError(
                f"{path}: a {card.learner} tags sentences and cannot predict rows. Use rosenblatt "
                "tag predict or rosenblatt tag evaluate."
            )
    elif card.schema is not None:
        model._schema = model.learner.schema_
    elif card.feature_names is not None and card.columns is None:
        # Trained on a data frame: its columns as they are.
        model._schema = Schema.of_numbers(card.feature_names)
    if n_jobs is not None:
        _use_threads(model, n_jobs)
    return model


def _use_threads(model: Model, n_jobs: int) -> None:
    """Set the number of threads of the learner and of its text features."""
    from rosenblatt.tables.features.column_kinds import Words
    from rosenblatt.tables.features.schemas import TextSchema

    if "n_jobs" in model.learner.get_params():
        model.learner.n_jobs = n_jobs
    schema = model._schema
    if isinstance(schema, TextSchema):
        schema.features.n_jobs = n_jobs
    for column in () if schema is None else schema.columns:
        if isinstance(column, Words):
            column.features.n_jobs = n_jobs
