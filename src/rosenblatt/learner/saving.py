"""How a learner hands itself over to a model file, and is made from one again."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rosenblatt.errors import ModelFileError

if TYPE_CHECKING:  # files are not for those who only fit and predict
    from rosenblatt.model.layout import Layout
    from rosenblatt.model.state import State

__all__ = ["Saved"]


class Saved:
    """`to_state` and `from_state`, between which nothing is lost.

    What a family keeps it says in its layout. What is worked out when asked for, such as ``coef_``,
    follows from that; what a ``fit`` leaves behind is kept as its record.
    """

    check_parameters: Any
    get_params: Any
    _fit_record: Any
    _fitted: Any
    _refuse_unfitted: Any
    _restore_fit: Any

    # Where the layout of the family is: a module that is loaded when a file is.
    layout: ClassVar[str]

    @classmethod
    def file_layout(cls) -> Layout:
        """How the files of this family are laid out."""
        module, _, name = cls.layout.partition(":")
        layout: Layout = getattr(import_module(module), name)()
        return layout

    def to_state(self) -> State:
        """All there is to know, as data for a file; what no file can hold is refused."""
        from rosenblatt import __version__
        from rosenblatt.model.card import FORMAT, Card, Data, Record
        from rosenblatt.model.container import ZEROS
        from rosenblatt.model.soundness import dtype_name
        from rosenblatt.model.state import State

        layout = self.file_layout()
        self._refuse_unfitted()
        self.check_parameters()
        model = self._fitted()
        facts, arrays = layout.put(self, model)
        if "mistakes_per_row_" in self.__dict__:
            arrays["mistakes_per_row"] = self.__dict__["mistakes_per_row_"]
        data, names = model.notes.get("data"), self.__dict__.get(layout.names_attribute)
        card = Card(
            format=FORMAT,
            version=__version__,
            sha256=ZEROS,
            learner=type(self).__name__,
            parameters=self.get_params(deep=False),
            classes=list(model.classes),
            label_dtype=dtype_name(model.label_dtype),
            feature_names=None if names is None else [str(name) for name in names],
            columns=None if model.columns is None else list(model.columns),
            schema=model.notes.get("schema"),
            random=model.random,
            record=Record(
                seed=model.seed,
                t=model.t,
                n_mistakes=model.n_mistakes,
                data=None if data is None else Data(**data),
                fit=self._fit_record(),
            ),
            model=facts,
        )
        return State(card, arrays)

    @classmethod
    def from_state(cls, state: State) -> Self:
        """A learner of a state that was read and is therefore sound."""
        import numpy as np

        card, layout = state.card, cls.file_layout()
        learner = cls(**card.parameters)
        if card.feature_names is not None:
            names = np.empty(len(card.feature_names), object)
            names[:] = card.feature_names
            learner.__dict__[layout.names_attribute] = names
        if card.record.fit is not None:
            learner._restore_fit(card.record.fit, state.arrays.get("mistakes_per_row"))
        try:
            learner.check_parameters()
            layout.take(learner, state)
        except ModelFileError:
            raise
        # A word that cannot be written as UTF-8 is a ValueError, as is a number without end.
        except (ValueError, OverflowError) as error:
            raise ModelFileError(f"{card.learner}: {error}") from None
        return learner
