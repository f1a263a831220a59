"""Pictures of what was learned, and how.

Every function takes a fitted model, a ledger or a result of `theory` and gives a display: an
object that holds what is to be seen as plain numbers. Its `plot` and `save` only draw them, and
only then is Matplotlib loaded (``pip install "rosenblatt[plot]"``).
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rosenblatt import lazy, numpydoc

if TYPE_CHECKING:
    from rosenblatt.plot.animate import animate as animate
    from rosenblatt.plot.boundary import boundary as boundary
    from rosenblatt.plot.confusion import confusion as confusion
    from rosenblatt.plot.contributions import contributions as contributions
    from rosenblatt.plot.kernel_boundary import kernel_boundary as kernel_boundary
    from rosenblatt.plot.lift import lift as lift
    from rosenblatt.plot.losses import losses as losses
    from rosenblatt.plot.mistakes import mistakes as mistakes
    from rosenblatt.plot.one_hot import one_hot as one_hot
    from rosenblatt.plot.orders import orders as orders
    from rosenblatt.plot.projection import projection as projection
    from rosenblatt.plot.proof import proof as proof
    from rosenblatt.plot.regions import regions as regions
    from rosenblatt.plot.reliability import reliability as reliability
    from rosenblatt.plot.score_curves import score_curves as score_curves
    from rosenblatt.plot.side_by_side import side_by_side as side_by_side
    from rosenblatt.plot.tag_path import tag_path as tag_path
    from rosenblatt.plot.updates import updates as updates
    from rosenblatt.plot.vote import vote as vote
    from rosenblatt.plot.weights import weights as weights

NAMES = (
    "animate boundary confusion contributions kernel_boundary lift losses mistakes one_hot orders "
    "projection proof regions reliability score_curves side_by_side tag_path updates vote weights"
)
__getattr__, __dir__, __all__ = lazy.attach(__name__, {f".{name}": name for name in NAMES.split()})

# What several of the functions take; their docstrings get it where they do not say it themselves.
SHARED = {
    "y": "y : array-like of shape (n_samples,){}\n    Their labels.\n",
    "box": "box : (xmin, xmax, ymin, ymax){}\n"
    "    What part of the plane to show. None shows all rows.\n",
}


def _documented(function: Any) -> Any:
    """A function of this package; its docstring gets what many share, and what it returns."""
    names = inspect.signature(function).parameters
    optional = {name: ", default=None" * (names[name].default is None) for name in names}
    shared = {name: text.format(optional.get(name)) for name, text in SHARED.items()}
    numpydoc.share(function, shared)
    if function.__doc__ is not None:  # it is with python -OO
        opening, parts = numpydoc.sections(function.__doc__)
        returned = {"Returns": f"display : {function.__annotations__['return']}"}
        function.__doc__ = numpydoc.join(opening, returned | parts)
    return function


class _Pictures(ModuleType):
    """This package. Each function lives in a module of its own name.

    The import system sets a module it has loaded as an attribute of its package; here the
    function takes that place, whoever imported the module first.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in __all__ and isinstance(value, ModuleType):
            value = _documented(getattr(value, name))
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Pictures
