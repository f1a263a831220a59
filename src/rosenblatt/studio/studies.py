"""All that is learned for one state: its examples, the verdict on them, and the runs."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.studio.mapped_rows import MappedRows
from rosenblatt.studio.page_runs import PageRun
from rosenblatt.studio.recipes import recipe
from rosenblatt.studio.states import PageState
from rosenblatt.studio.verdicts import Verdict


class Study:
    """Worked out when asked for, then kept."""

    def __init__(self, state: PageState) -> None:
        self.state = state
        self.examples = MappedRows.of(state)

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
        with np.errstate(all="ignore"):
            return self._with_bias if fit_intercept else self._through_origin

    @cached_property
    def _with_bias(self) -> Verdict:
        return Verdict.on(self.examples, fit_intercept=True)

    @cached_property
    def _through_origin(self) -> Verdict:
        return Verdict.on(self.examples, fit_intercept=False)

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
        """A run with the verdict on its own space, with a bias or without."""
        verdict = self.verdict(run.learner.get("fit_intercept", True))
        proof = verdict.proof(run) if run.has_weights else None
        return run.to_json() | {"proof": proof, "theory": verdict.of(run, proof)}
