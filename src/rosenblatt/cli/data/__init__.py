"""Shared by the commands: reading data, opening models, reporting training."""
