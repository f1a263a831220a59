"""No bytes make a parser or the model loader crash, hang, or read something else in pieces.

``ROSENBLATT_FUZZ_SECONDS=60`` looks for so long at every target.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from fuzz.damage import damaged
from fuzz.seeds import SEEDS, WORDS
from fuzz.targets import TARGETS

SECONDS = int(os.environ.get("ROSENBLATT_FUZZ_SECONDS", "2"))
TESTS = Path(__file__).parents[1]
SLOW = {"csv": 60, "jsonl": 60, "model": 60, "vw": 80}

every_target = pytest.mark.parametrize("name", list(TARGETS))


def fuzzed(name: str) -> settings:
    return settings(
        max_examples=max(SLOW.get(name, 150), 20 * SECONDS),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@every_target
def test_sound_texts_are_read_alike_whole_and_in_pieces(name: str) -> None:
    for seed in SEEDS[name]:
        assert TARGETS[name](seed) > 0, f"nothing was read of {seed!r}"


@every_target
def test_any_bytes_give_rows_or_an_error_of_ours(name: str) -> None:
    @fuzzed(name)
    @given(data=st.binary(max_size=60))
    def check(data: bytes) -> None:
        TARGETS[name](data)

    check()


@every_target
def test_words_of_the_format_in_any_order_give_rows_or_an_error_of_ours(name: str) -> None:
    @fuzzed(name)
    @given(data=st.lists(st.sampled_from(WORDS[name]), max_size=25).map(b"".join))
    def check(data: bytes) -> None:
        TARGETS[name](data)

    check()


@every_target
def test_damaged_texts_give_rows_or_an_error_of_ours(name: str) -> None:
    @fuzzed(name)
    @given(random=st.randoms(use_true_random=False))
    def check(random: Random) -> None:
        data = damaged(random, SEEDS[name], WORDS[name])
        event("read" if TARGETS[name](data) else "refused")

    check()


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
@every_target
def test_a_hunt_guided_by_coverage_finds_nothing(name: str, tmp_path: Path) -> None:
    # atheris sees the branches of the Python code, not those of the compiled loops.
    corpus, found = tmp_path / "corpus", tmp_path / "found"
    corpus.mkdir()
    found.mkdir()
    for number, seed in enumerate(SEEDS[name]):
        (corpus / str(number)).write_bytes(seed)
    dictionary = tmp_path / "words"
    dictionary.write_text("".join(f'"{_escaped(word)}"\n' for word in WORDS[name]))
    command = [
        # A program counts the memory of whoever started it as its own peak: this shell is small.
        *("sh", "-c", '"$@"; exit $?', "sh"),
        *(sys.executable, "-m", "fuzz.hunt", name),
        *(f"-max_total_time={SECONDS}", "-rss_limit_mb=1024", "-timeout=10", "-max_len=4096"),
        *("-seed=1", f"-dict={dictionary}", f"-artifact_prefix={found}/", str(corpus)),
    ]
    paths = [str(TESTS), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    run = subprocess.run(
        command, env=environment, capture_output=True, timeout=SECONDS + 120, check=False
    )
    inputs = "".join(f"\n{file.name}: {file.read_bytes()!r}" for file in found.iterdir())
    said = run.stderr.decode("utf-8", "replace")[-3000:]
    assert run.returncode == 0, f"{name} ended with {run.returncode} on{inputs}\n{said}"
    assert not inputs, inputs


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)
