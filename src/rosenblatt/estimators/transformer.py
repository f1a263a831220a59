"""The base class of all transformers, and the container of their output.

scikit-learn's protocol without its base class, as `rosenblatt.estimators.base` has it for learners.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Origin, SparseRows, is_sparse
from rosenblatt.errors import MissingExtra, ParameterError
from rosenblatt.estimators.base import Estimator
from rosenblatt.estimators.params import option

CONTAINERS = ("default", "pandas", "polars")
# Values of `output` for sparse rows, with the origin that each stands for.
SPARSE: dict[str, Origin] = {
    "rows": "csr",
    "csr_array": "csr_array",
    "csr_matrix": "csr_matrix",
}


def output_option() -> Any:
    """Declare the option ``output`` of transformers that compute sparse rows."""
    return option(
        default="auto",
        choices=("auto", *SPARSE, "array"),
        help="""
        What ``transform`` returns: "rows" are sparse rows, which every learner here takes and which
        need only NumPy; "csr_array" and "csr_matrix" are SciPy's, for scikit-learn's learners;
        "array" is dense, for data frames and few columns. "auto" is SciPy's array if SciPy is
        loaded, as it is with scikit-learn, otherwise rows: the same three arrays, and no copy of
        them.""",
    )


def rows_as(rows: SparseRows, output: str) -> Any:
    """Return sparse rows in the format that ``output`` names."""
    if output == "array":
        return rows.toarray()
    if output == "auto":
        output = "csr_array" if "scipy.sparse" in sys.modules else "rows"
    rows.origin = SPARSE[output]
    return rows.to_origin()


class Transformer(Estimator):
    """Base of the transformers, which turn rows into other rows.

    A transformer has ``fit`` and ``transform``, which ends with `_in_container`, and says how many
    output features it has, or their names.
    """

    # The parameter that makes a transformer with sparse output return arrays, for an error message.
    dense_setting: ClassVar[str] = ""

    @property
    def _n_features_out(self) -> int:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Self:
        raise NotImplementedError

    def transform(self, X: Any) -> Any:
        raise NotImplementedError

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit to the rows, then transform them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : None
            Not used.
        **params : dict
            Further arguments of ``fit``.

        Returns
        -------
        X_new : as ``transform`` gives it
        """
        return self.fit(X, y, **params).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the output features.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Only compared with the names seen in ``fit``.
        """
        self._refuse_unfitted()
        if input_features is not None:
            self._check_input_features(np.asarray(input_features, dtype=object))
        return np.array(self._names_out(), dtype=object)

    def _names_out(self) -> list[str]:
        """Return the default names of the output features: the name of the class and a number."""
        prefix = type(self).__name__.lower()
        return [f"{prefix}{i}" for i in range(self._n_features_out)]

    def _check_input_features(self, names: npt.NDArray[np.object_]) -> None:
        fitted = getattr(self, "feature_names_in_", None)
        if fitted is not None and not np.array_equal(fitted, names):
            raise ParameterError(
                "input_features is not equal to feature_names_in_: leave it out, or give the names "
                "that were seen in fit."
            )
        expected = getattr(self, "n_features_in_", len(names))
        if len(names) != expected:
            raise ParameterError(
                f"input_features should have length equal to number of features ({expected}), got "
                f"{len(names)}"
            )

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what ``transform`` and ``fit_transform`` return.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default=None
            Rows as they are, or a data frame of one of these packages, with names. None changes
            nothing; unless something was chosen, scikit-learn's ``transform_output`` holds.
        """
        if transform is not None:
            # scikit-learn's own name: its clone takes this along.
            self._sklearn_output_config = {"transform": _known_container(transform)}
        return self

    def _in_container(self, out: Any, X: Any) -> Any:
        """Return the output of ``transform`` as the chosen data frame; unchanged by default."""
        container = self._container()
        if container == "default":
            return out
        if is_sparse(out):
            what = "sparse rows" if isinstance(out, SparseRows) else "a scipy sparse matrix"
            how = f" ({self.dense_setting})" if self.dense_setting else ""
            raise ParameterError(
                f"The transformer outputs {what}. Try to set the transformer output to a dense "
                f"array{how} or disable {container.capitalize()} output with "
                "set_output(transform='default')."
            )
        try:
            package = importlib.import_module(container)
        except ImportError:
            raise MissingExtra(
                f"Setting output container to {container!r} requires {container} to be installed",
                cures=[f"install it with pip install {container}"],
            ) from None
        names = self.get_feature_names_out()
        if container == "polars":
            return package.DataFrame(out, schema=names.tolist(), orient="row")
        is_indexed = isinstance(X, package.DataFrame | package.Series)
        return package.DataFrame(out, index=X.index if is_indexed else None, columns=names)

    def _container(self) -> str:
        chosen = self.__dict__.get("_sklearn_output_config", {})
        if "transform" in chosen:
            return str(chosen["transform"])
        if "sklearn" not in sys.modules:
            return "default"
        from sklearn import get_config

        return _known_container(get_config()["transform_output"])

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.transformer_tags = TransformerTags()
        return tags


def _known_container(container: object) -> str:
    if container not in CONTAINERS:
        raise ParameterError(f"output config must be in {list(CONTAINERS)}, got {container!r}")
    return str(container)
