"""Rows and weights: the rules, the training loop, scores, replay."""
