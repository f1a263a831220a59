"""Settings shared by all tests; this file also makes `reference` and `strategies` importable."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# As many processes as cores: threads of BLAS on top would only get in each other's way.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

settings.register_profile(
    "quick",
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
settings.load_profile("quick")


def pytest_configure() -> None:
    """Let the commands that tests start hear every signal, also in the background and under nohup.

    There SIGINT, SIGQUIT or SIGHUP are ignored, and a child inherits what its parent ignores. What
    the parent handles is reset to the default when the child starts. So these signals get a handler
    here that does nothing: the tests themselves still cannot be ended by them.
    """
    for name in ("SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _do_nothing)


def _do_nothing(*_: object) -> None:
    pass


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """All cores for folders; for a file or a test starting other processes takes too long."""
    single = all(".py" in argument for argument in config.args)
    return 0 if single or config.option.keyword else None
