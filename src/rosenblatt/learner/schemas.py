"""How rows of a file, or records of a program, become the features of a learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.errors import ModelFileError, ParameterError

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema

__all__ = ["WithSchema"]


class WithSchema:
    """``schema_``, kept with what was learned."""

    n_features_in_: int
    _fitted: Any
    _schema_read: tuple[Any, AnySchema]

    def __getstate__(self) -> dict[str, Any]:
        # What was read from the notes can be read again, and may not be picklable.
        return {name: kept for name, kept in self.__dict__.items() if name != "_schema_read"}

    def _schema_weights(self) -> Any:
        """Weights by which the names of hashed features are chosen to be kept; None keeps all."""
        return None

    def _take_guessed_schema(self) -> None:
        """Keep the schema that was guessed when the first records were read, if it was."""
        schema = self.__dict__.pop("_guessed_schema", None)
        if schema is not None:
            self.schema_ = schema

    @property
    def _reads_records(self) -> bool:
        """Whether single examples are records of a table, and not mappings of features."""
        kept = self._fitted().notes.get("schema")
        return kept is not None and kept["kind"] == "table"

    @property
    def schema_(self) -> AnySchema | None:
        """How columns of a file become the features; None if nobody said.

        A model that was trained in the shell or on records brings it along. It can be set after
        training, and is then saved with the model, so that the shell can use it too.
        """
        kept = self._fitted().notes.get("schema")
        if kept is None:
            return None
        read = self.__dict__.get("_schema_read")
        if read is None or read[0] is not kept:
            from rosenblatt.features import schema_from_json

            schema = schema_from_json(kept)
            if schema.n_features != self.n_features_in_:
                raise ModelFileError(_misfit(schema, self.n_features_in_))
            read = self._schema_read = kept, schema
        return read[1]

    @schema_.setter
    def schema_(self, schema: AnySchema | None) -> None:
        model = self._fitted()
        kept = None
        if schema is not None:
            if schema.n_features != self.n_features_in_:
                raise ParameterError(_misfit(schema, self.n_features_in_))
            kept = schema.to_json(self._schema_weights())
        # Copies of the model share their notes.
        model.notes = {**model.notes, "schema": kept}


def _misfit(schema: AnySchema, n_features: int) -> str:
    return f"a schema of {schema.n_features:,} features for a model of {n_features:,}."
