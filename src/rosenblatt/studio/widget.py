"""The studio in a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError, MissingExtra, RosenblattError
from rosenblatt.html_tables import DARK_PAGE, LIGHT_PAGE
from rosenblatt.studio import fields
from rosenblatt.studio.mapped_rows import numbers_of
from rosenblatt.studio.pages import WEB, joined
from rosenblatt.studio.session import Session

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise MissingExtra("the studio in a notebook needs anywidget", extra="notebook") from error

THEMES = f'const DARK = "{DARK_PAGE}", LIGHT = "{LIGHT_PAGE}";'
# Questions and answers are messages with a number, since they may overtake each other. Keys stay in
# the widget: JupyterLab acts on those that bubble up to it and, where it hears them before the page
# does, leaves an element alone that has this attribute.
RENDER = """
const OWN_KEYS = "data-lm-suppress-shortcuts";
function render({model, el}) {
  const root = document.createElement("div");
  root.className = "studio";
  el.append(root);
  const waiting = new Map();
  let last = 0;
  const hear = ({id, answer, error}) => {
    const asked = waiting.get(id);
    if (!asked) return;
    waiting.delete(id);
    if (error === undefined) asked.resolve(answer);
    else asked.reject(new Error(error.message));
  };
  const ask = (name, body) => new Promise((resolve, reject) => {
    last += 1;
    waiting.set(last, {resolve, reject});
    model.send({id: last, name, body});
  });
  model.on("msg:custom", hear);
  el.addEventListener("focusin", (event) => event.target.setAttribute(OWN_KEYS, "true"));
  el.addEventListener("keydown", (event) => event.stopPropagation());
  const {appearance} = mount(root, {ask, initial: model.get("initial")});
  const {body} = document;
  let known = null;
  const follow = () => {
    const theme = body.matches(DARK) ? "dark" : body.matches(LIGHT) ? "light" : null;
    if (theme === known) return;
    known = appearance.chosen = theme;
    appearance.apply();
  };
  const observer = new MutationObserver(follow);
  observer.observe(body, {attributes: true, attributeFilter: ["class", "data-jp-theme-light"]});
  follow();
  return () => {
    model.off("msg:custom", hear);
    observer.disconnect();
  };
}
export default {render};
"""


class Playground(anywidget.AnyWidget):
    """Every update of a perceptron on your own points, in a notebook.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        The points; a data frame gives their names. None begins with the six points of a lecture.
    y : array-like of shape (n_samples,), default=None
        Their classes, of any kind.
    **state
        Other fields of the state to begin with, such as ``map="product"`` or
        ``learners=[{"kind": "averaged"}]``.

    Examples
    --------
    >>> from rosenblatt.studio import Playground
    >>> Playground([[0, 0], [1, 1]], ["no", "yes"])  # doctest: +SKIP
    """

    _esm = joined("main.js") + THEMES + RENDER
    _css = (WEB / "style.css").read_text("utf-8")
    initial = traitlets.Dict().tag(sync=True)

    def __init__(self, X: Any = None, y: Any = None, **state: Any) -> None:
        if X is not None:
            state["data"] = _data(X, y)
        self._session = Session(state)
        super().__init__(initial=self._session.ask("start", {})["state"])
        self.on_msg(self._hear)

    def _hear(self, _: Any, content: Any, __: Any) -> None:
        """Answer a question of the page."""
        message = content if isinstance(content, dict) else {}
        answer: dict[str, Any] = {"id": message.get("id")}
        try:
            answer["answer"] = self._session.ask(str(message.get("name")), message.get("body"))
        except RosenblattError as error:
            answer["error"] = error.to_json()
        self.send(answer)


def _data(X: Any, y: Any) -> dict[str, Any]:
    columns = [str(name) for name in getattr(X, "columns", ("x", "y"))]
    points = np.asarray(X, np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise InputError(
            f"X has shape {points.shape}: a plane shows two columns, so choose two of them."
        )
    if y is None or len(y) != len(points):
        n = "none" if y is None else str(len(y))
        raise InputError(f"X has {len(points)} rows and y {n}: give a class for each row.")
    labels = np.asarray(y).tolist()
    rows = [
        [*numbers_of(point), fields.text(f"y[{i}]", str(label), most=200)]
        for i, (point, label) in enumerate(zip(points, labels, strict=True))
    ]
    return {"columns": columns, "rows": rows}
