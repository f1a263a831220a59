"""The learning itself: rules, weights, the training loop and the ledger. NumPy only.

A family is a model, a trainer and a ledger
-------------------------------------------
Linear learners, kernels, tags and structures share one skeleton, and each adds three small classes:

- `Model` in `models/model.py`: classes that join, seed, counters, copies and the best state are
  shared; a family adds its weights, and `served`, the state that predicts.
- `Trainer` and `run` in `models/epochs.py`: order, validation and reasons to stop are shared; a
  family adds `learn(order)`, and what it can prove.
- `BaseLedger` in `models/ledger.py`: `replay`, `trace`, `average`, `survival`, `upto` and `best`
  are shared; a family adds how an update moves the weights, and `votes`.

They are in `models/` for rows, `models/kernel.py`, `models/kernel_training.py` and
`models/kernel_ledger.py`, and for tags and structures in `models/tags.py`, `models/structured.py`
and `models/structured_ledger.py`. A record of any ledger is an `Update` (`models/recording.py`):
row, y_true, y_pred, step, t. `tests/models/test_ledgers.py` holds all of them to the same promises.
"""
