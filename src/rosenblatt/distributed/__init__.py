"""Distributed training and merging of models, by threads, processes or a Dask cluster."""

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.distributed.distribution_report import DistributionReport as DistributionReport
    from rosenblatt.distributed.engines import WorkerLost as WorkerLost
    from rosenblatt.distributed.merging import merge as merge
    from rosenblatt.distributed.training import Distributed as Distributed
    from rosenblatt.distributed.training import distribute as distribute

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        ".distribution_report": "DistributionReport",
        ".engines": "WorkerLost",
        ".merging": "merge",
        ".training": "Distributed distribute",
    },
)
