"""Rows given as a list of mappings {feature: number}, or as records that a schema encodes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import AnyArray, SparseRows
from rosenblatt.engine.rows.mappings import MappingRow, NotANumber
from rosenblatt.engine.rows.weights import FLOAT64_LIMIT
from rosenblatt.errors import InputError, ModelFileError, ParameterError, shown
from rosenblatt.estimators.base import unchanged_on_error

if TYPE_CHECKING:
    from rosenblatt.engine.rows.records import RecordPlan
    from rosenblatt.estimators.base import Estimator
    from rosenblatt.estimators.row_classifier import RowClassifier
    from rosenblatt.models.model import Model
    from rosenblatt.tables.features.schemas import AnySchema


def is_records(X: object) -> bool:
    """Return whether ``X`` is a list or tuple of mappings."""
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)


def records_table(
    records: Sequence[Mapping[Any, Any]],
    columns: dict[Hashable, int] | None = None,
    *,
    unseen: str = "added",
) -> tuple[SparseRows, AnyArray | None]:
    """Convert mappings to sparse rows; return the rows, and the column names if there are new ones.

    Features have a column each in the order in which they first appear; those that a record leaves
    out are 0. ``columns`` gives the column of each known feature; ``unseen`` says whether others
    are "added", "refused" or "ignored".
    """
    known = {} if columns is None else columns
    row = MappingRow(dict(known) if unseen == "added" else known)
    values = []
    places = []
    starts = [0]
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
    rows = SparseRows(
        np.concatenate(values),
        np.concatenate(places),
        np.array(starts, np.int64),
        len(row.columns),
    )
    if columns is not None and len(row.columns) == len(columns):
        return rows, None
    names = np.empty(len(row.columns), dtype=object)
    names[:] = list(row.columns)
    return rows, names


def columns_by_name(
    learner: Estimator, given: str = "X is a list of mappings", instead: str = "an array"
) -> dict[Hashable, int]:
    """Return the column of each feature by name; raise InputError if features have no names."""
    names = getattr(learner, "feature_names_in_", None)
    if names is None:
        raise InputError(
            f"{given}, but this model was trained on columns without names. Give {instead}, or "
            "train on a data frame or on mappings."
        )
    return {name: column for column, name in enumerate(names)}


def not_a_number(feature: object, value: object, record: int | None = None) -> InputError:
    """Return the error for a feature value that is not a finite number."""
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


# ---------------------------------------------------------------------- the schema of a learner

# The model stores a description of the schema, which a file holds as well. The schema that was read
# from it is cached on the learner, in ``_schema_read``, until the description changes.


def schema_copy(learner: RowClassifier) -> AnySchema | None:
    """Return a copy of the schema of the model; None if it has none."""
    from rosenblatt.tables.features.schemas import schema_from_json

    if read_schema(learner) is None:
        return None
    return schema_from_json(learner._fitted().schema)


def set_schema(learner: RowClassifier, schema: AnySchema | None) -> None:
    """Set the schema that encodes rows from now on; None removes it."""
    with unchanged_on_error(learner) as turn:
        model = learner._fitted()
        described = None
        if schema is not None:
            _refuse_misfit(schema, learner, ParameterError)
            described = schema.to_json(learner._schema_weights())
        turn.change_in_place()
        model.schema = described


def read_schema(learner: RowClassifier) -> AnySchema | None:
    """Return the schema of the model, or None if it has none; callers must not change it."""
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
    """Write the running means of the fast path back to the schema of the model."""
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
    """Store the schema of the records in the model, if it was guessed from them or has changed."""
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
    """Return the plan by which the fast path reads records; None if they need the fallback."""
    from rosenblatt.tables.features.schema import Schema

    if "_guessed_schema" in learner.__dict__:
        return None
    schema = read_schema(learner)
    return schema.record_plan() if isinstance(schema, Schema) else None


def _refuse_misfit(schema: AnySchema, learner: RowClassifier, error: type[Exception]) -> None:
    """Raise ``error`` if the schema and the model differ in the number of features."""
    n = schema.n_features
    own = learner.n_features_in_
    if n != own:
        raise error(f"a schema of {n:,} features for a model of {own:,}.")


def reads_records(model: Model[Any]) -> bool:
    """Return whether single examples are records of a table, and not mappings of features."""
    described = model.schema
    is_in_columns = described is not None and described["kind"] == "table"
    return is_in_columns or model.column_scaling is not None
