"""Which files of a folder this process has open, as Linux tells; other tests may leave others."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

DESCRIPTORS = Path("/proc/self/fd")
linux = pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="needs /proc")


def open_files(folder: Path) -> int:
    count = 0
    for name in os.listdir(DESCRIPTORS):
        with suppress(OSError):  # the one that lists them is closed by now
            count += os.readlink(DESCRIPTORS / name).startswith(f"{folder}{os.sep}")
    return count
