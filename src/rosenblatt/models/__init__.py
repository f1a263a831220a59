"""The learning itself: rules, weights, the training loop and the ledger. NumPy only."""
