"""Bytes to rows: readers of files, one registry of formats, schemas and features."""
