"""Bytes to numbers: parsers, numbers in text, names, n-grams."""
