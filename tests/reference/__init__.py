"""Plain NumPy oracles: short, slow, and written from the lectures and papers alone."""
