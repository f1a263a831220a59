"""Rows given as a list of mappings {feature: number}, or as records that a schema reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import AnyArray, SparseRows
from rosenblatt.engine.rows.mappings import MappingRow, NotANumber
from rosenblatt.engine.rows.records import RecordPlan
from rosenblatt.engine.rows.weights import FLOAT64_LIMIT
from rosenblatt.errors import InputError, ModelFileError, ParameterError, shown
from rosenblatt.estimators.outcome import FitOutcome, of_whole_state, unchanged_on_error

if TYPE_CHECKING:
    from rosenblatt.tables.features.schemas import AnySchema


def is_records(X: Any) -> bool:
    """Whether rows come as a list or tuple of mappings."""
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)


def records_table(
    records: Sequence[Mapping[Any, Any]],
    columns: dict[Any, int] | None = None,
    *,
    unseen: str = "added",
) -> tuple[SparseRows, AnyArray | None]:
    """Sparse rows, and the name of each of their columns; None if they are those of ``columns``.

    Features have a column each in the order in which they first appear; those that a record leaves
    out are 0. With ``columns`` the place of each feature is given: others are "added", "refused" or
    "ignored".
    """
    known = {} if columns is None else columns
    row = MappingRow(dict(known) if unseen == "added" else known)
    values, places, starts = [], [], [0]
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(
                f"record {number} of X is a {type(record).__name__}, but record 0 is a mapping. "
                "Give all rows as mappings, or none."
            )
        try:
            row.read(record, FLOAT64_LIMIT, unseen != "ignored")
        except NotANumber as error:
            feature, value = error.args
            raise not_a_number(feature, value, number) from None
        if row.pending and unseen == "refused":
            raise InputError(
                f"record {number} of X has the feature {row.pending[0]!r}, which was not there in "
                "training. learn_one takes new features."
            )
        row.commit()
        stored = row.stored()
        values.append(stored[0])
        places.append(stored[1])
        starts.append(starts[-1] + len(stored[0]))
    joined = np.concatenate(values), np.concatenate(places), np.array(starts, np.int64)
    rows = SparseRows(*joined, len(row.columns))
    if columns is not None and len(row.columns) == len(columns):
        return rows, None
    names = np.empty(len(row.columns), dtype=object)
    names[:] = list(row.columns)
    return rows, names


def columns_by_name(
    learner: Any, given: str = "X is a list of mappings", instead: str = "an array"
) -> dict[Any, int]:
    """The column of each feature that a fitted learner knows by name."""
    names = getattr(learner, "feature_names_in_", None)
    if names is None:
        raise InputError(
            f"{given}, but this model was trained on columns without names. Give {instead}, or "
            "train on a data frame or on mappings."
        )
    return {name: column for column, name in enumerate(names)}


def not_a_number(feature: Any, value: Any, record: int | None = None) -> InputError:
    place = "" if record is None else f"record {record} of X: "
    if isinstance(value, str):
        return InputError(
            f"{place}feature {feature!r} is {value!r}, which is not a number. Give text features "
            f"as {{{f'{feature}={value}'!r}: 1}}."
        )
    return InputError(
        f"{place}feature {feature!r} is {shown(value)}; only finite numbers up to "
        f"{FLOAT64_LIMIT:g} can be learned from. Leave the feature out of the mapping if its value "
        "is unknown."
    )


class SchemaOwner(FitOutcome):
    """A learner whose model knows how records become rows."""

    @property
    @of_whole_state
    def schema_(self) -> AnySchema | None:
        """How columns of a file become the features; None if nobody said.

        A model that was trained in the shell or on records brings it along. It can be set after
        training, and is then saved with the model, so that the shell can use it too. What is read
        here is a copy: to change the schema of a model, set it.
        """
        from rosenblatt.tables.features.schemas import schema_from_json

        if self._read_schema() is None:
            return None
        return schema_from_json(self._fitted().schema)

    @schema_.setter
    def schema_(self, schema: AnySchema | None) -> None:
        with unchanged_on_error(self) as turn:
            model = self._fitted()
            described = None
            if schema is not None:
                self._refuse_misfit(schema, ParameterError)
                described = schema.to_json(self._schema_weights())
            turn.change_in_place()
            model.schema = described

    def _read_schema(self) -> AnySchema | None:
        """Return the schema by which rows are read, or None; nobody may change it."""
        self._settle_schema()
        described = self._fitted().schema
        if described is None:
            return None
        read = self.__dict__.get("_schema_read")
        if read is None or read[0] is not described:
            from rosenblatt.tables.features.schemas import schema_from_json

            schema = schema_from_json(described)
            self._refuse_misfit(schema, ModelFileError)
            read = self.__dict__["_schema_read"] = described, schema
        return read[1]

    def _settle_schema(self) -> None:
        """Let the schema take over the running means of single records that were learned."""
        engine = self.__dict__.get("_engine")
        plan = None if engine is None else engine.plan
        if plan is None or not plan.has_moved:
            return
        described, schema = self.__dict__["_schema_read"]
        schema = schema.twin()
        schema.set_running(plan.running())
        # A new description: copies of the model share the one before.
        described = schema.with_numbers(described)
        self._model.schema = described
        self.__dict__["_schema_read"] = described, schema
        plan.has_moved = False

    def _refuse_misfit(self, schema: AnySchema, error: type[Exception]) -> None:
        n, own = schema.n_features, self.n_features_in_
        if n != own:
            raise error(f"a schema of {n:,} features for a model of {own:,}.")

    def _schema_weights(self) -> Any:
        """Weights by which the names of hashed features are chosen to be kept; None keeps all."""
        return None

    def _keep_guessed_schema(self) -> None:
        """Keep the schema that records were read by, if it was guessed or has moved on."""
        schema = self.__dict__.pop("_guessed_schema", None)
        if schema is None:
            return
        model = self._fitted()
        known = model.schema
        if known is None:
            self.schema_ = schema
        else:
            known = schema.with_numbers(known)
            model.schema = known
            self._schema_read = known, schema

    def _record_plan(self) -> RecordPlan | None:
        """How a record becomes features by the fast path; None if the schema asks for more."""
        from rosenblatt.tables.features.schema import Schema

        if "_guessed_schema" in self.__dict__:
            return None
        schema = self._read_schema()
        return schema.record_plan() if isinstance(schema, Schema) else None

    @property
    def _reads_records(self) -> bool:
        """Whether single examples are records of a table, and not mappings of features."""
        described = self._fitted().schema
        in_columns = described is not None and described["kind"] == "table"
        return in_columns or self._scaling is not None

    @property
    def _reads_as_is(self) -> bool:
        """Whether arrays are read without a look at names and scales."""
        return "_feature_names" not in self.__dict__ and self._scaling is None

    @property
    def _scaling(self) -> Any:
        """The `ColumnScaling` that all rows go through, if the columns were scaled in training."""
        model = self.__dict__.get("_model")
        return None if model is None else model.column_scaling
