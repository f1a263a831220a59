"""The same learners over shards: models mixed into one, by threads, processes or a Dask cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.distributed.merging import merge as merge

__getattr__, __dir__, __all__ = lazy.attach(__name__, {".merging": "merge"})
