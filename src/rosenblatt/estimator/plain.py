"""What scikit-learn asks of an estimator, for those that must load without it."""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

from rosenblatt.errors import ParameterError

__all__ = ["PlainEstimator"]


class PlainEstimator:
    """Parameters by name, as of scikit-learn's BaseEstimator; it clones, searches and pickles."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Without effect: no parameter is an estimator itself.

        Returns
        -------
        params : dict
        """
        return {name: getattr(self, name) for name in _defaults(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name.

        Returns
        -------
        self : estimator
        """
        known = _defaults(type(self))
        for name in params.keys() - known.keys():
            raise ParameterError(
                f"{name!r} is not a parameter of {type(self).__name__}: {', '.join(known)}."
            )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, default in _defaults(type(self)).items()
            if not _same(getattr(self, name), default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    def __sklearn_is_fitted__(self) -> bool:
        raise NotImplementedError

    def _refuse_unfitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"this {type(self).__name__} is not fitted yet: call fit or partial_fit first."
            )


def _defaults(kind: type) -> dict[str, Any]:
    own = signature(kind.__init__).parameters.values()  # type: ignore[misc]
    return {p.name: p.default for p in own if p.kind is p.KEYWORD_ONLY}


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))
