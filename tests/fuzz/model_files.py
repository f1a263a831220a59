"""Model files of every kind, changed by somebody who knows the format and signs them anew."""

from __future__ import annotations

import io
from copy import deepcopy
from functools import cache
from itertools import cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from persistence import kernel_samples, mutations, samples, tagger_samples
from persistence.forging import bytes_of, closed, opened, signed
from strategies import LEARNERS

from fuzz import learning
from rosenblatt.errors import ModelFileError
from rosenblatt.persistence.file import learner_of, read_from

STATES_OF_EACH = 3  # of a linear learner; together these are all of them


@cache
def seeds() -> dict[str, list[tuple[bytes, dict[str, Any], dict[str, Any]]]]:
    """Files by family, as bytes and taken apart."""
    states = cycle(samples.STATES.values())
    learners: dict[str, list[Any]] = {
        "linear": [
            next(states)(make, n_classes)
            for n_classes in (2, 3)
            for make in LEARNERS.values()
            for _ in range(STATES_OF_EACH)
        ],
        "kernel": [build(3) for build in kernel_samples.STATES.values()],
        "tags": [build() for build in tagger_samples.STATES.values()],
    }
    with TemporaryDirectory() as folder:
        return {
            family: [
                (data, *opened(data))
                for number, learner in enumerate(made)
                for slim in ([False, True] if number % 3 == 0 else [False])
                for data in [bytes_of(learner, Path(folder), slim=slim)]
            ]
            for family, made in learners.items()
        }


def forged(random: Random, family: str) -> bytes:
    """A file with some of its parts changed, mostly signed; now and then as it was."""
    data, card, arrays = random.choice(seeds()[family])
    times = random.randrange(4)
    kind = random.randrange(8)
    if kind < 3:
        change = random.choice([mutations.change_a_field, *[mutations.nudge_a_field] * 3])
        card = deepcopy(card)
        for _ in range(times):
            change(random, card)
        return closed(card, arrays)
    if kind < 6:
        change = random.choice([mutations.change_an_array, *[mutations.nudge_an_array] * 3])
        arrays = {name: values.copy() for name, values in arrays.items()}
        for _ in range(times):
            change(random, arrays)
        return closed(card, arrays)
    changed = bytearray(data)
    change = random.choice([mutations.change_bytes, *[mutations.nudge_a_byte] * 3])
    for _ in range(times):
        change(random, changed)
    return (signed if random.random() < 0.9 else bytes)(bytes(changed))


def load_and_use(random: Random, data: bytes, folder: Path) -> bool:
    """Whether it was taken."""
    try:
        learner = learner_of(read_from(io.BytesIO(data), len(data)))
    except ModelFileError:
        return False
    learning.use(random, learner, folder / "model.rbt")
    return True
