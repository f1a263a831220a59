"""A model file as commands use it: its learner, its schema, and blocks of files it can read."""

from __future__ import annotations

import math
import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import AdvisedReader, Reading

if TYPE_CHECKING:
    import numpy.typing as npt

    from rosenblatt.persistence.card import State
    from rosenblatt.tables.features.named_weights import NamedWeights
    from rosenblatt.tables.features.schemas import AnySchema


@dataclass
class Model:
    """What was read from a file."""

    path: str
    state: State
    _schema: AnySchema | None

    @property
    def schema(self) -> AnySchema:
        """How rows become features; an error says so if the file does not know."""
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

    @property
    def classes(self) -> list[Any]:
        """In order."""
        return sorted(self.state.card.classes)

    def label_options(self, new_classes: str | None = None) -> dict[str, Any]:
        """How labels of a file are read that the model learns from: the same kind, same classes."""
        kind = "text" if any(isinstance(c, str) for c in self.state.card.classes) else "number"
        return {"labels": kind} | ({} if new_classes == "allow" else {"classes": self.classes})

    @cached_property
    def learner(self) -> Any:
        """The learner itself, as `rosenblatt.load` makes it."""
        from rosenblatt.persistence.file import learner_of

        return learner_of(self.state, self.path)

    def predict(self, X: Any, threshold: float | None = None) -> list[Any]:
        """The class of each row, as the learner predicts it, or by a threshold."""
        if threshold is not None:
            return self.outputs(X, threshold)[0].tolist()  # type: ignore[no-any-return]
        return self._asked("predict", X).tolist()  # type: ignore[no-any-return]

    def outputs(self, X: Any, threshold: float | None) -> tuple[Any, Any, Any]:
        """Predictions, scores and probabilities, as `rosenblatt.inspection.metrics` has them."""
        from rosenblatt.estimators.inputs import rows_without_names
        from rosenblatt.inspection.metrics import outputs

        with rows_without_names():
            return outputs(self.learner, X, threshold)

    def probabilities(self, X: Any) -> npt.NDArray[Any]:
        """The probability of each class in order."""
        return self._asked("predict_proba", X)

    def _asked(self, method: str, X: Any) -> npt.NDArray[Any]:
        from rosenblatt.estimators.inputs import rows_without_names

        with rows_without_names():
            found: npt.NDArray[Any] = getattr(self.learner, method)(X)
        return found

    def refuse_lacking(self, *, proba: bool = False, threshold: float | None = None) -> None:
        """Refuse to ask for probabilities that there are none of, or for another threshold."""
        has_probabilities = hasattr(self.learner, "calibration_")
        if proba and not has_probabilities:
            raise click.UsageError(
                f"{self.path} has scores and no probabilities; rosenblatt train --calibrate fits "
                "them."
            )
        if threshold is not None and len(self.classes) != 2:
            raise click.UsageError(
                f"--threshold is for two classes, but {self.path} has {len(self.classes)}."
            )
        sound = -math.inf < (threshold or 0.0) < math.inf
        if (has_probabilities and not 0 <= (threshold or 0.0) <= 1) or not sound:
            allowed = "a probability, from 0 to 1" if has_probabilities else "a score"
            raise click.UsageError(f"--threshold {threshold:g}: give {allowed}.")

    def scores(self, X: Any) -> npt.NDArray[Any]:
        """A score of each row for each class in order (-s and s for two)."""
        import numpy as np

        scores = self._asked("decision_function", X)
        if len(self.classes) < 2:
            return np.zeros((len(scores), len(self.classes)))
        return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores

    @property
    def has_weights(self) -> bool:
        """A kernel machine has support rows instead, and those of a tagger have no names."""
        return self.state.family == "linear"

    @property
    def tags_sentences(self) -> bool:
        return self.state.family == "tags"

    def refuse_without_weights(self) -> None:
        from rosenblatt.errors import ModelFileError

        if not self.has_weights:
            raise ModelFileError(
                f"{self.path}: a {self.state.card.learner} has no weights; it predicts by its "
                "support rows. For this load it in Python (rosenblatt.load)."
            )

    @property
    def weights(self) -> NamedWeights:
        """What predicts, by name; of a model without weights the features alone."""
        from rosenblatt.tables.features.named_weights import NamedWeights

        coef, intercept = None, None
        if self.has_weights:
            coef, intercept = self.learner.coef_, self.learner.intercept_
        n_features = self.state.n_features
        return NamedWeights(coef, intercept, self.classes, n_features, self.names, self._schema)

    def names(self, features: Sequence[int]) -> list[str]:
        """What features are called, by the best that the file knows."""
        from rosenblatt.estimators.explain_rows import feature_names_of

        return feature_names_of(self.learner, features)

    def reader(self, reading: Reading, paths: Sequence[str], *, labelled: bool) -> AdvisedReader:
        """Blocks of files, read as the training data were; labels must be known classes."""
        self._schema = reading.schema_of(paths, self.schema)
        if not labelled:
            return reading.reader(paths, schema=self.schema, labelled=False)
        return reading.reader(paths, schema=self.schema, **self.label_options())

    def blocks(
        self, reading: Reading, paths: Sequence[str], *, labelled: bool
    ) -> Generator[tuple[AnySchema, Any], None, None]:
        """Blocks of files, each with the schema of the model or, if it has none, its columns."""
        kind = reading.kind_of(paths, self._schema)
        # Only of texts it cannot be seen whether there are labels; elsewhere they do no harm.
        labelled = labelled and kind in ("text", "table")
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
    """Read a model file and its schema, if it has one or one follows from what it knows.

    It predicts by so many threads, where its learner can use them. A tagger is refused unless it is
    asked for, as it tags sentences and does not predict rows.
    """
    from rosenblatt.errors import ModelFileError
    from rosenblatt.persistence.file import read
    from rosenblatt.tables.features.schema import Schema

    state = read(path)
    card, model = state.card, Model(path, state, None)
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
        texts = [getattr(c, "features", None) for c in getattr(model._schema, "columns", ())]
        for owner in (model.learner, getattr(model._schema, "features", None), *texts):
            if hasattr(owner, "n_jobs"):
                owner.n_jobs = n_jobs
    return model


def refuse_other_model(
    path: str, learner: str, target: str | int | None, data: Sequence[str]
) -> None:
    """Refuse a name that nobody gave if it is that of a model that was trained otherwise.

    The same learner, the same target and the same files: then a command was repeated.
    """
    from rosenblatt.errors import ModelFileError
    from rosenblatt.persistence.file import digest_of, read

    if not os.path.exists(path):
        return
    why = "trained on other data"
    try:
        card = read(path).card
        record = card.record
        trained_by = card.learner if record.search is None else "AutoLinear"
        if trained_by != learner:
            why = f"trained by {trained_by}"
        elif (card.schema or {}).get("target") != target:
            why = "trained for another target"
        elif record.data is None or "-" in data:
            why = "trained on data that cannot be compared"
        elif record.data.t < record.t:
            why = "which has learned on since"
        elif record.data.sha256 == digest_of(list(data))[0]:
            return
    except ModelFileError:
        why = "but none of this version"
    raise click.UsageError(
        f"{path} is a model already, {why}; --out {path} replaces it, another name keeps both."
    )
