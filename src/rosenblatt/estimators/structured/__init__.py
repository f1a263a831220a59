"""Structured perceptrons: outputs with an inside, found by a search."""
