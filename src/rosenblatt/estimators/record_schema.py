"""The schema of a classifier of rows: how the columns of a file, or records, become its features.

The model keeps a description of the schema, which a file holds as well; what was read from the
description is kept on the classifier, in ``_schema_read``, until the description is another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.estimators.turns import unchanged_on_error

if TYPE_CHECKING:
    from rosenblatt.engine.rows.records import RecordPlan
    from rosenblatt.estimators.row_classifier import RowClassifier
    from rosenblatt.tables.features.schemas import AnySchema


def schema_copy(learner: RowClassifier) -> AnySchema | None:
    """Return a schema of the caller's own, or None if the model has none."""
    from rosenblatt.tables.features.schemas import schema_from_json

    if read_schema(learner) is None:
        return None
    return schema_from_json(learner._fitted().schema)


def set_schema(learner: RowClassifier, schema: AnySchema | None) -> None:
    """Let rows be read by a schema from here on; None: by none."""
    with unchanged_on_error(learner) as turn:
        model = learner._fitted()
        described = None
        if schema is not None:
            _refuse_misfit(schema, learner, ParameterError)
            described = schema.to_json(learner._schema_weights())
        turn.change_in_place()
        model.schema = described


def read_schema(learner: RowClassifier) -> AnySchema | None:
    """Return the schema by which rows are read, which must not be changed, or None."""
    learner._settle()
    described = learner._fitted().schema
    if described is None:
        return None

    read = learner.__dict__.get("_schema_read")
    if read is None or read[0] is not described:
        from rosenblatt.tables.features.schemas import schema_from_json

        schema = schema_from_json(described)
        _refuse_misfit(schema, learner, ModelFileError)
        read = (described, schema)
        # Not by setattr, which would close the fast path of single examples.
        learner.__dict__["_schema_read"] = read
    found: AnySchema = read[1]
    return found


def settle_schema(learner: RowClassifier) -> None:
    """Let the schema take over the running means of the records that the fast path learned."""
    engine = learner.__dict__.get("_engine")
    plan = None if engine is None else engine.plan
    if plan is None or not plan.has_moved:
        return
    described, schema = learner.__dict__["_schema_read"]
    schema = schema.twin()
    schema.set_running(plan.running())
    # A new description: copies of the model share the one before.
    described = schema.with_numbers(described)
    learner._model.schema = described
    learner.__dict__["_schema_read"] = (described, schema)
    plan.has_moved = False


def keep_guessed_schema(learner: RowClassifier) -> None:
    """Keep the schema by which records were read, if it was guessed from them or has changed."""
    schema = learner.__dict__.pop("_guessed_schema", None)
    if schema is None:
        return
    model = learner._fitted()
    known = model.schema
    if known is None:
        set_schema(learner, schema)
        return
    described = schema.with_numbers(known)
    model.schema = described
    learner._schema_read = (described, schema)


def record_plan(learner: RowClassifier) -> RecordPlan | None:
    """Return how the fast path reads a record; None if the schema needs the fallback."""
    from rosenblatt.tables.features.schema import Schema

    if "_guessed_schema" in learner.__dict__:
        return None
    schema = read_schema(learner)
    return schema.record_plan() if isinstance(schema, Schema) else None


def _refuse_misfit(schema: AnySchema, learner: RowClassifier, error: type[Exception]) -> None:
    """Raise an error if a schema has another number of features than the model."""
    n = schema.n_features
    own = learner.n_features_in_
    if n != own:
        raise error(f"a schema of {n:,} features for a model of {own:,}.")


def reads_records(model: Any) -> bool:
    """Return whether single examples are records of a table, and not mappings of features."""
    described = model.schema
    is_in_columns = described is not None and described["kind"] == "table"
    return is_in_columns or model.column_scaling is not None
