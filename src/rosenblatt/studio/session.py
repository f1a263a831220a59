"""The session: what a page asks, answered. It knows nothing of HTTP or notebooks.

Every question is a name and a JSON object, every answer is a JSON object; what cannot be answered
is an error of one sentence.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.models.result import STOP_REASONS, stop_text
from rosenblatt.studio import fields
from rosenblatt.studio.contours import contour, read_box
from rosenblatt.studio.controls import controls
from rosenblatt.studio.kernel_verdicts import kernel_theory
from rosenblatt.studio.mapped_rows import MappedRows
from rosenblatt.studio.page_runs import PageRun, as_csv
from rosenblatt.studio.pages import page
from rosenblatt.studio.presets import PRESETS
from rosenblatt.studio.recipes import recipe
from rosenblatt.studio.scripts import notebook, script
from rosenblatt.studio.states import PageState, complete
from rosenblatt.studio.verdicts import Verdict

# A page asks again and again of the same runs, at other updates.
KEPT = 8


class Session:
    """Answers questions about states; keeps nothing of them but the last few runs.

    Parameters
    ----------
    start : mapping, default=None
        The state a page begins with; by default the six points of the first lecture.
    name : str, default=None
        What that data is called, such as the name of its file.

    Examples
    --------
    >>> from rosenblatt.studio import Session
    >>> answer = Session().ask("run", {"data": {"preset": "six"}})
    >>> run = answer["runs"][0]
    >>> run["row"], run["weights"][-3:], answer["theory"]["separable"]
    ([0, 2, 4], [3, 1, 0], True)
    """

    def __init__(self, start: Mapping[str, Any] | None = None, name: str | None = None) -> None:
        self._start = complete({} if start is None else start)
        self._name = name
        self._studies: OrderedDict[str, Study] = OrderedDict()
        self._lock = Lock()
        self._questions: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "start": self._begin,
            "run": self._run,
            "contour": self._contour,
            "script": lambda body: {"text": script(self._study(complete(body)))},
            "notebook": lambda body: {"text": notebook(self._study(complete(body)))},
            "csv": self._csv,
            "page": self._page,
        }

    @property
    def questions(self) -> tuple[str, ...]:
        """What can be asked."""
        return tuple(self._questions)

    def ask(self, name: str, body: Any) -> dict[str, Any]:
        """The answer to a question; one question at a time."""
        if name not in self._questions:
            raise ParameterError(
                f"{fields.shown(name)} is no question: ask {', '.join(self._questions)}."
            )
        with self._lock:
            return self._questions[name](fields.mapping("the question", body))

    def one_file(self, *, course: bool = False) -> str:
        """The page as one file that begins with the state of this session."""
        from rosenblatt.studio.course import templates

        chapters = templates() if course else ""
        return page(self._study(self._start), self._start, self._begin({}), chapters)

    # ------------------------------------------------------------------ the questions

    def _begin(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """All that the page must know to learn by itself, in its own engine."""
        from rosenblatt.studio.course import speaker_notes

        return {
            "state": self._start.to_json(),
            "presets": [{"id": key, **preset.to_json()} for key, preset in PRESETS.items()],
            "learners": controls(),
            "stop_reasons": {reason: stop_text(reason, "points") for reason in STOP_REASONS},
            "name": self._name,
            "notes": speaker_notes(),
        }

    def _run(self, body: Mapping[str, Any]) -> dict[str, Any]:
        state = complete(body)
        return self._study(state).to_json(state)

    def _contour(self, body: Mapping[str, Any]) -> dict[str, Any]:
        fields.refuse_unknown("the question", body, "state", "run", "at", "box")
        state = complete(body.get("state", {}))
        run = self._chosen(state, body)
        at = fields.whole("at", body.get("at", 0), at_least=0, at_most=10**9)
        box = read_box(body.get("box"))
        return contour(run, state.map, min(at, run.n_updates), box)

    def _csv(self, body: Mapping[str, Any]) -> dict[str, Any]:
        fields.refuse_unknown("the question", body, "state", "run")
        return {"text": as_csv(self._chosen(complete(body.get("state", {})), body))}

    def _page(self, body: Mapping[str, Any]) -> dict[str, Any]:
        state = complete(body)
        return {"text": page(self._study(state), state, self._begin({}))}

    def _chosen(self, state: PageState, body: Mapping[str, Any]) -> PageRun:
        runs = self._study(state).runs
        return runs[fields.whole("run", body.get("run", 0), at_least=0, at_most=len(runs) - 1)]

    # ------------------------------------------------------------------ what is kept

    def _study(self, state: PageState) -> Study:
        """What was learned for a state, now or lately."""
        asked = {k: v for k, v in state.to_json().items() if k not in ("at", "view")}
        key = json.dumps(asked, sort_keys=True)
        study = self._studies.pop(key, None) or Study(state)
        self._studies[key] = study
        while len(self._studies) > KEPT:
            self._studies.popitem(last=False)
        return study


# ---------------------------------------------------------------------- what is learned


class Study:
    """Worked out when asked for, then kept."""

    def __init__(self, state: PageState) -> None:
        self.state = state
        self.examples = MappedRows.of(state)
        self._verdicts: dict[bool, Verdict] = {}

    @cached_property
    def runs(self) -> list[PageRun]:
        found: list[PageRun] = []
        for i, learner in enumerate(self.state.learners):
            of = recipe(self.state, learner, self.examples, f"Learner {i + 1}")
            try:
                fitted = of.fitted(self.examples)
            except InputError as error:  # numbers that it cannot reckon with
                raise error.preceded(f"Learner {i + 1}: ") from None
            found.append(PageRun(of, learner, self.examples, fitted))
        return found

    def verdict(self, fit_intercept: bool) -> Verdict:
        # A verdict comes with a certificate, so what overflowed on the way to it does no harm.
        if fit_intercept not in self._verdicts:
            with np.errstate(all="ignore"):
                found = Verdict.on(self.examples, fit_intercept=fit_intercept)
            self._verdicts[fit_intercept] = found
        return self._verdicts[fit_intercept]

    def to_json(self, state: PageState) -> dict[str, Any]:
        """The answer to the state; what it says of the view is as asked."""
        runs = [self._told(run) for run in self.runs]
        return {
            "state": state.to_json(),
            "data": self.examples.to_json(),
            "theory": runs[0]["theory"],
            "runs": runs,
        }

    def _told(self, run: PageRun) -> dict[str, Any]:
        """A run with the verdict on its own space: with a bias or without, or that of a kernel."""
        if not run.has_weights:
            return run.to_json() | {"theory": kernel_theory(run)}
        verdict = self.verdict(run.learner["fit_intercept"])
        proof = verdict.proof(run)
        return run.to_json() | {"proof": proof, "theory": verdict.of(run, proof)}
