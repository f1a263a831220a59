"""Compiled loops: arrays in, counters out. No validation, no printing, no classes of the API."""
