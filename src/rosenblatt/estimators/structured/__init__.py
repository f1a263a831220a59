"""Structured perceptrons: outputs with an inner structure, found by a search."""
