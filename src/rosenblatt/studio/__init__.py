"""The studio: a page in the browser on which every update of a perceptron can be seen.

``rosenblatt studio`` serves it; ``Playground(X, y)`` shows the same page in a notebook. The maths
runs here, in `session`, which knows nothing of HTTP; the page in ``web/`` draws.

The studio's page
-----------------
`studio/web/` holds plain modules, loaded as they are; `studio/pages.py` joins them for a notebook
and for a file, which has them deflated (`unpack.js` runs them). `boot.js` starts `main.js`, which
holds the state, asks for runs and keeps the parts in step. `studio/web/engine/` is maths and knows
no page (`session.js` answers as `studio/session.py` does: `rules.js`, `weights.js` and
`learning.js` are `rules.h`, `weights.h` and `loop.h` again, `epochs.js` is `models/epochs.py`,
operation by operation, `kernel_training.js` is the kernel perceptron, `nearest.js` with `exact.js`
is the theory in whole numbers; `run_ledger.js`: the weights after any update; `step_formulas.js`:
what an update did, in words), `studio/web/state/` is what the page is at (`address.js`,
`point_editor.js`), `studio/web/views/` is what is seen: `stage.js` with a `picture.js` for each
learner, `pointer_and_keys.js`, bars, tables, cards. What draws is given a pen, of a canvas or of
SVG (`studio/web/views/pen.js`): `plane.js`, `weight_space.js`, `lift.js`, `charts.js`. The course
is Markdown in `docs/course/`: `studio/course.py` makes HTML of its blocks (figures, questions,
exercises) for the site and for one file alike, and `studio/web/course/` makes that live;
`studio/addresses.py` reads the addresses in it.
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
