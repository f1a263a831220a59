"""The command line, one file a verb; the only place that prints."""

from rosenblatt.cli.main import main

__all__ = ["main"]
