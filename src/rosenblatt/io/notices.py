"""Things worth a warning, told at the line of the caller."""

from __future__ import annotations

import os
import sys
import warnings

from rosenblatt.errors import Notice, Words

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class SkippedRows(Notice):
    """Rows of a file were skipped, as asked for."""


class ExtraColumns(Notice):
    """A file has columns that were not asked for."""


class HeaderOfNumbers(Notice):
    """The first line of a file was taken as its header, but looks like a row."""


def notice(category: type[Warning], message: Words) -> None:
    """Warn at the first frame outside of this package."""
    level = 1
    frame = sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(category(message), stacklevel=level)
