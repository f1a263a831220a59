"""`TableFeatures`: tables as rows of features in a pipeline, by a schema guessed in ``fit``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.arrays import SparseRows
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.inputs import read_rows
from rosenblatt.estimators.params import option
from rosenblatt.estimators.transformer import Transformer, output_option, rows_as
from rosenblatt.tables.features.records import table_of_array, table_of_frame, table_of_records
from rosenblatt.tables.features.schema import Schema
from rosenblatt.tables.readers.table import Table

if TYPE_CHECKING:
    from rosenblatt.arrays import FloatArray


def _check_mapping(name: str, value: object) -> None:
    if not (value is None or isinstance(value, Mapping)):
        raise ParameterError(f"{name}={value!r} is not allowed: give a dict, or None.")


class TableFeatures(Transformer):
    """Encode tables with columns of any kind as rows of numbers, as ``rosenblatt train`` does.

    ``fit`` guesses a `Schema`: numbers are scaled by median and quartiles and clipped at ±3,
    categories get a feature for each level, texts are hashed n-grams, dates become days, weekdays,
    months and hours; missing values are features of their own. ``transform`` encodes other tables
    with it.

    A table is a data frame of pandas or polars, a list of mappings, a `Table` of
    `rosenblatt.io.read_table`, or an array of numbers.

    Parameters
    ----------
    columns : dict or None, default=None
        Kinds of columns by name, which are then not guessed: "number", "category", "text", "date"
        or "ignored".
    scale : {"robust", "standard"} or None, default="robust"
        How numbers are scaled, as in `Schema.guess`; None leaves them unchanged.
    text : dict or None, default=None
        Arguments of `TextFeatures` for text columns.
    output : {"auto", "rows", "csr_array", "csr_matrix", "array"}, default="auto"
        What ``transform`` returns: "rows" are sparse rows, which every learner here takes and which
        need only NumPy; "csr_array" and "csr_matrix" are SciPy's, for scikit-learn's learners;
        "array" is dense, for data frames and few columns. "auto" is SciPy's array if SciPy is
        loaded, as it is with scikit-learn, otherwise rows: the same three arrays, and no copy of
        them.

    Attributes
    ----------
    schema_ : Schema
        The kinds of the columns; ``describe()`` lists them.
    n_features_in_ : int
        Number of columns in ``fit``.
    feature_names_in_ : ndarray of str objects
        Names of the columns, if ``fit`` had a data frame.

    See Also
    --------
    Schema : The same for files, without scikit-learn's protocol.
    TextFeatures : For texts only.
    sklearn.compose.ColumnTransformer : A transformer of your own for each column.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.features import TableFeatures
    >>> pets = [{"weight": 30, "coat": "short"}, {"weight": 4, "coat": "long"}]
    >>> features = TableFeatures().fit(pets)
    >>> features.get_feature_names_out().tolist()
    ['weight', 'coat=short', 'coat=long']
    >>> model = Perceptron().fit(features.transform(pets), ["dog", "cat"])
    >>> model.predict(features.transform([{"weight": 25, "coat": "short"}])).tolist()
    ['dog']
    """

    columns: Mapping[str, str] | None = option(
        default=None,
        type="dict or None",
        check=_check_mapping,
        help="""
        Kinds of columns by name, which are then not guessed: "number", "category", "text", "date"
        or "ignored".""",
    )
    scale: str | None = option(
        default="robust",
        choices=("robust", "standard"),
        help="How numbers are scaled, as in `Schema.guess`; None leaves them unchanged.",
    )
    text: Mapping[str, Any] | None = option(
        default=None,
        type="dict or None",
        check=_check_mapping,
        help="Arguments of `TextFeatures` for text columns.",
    )
    output: str = output_option()

    dense_setting = "output='array'"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Guess the kinds of the columns, and learn medians, levels and n-grams.

        Parameters
        ----------
        X : data frame, list of mappings, Table or array of numbers
        y : None
            Not used.

        Returns
        -------
        self
        """
        self._fit_rows(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Any:
        """Fit to a table and return its rows, encoding the table only once.

        Parameters
        ----------
        X : data frame, list of mappings, Table or array of numbers
        y : None
            Not used.

        Returns
        -------
        rows : as ``transform`` gives them
        """
        return self._as_output(self._fit_rows(X), X)

    def transform(self, X: Any) -> Any:
        """Encode a table as rows; columns are matched by their names.

        Parameters
        ----------
        X : data frame, list of mappings, Table or array of numbers

        Returns
        -------
        rows : csr_array, SparseRows, csr_matrix or ndarray of shape (n_rows, n_features)
            As ``output`` says; an array if all columns are numbers.
        """
        self._refuse_unfitted()
        return self._as_output(self.schema_.encode(self._table(X, reset=False)), X)

    def _names_out(self) -> list[str]:
        """Return the names of the features: columns with levels, n-grams and parts of dates."""
        return self.schema_.names(range(self._n_features_out))

    def _fit_rows(self, X: Any) -> FloatArray | SparseRows:
        """Guess the schema, and return the rows of features."""
        self.check_parameters()
        table = self._table(X, reset=True)
        declared = dict(self.columns or {})
        # The columns of an array hold numbers, no identifiers and no codes.
        if not _has_names(X):
            declared = dict.fromkeys(table.names, "number") | declared
        schema = Schema.guess(table, declared=declared, scale=self.scale, text=self.text)
        rows = schema.learn(table)
        self.schema_ = schema
        return rows

    def _table(self, X: Any, *, reset: bool) -> Table:
        """Convert X to a table; with ``reset``, store the number and the names of its columns."""
        types = None if reset else self.schema_.types
        declared = self.columns or {}
        as_text = [name for name, kind in declared.items() if kind not in ("number", "ignored")]
        if isinstance(X, Table):
            table = X
        elif hasattr(X, "columns"):
            table = table_of_frame(X, types, as_text=as_text)
        elif _has_names(X):
            table = table_of_records(X, types, as_text=as_text)
        else:
            # Checks and sets the columns itself.
            values = np.asarray(read_rows(self, X, reset=reset)[0], np.float64)
            return table_of_array(values)

        if reset:
            self.n_features_in_ = len(table.names)
            # An earlier fit may have had a data frame.
            self.__dict__.pop("feature_names_in_", None)
            if hasattr(X, "columns"):
                self.feature_names_in_ = np.array(table.names, dtype=object)
        return table

    def _as_output(self, rows: FloatArray | SparseRows, X: Any) -> Any:
        self._options["output"].check(self.output)
        if isinstance(rows, SparseRows):
            rows = rows_as(rows, self.output)
        return self._in_container(rows, X)

    @property
    def _n_features_out(self) -> int:
        return self.schema_.n_features

    def __sklearn_is_fitted__(self) -> bool:
        return "schema_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _has_names(X: object) -> bool:
    """Return whether the columns of X have names: a frame, a table or records."""
    if isinstance(X, Table) or hasattr(X, "columns"):
        return True
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)
