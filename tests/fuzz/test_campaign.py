"""A bounded part of the campaign that `.ci/long` runs under sanitizers; and it notices faults."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import pytest

from fuzz import campaign

INPUTS = 3000
PARTS = 6  # so that several processes share them
TESTS = Path(__file__).parents[1]
FAULTS = {
    "a crash": ("os.abort()", "exit code -6"),
    "an error that is not ours": ("raise KeyError('lost')", "KeyError: 'lost'"),
    "no end": ("time.sleep(99)", "no end after 2 seconds"),
}
CAMPAIGN = """
import os, time
from fuzz import campaign
def feed(random, data, folder):
    if data == bad:
        {fault}
    return {read}
target = campaign.Target(lambda random: random.randbytes(4), feed, 1)
campaign.targets = lambda: {{"bytes": target}}
bad = target.make(campaign.drawn(1, 3)[0])
campaign.SECONDS_OF_AN_INPUT = 2.0
campaign.main()
"""


@pytest.mark.parametrize("part", range(PARTS))
def test_no_input_brings_more_than_a_refusal(part: int, tmp_path: Path) -> None:
    tried, read = Counter[str](), Counter[str]()
    with warnings.catch_warnings():
        campaign.ignore_known_warnings()
        for number in range(part, INPUTS, PARTS):
            name, was_read = campaign.feed(1, number, tmp_path)
            tried[name] += 1
            read[name] += was_read
    assert tried.total() == INPUTS // PARTS
    assert read.total() > 0.2 * tried.total(), f"{read} of {tried}"
    assert len(tried) > 0.8 * len(campaign.targets())


def test_an_input_is_made_of_its_number_alone() -> None:
    for number in (0, 7, 123):
        random, name = campaign.drawn(1, number)
        again, same = campaign.drawn(1, number)
        make = campaign.targets()[name].make
        assert name == same
        assert make(random) == make(again)


def run(out: Path, fault: str, read: str = "True", inputs: int = 8) -> tuple[int, str]:
    """Exit code and output of a campaign whose input 3 has a fault."""
    arguments = ["--inputs", str(inputs), "--workers", "2", "--out", str(out)]
    paths = [str(TESTS), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-c", CAMPAIGN.format(fault=fault, read=read), *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_the_input_that_ends_a_worker_is_kept_and_the_others_are_fed(
    name: str, tmp_path: Path
) -> None:
    fault, report = FAULTS[name]
    code, output = run(tmp_path, fault)
    assert code == 1
    assert "\n7 inputs, " in output
    assert output.endswith(" 1 findings\n")
    assert len((tmp_path / "bytes-1-3.bin").read_bytes()) == 4
    assert report in (tmp_path / "bytes-1-3.txt").read_text()


@pytest.mark.slow
def test_a_run_that_refuses_everything_fails(tmp_path: Path) -> None:
    code, output = run(tmp_path, "pass", read="False", inputs=600)
    assert code == 1
    assert "next to nothing was read of bytes" in output
    assert run(tmp_path, "pass", inputs=600)[0] == 0
