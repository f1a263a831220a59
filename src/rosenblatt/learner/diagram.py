"""How an estimator shows itself in a notebook."""

from __future__ import annotations

import sys
from html import escape
from typing import Any

__all__ = ["Diagram"]


class Diagram:
    """scikit-learn's diagram for those who use it, else the parameters; a summary may follow."""

    def _repr_html_(self) -> str:
        return self._diagram_html() + self._summary_html()

    def _diagram_html(self) -> str:
        if "sklearn" in sys.modules:
            from sklearn.utils import estimator_html_repr

            return str(estimator_html_repr(self))
        return f"<pre>{escape(repr(self))}</pre>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _summary_html(self) -> str:
        return ""
