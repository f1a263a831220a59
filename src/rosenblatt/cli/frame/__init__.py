"""Shared by all commands: options, messages, output files and terminal output."""
