"""The command line: one module per command; the only package that prints."""

from rosenblatt.cli.main import main

__all__ = ["main"]
