"""Sequences of tags: features of words, search for the best sequence, learning."""
