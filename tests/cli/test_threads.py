"""--n-jobs: threads that predict, of which nothing is seen in what is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.shell import run
from rosenblatt.models import parallel

COMMANDS = (
    "predict made.rbt rows.csv --scores",
    "evaluate made.rbt rows.csv",
    "tag predict tagger.rbt harbour.conllu",
    "tag evaluate tagger.rbt harbour.conllu",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_any_number_of_threads_prints_the_same(
    command: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "FEWEST", 2)
    used, n_threads = [], parallel.n_threads
    monkeypatch.setattr(parallel, "n_threads", lambda n: used.append(n) or n_threads(n))
    alone = run(*command.split())
    assert alone.code == 0
    assert set(used) <= {None}  # taggers do not even ask
    assert run(*command.split(), "--n-jobs", "3") == alone
    assert 3 in used


@pytest.mark.parametrize("command", COMMANDS)
def test_no_thread_at_all_is_refused(command: str, here: Path) -> None:
    refused = run(*command.split(), "--n-jobs", "0")
    assert (refused.code, "give 1 thread or more" in refused.err) == (2, True)
