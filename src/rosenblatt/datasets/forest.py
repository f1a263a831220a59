"""A simulated stream for online learning: audio recorders in a forest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, IntArray
from rosenblatt.checks import number, whole
from rosenblatt.datasets.portable_random import CHUNK, Columns, cut, doublings, generator, log2

# Purposes, each with its own random generator.
PLACES = 5
WEATHER = 6
EVENTS = 7

LABELS = ("background", "elephant", "poacher")

# A sound is a list of peaks (place, width, height) on the axis of pitch, from 0 (10 Hz) to 1
# (5 kHz). No peak is narrower than a band, so that none falls between two bands.
SOUNDS = {
    "rumble": [(0.12, 0.06, 1.0), (0.24, 0.05, 0.5), (0.31, 0.05, 0.25)],
    "trumpet": [(0.62, 0.05, 0.7), (0.73, 0.05, 1.0), (0.80, 0.05, 0.5)],
    "shot": [(0.45, 0.35, 1.0)],
    "engine": [(0.28, 0.05, 1.0), (0.39, 0.05, 0.7), (0.46, 0.06, 0.4)],
    "falling tree": [(0.35, 0.30, 1.0)],
    "wind": [(0.0, 0.12, 1.0)],
    "insects": [(0.88, 0.05, 1.0), (0.97, 0.04, 0.6)],
    "rain": [(0.75, 0.50, 1.0)],
}
MAKERS = ("rumble", "trumpet", "shot", "engine", "falling tree")

# Probabilities of elephants and poachers, and loudness of insects, by hour of the day from
# midnight: elephants call at night, engines run by day, and insects are loudest at dusk.
ELEPHANTS = np.repeat([0.35, 0.25, 0.10, 0.10, 0.15, 0.30], 4)
POACHERS = np.repeat([0.10, 0.05, 0.15, 0.15, 0.20, 0.15], 4)
INSECTS = np.repeat([1.0, 0.5, 0.2, 0.3, 2.0, 1.5], 4)


class Recording(NamedTuple):
    """One short recording: the recorder, the hour, the spectrum x and the label y."""

    recorder: int
    hour: int
    x: FloatArray
    y: str


class Recordings(NamedTuple):
    """Consecutive recordings, as columns."""

    recorder: IntArray
    hour: IntArray
    X: FloatArray
    y: npt.NDArray[np.str_]


@dataclass(frozen=True)
class Forest:
    """A stream of recordings; each iteration starts from the beginning with the same ones.

    Memory use is one chunk of recordings, however long the stream. Made by `recorders`, which
    documents the parameters.
    """

    n_recorders: int
    n_rows: int | None
    n_bands: int
    per_hour: int
    variety: float
    seed: int

    def __iter__(self) -> Iterator[Recording]:
        """Yield one recording at a time, for ``learn_one(x, y)``."""
        for recorder, hour, X, y in self.blocks(CHUNK):
            yield from map(Recording, recorder.tolist(), hour.tolist(), X, y.tolist())

    def blocks(self, size: int = 100) -> Iterator[Recordings]:
        """Return an iterator over blocks of `size` recordings, for ``partial_fit(X, y)``."""
        whole("size", size, at_least=1)
        return (Recordings(*columns) for columns in cut(self._chunk, self.n_rows, size))

    @cached_property
    def _places(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Properties of each recorder: gain per band, wind, insects, cumulative share of events."""
        random = generator(self.seed, PLACES)
        n = self.n_recorders
        loudness = doublings(self.variety * (4.0 * random.random((n, 1)) - 2.0))
        colour = doublings(self.variety * (2.0 * random.random((n, self.n_bands)) - 1.0))
        wind = doublings(self.variety * (6.0 * random.random(n) - 3.0))
        insects = doublings(self.variety * (6.0 * random.random(n) - 3.0))
        busy = np.cumsum(0.25 + random.random(n))
        return loudness * colour, wind, insects, busy / busy[-1]

    @cached_property
    def _spectra(self) -> dict[str, FloatArray]:
        """Energy of each sound in each band: a sum of peaks ``height / (1 + distance²)``."""
        pitch = np.linspace(0.0, 1.0, self.n_bands)
        spectra = {}
        for name, peaks in SOUNDS.items():
            spectrum = np.zeros(self.n_bands)
            for place, width, height in peaks:
                away = (pitch - place) / width
                spectrum += height / (1.0 + away * away)
            spectra[name] = spectrum
        return spectra

    def _rain(self, hours: IntArray) -> FloatArray:
        """Return the intensity of rain in each hour; it rains in one hour of eight, everywhere."""
        days, place = np.unique(hours // 24, return_inverse=True)
        draws = [generator(self.seed, WEATHER, int(day)).random((2, 24)) for day in days]
        rain = np.stack([(chance < 0.125) * 8.0 * amount for chance, amount in draws])
        return np.asarray(rain[place, hours % 24])

    def _chunk(self, number: int) -> Columns:
        """Return recorders, hours, spectra and labels of one chunk."""
        random = generator(self.seed, EVENTS, number)
        hour = (number * CHUNK + np.arange(CHUNK)) // self.per_hour
        gain, wind, insects, cumulative_share = self._places
        recorder = np.searchsorted(cumulative_share, random.random(CHUNK), side="right")

        chance = random.random(CHUNK)
        is_elephant = chance < ELEPHANTS[hour % 24]
        is_poacher = ~is_elephant & (chance < (ELEPHANTS + POACHERS)[hour % 24])

        # Elephants and poachers each make two kinds of sound. The background is mostly weather and
        # insects, but one time in five a tree falls, which sounds much like a shot.
        way = random.random(CHUNK)
        maker = np.select(
            [
                is_elephant & (way < 0.8),
                is_elephant,
                is_poacher & (way < 0.5),
                is_poacher,
                way < 0.2,
            ],
            np.arange(5),
            default=-1,
        )

        # Loudness falls with the square of the distance, and high sounds fade sooner.
        distance = 0.5 + 2.5 * random.random(CHUNK)
        pitch = np.linspace(0.0, 1.0, self.n_bands)
        spectra = self._spectra
        # The last row, which maker = -1 selects, is silence.
        event = np.stack([*(spectra[name] for name in MAKERS), np.zeros(self.n_bands)])[maker]
        event = event * (200.0 / (distance * distance))[:, None]
        event /= 1.0 + 2.0 * distance[:, None] * pitch

        # Background noise is added to every event.
        sound = 0.05 + event
        gusts = wind[recorder] * random.random(CHUNK)
        for level, name in (
            (2.0 * gusts, "wind"),
            (insects[recorder] * INSECTS[hour % 24], "insects"),
            (self._rain(hour), "rain"),
        ):
            sound += level[:, None] * spectra[name]

        # The energy of noise in one short window is distributed like -ln(u) with u uniform. A
        # recording is the mean of four windows, and Σ ln u = ln Π u.
        shape = (CHUNK, self.n_bands)
        product = np.ones(shape)
        for _ in range(4):
            product *= 1.0 - random.random(shape)
        windows = -0.25 * 0.6931471805599453 * log2(product)
        X = log2(gain[recorder] * sound * windows)

        labels = np.array(LABELS)[np.where(is_elephant, 1, np.where(is_poacher, 2, 0))]
        return recorder.astype(np.int64), hour, X, labels


def recorders(
    n_recorders: int = 50,
    n_rows: int | None = None,
    *,
    n_bands: int = 24,
    per_hour: int = 100,
    variety: float = 1.0,
    seed: int = 0,
) -> Forest:
    """Simulate recordings of elephants, poachers and background noise from all over a forest.

    The example is that of fifty recorders high in the trees, one in each cell of a grid, whose
    recordings turned out to contain two large creatures: elephants, and those who hunt them.
    Nothing here was recorded, and no number was fitted to recordings. The simulation:

    - an example is a stretch of sound that was loud enough to look at, from a recorder drawn at
      random (some are busier than others), in order of time;
    - x is its spectrum: the energies of bands evenly spaced in pitch from 10 Hz to 5 kHz, as
      logarithms to base 2, so that twice the energy, or 3 dB, is 1 more;
    - elephants rumble (low) or trumpet; poachers shoot (all over the spectrum) or drive (low, like
      rumbles); other sounds are background: insects, rain, wind, and falling trees, which sound
      much like shots. Events happen at random distances: far ones are faint and dull;
    - the hour matters: elephants call mostly at night, insects are loudest at dusk, and in one hour
      of eight it rains everywhere;
    - recorders differ: in loudness, in the frequency response of the microphone, and in how much
      wind and how many insects there are at its tree;
    - energies vary like those of noise, averaged over four windows.

    Every label is right and available at once, unlike in the field. The same seed gives the same
    bytes on every machine.

    Parameters
    ----------
    n_recorders : int, default=50
        Number of recorders.
    n_rows : int or None, default=None
        Number of examples. None makes an endless stream; take what you need with
        ``itertools.islice``.
    n_bands : int, default=24
        The length of x, at least 4.
    per_hour : int, default=100
        Number of examples per hour, from all recorders together.
    variety : float, default=1.0
        How much the recorders differ, from 0 (not at all) to 2.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Forest
        Iterate over it for tuples ``(recorder, hour, x, y)``, or over its ``blocks(size)`` for
        arrays of them. Hours are counted from the first midnight.

    Examples
    --------
    >>> from itertools import islice
    >>> from rosenblatt import datasets
    >>> for recorder, hour, x, y in islice(datasets.recorders(), 95, 100):
    ...     print(recorder, hour, x[:3].round(1), y)
    31 0 [2.5 2.  0.4] poacher
    21 0 [-1.3 -0.4 -1.6] poacher
    32 0 [3.2 5.6 3.2] elephant
    15 0 [5.6 3.7 3.5] background
    5 0 [6.4 5.4 6.2] elephant
    """
    whole("n_recorders", n_recorders, at_least=1)
    whole("n_rows", n_rows, at_least=1, none="an endless stream")
    whole("n_bands", n_bands, at_least=4)
    whole("per_hour", per_hour, at_least=1)
    number("variety", variety, at_least=0.0, at_most=2.0)
    whole("seed", seed, at_least=0)
    return Forest(n_recorders, n_rows, n_bands, per_hour, variety, seed)
