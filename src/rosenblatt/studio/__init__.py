"""The studio: a page in the browser on which every update of a perceptron can be seen.

``rosenblatt studio`` serves it; ``Playground(X, y)`` shows the same page in a notebook. The maths
runs here, in `session`, which knows nothing of HTTP; the page in ``web/`` draws.
"""

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.studio.server import serve as serve
    from rosenblatt.studio.session import Session as Session
    from rosenblatt.studio.widget import Playground as Playground

__getattr__, __dir__, __all__ = lazy.attach(
    __name__, {".server": "serve", ".session": "Session", ".widget": "Playground"}
)
