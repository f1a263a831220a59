"""The studio: a page in the browser on which every update of a perceptron can be seen.

``rosenblatt studio`` serves it; ``Playground(X, y)`` shows the same page in a notebook. The maths
runs here, in `session`, which knows nothing of HTTP; the page in ``web/`` draws.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["Playground", "Session", "serve"]

_WHERE = {"Playground": "widget", "Session": "session", "serve": "server"}

if TYPE_CHECKING:
    from rosenblatt.studio.server import serve
    from rosenblatt.studio.session import Session
    from rosenblatt.studio.widget import Playground


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
