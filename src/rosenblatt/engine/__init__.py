"""Compiled loops: arrays in, counters out. No validation, no printing, no classes of the API.

Numbers
-------
- Weights have the type of the rows: float32 rows train float32 weights, all others float64. Running
  sums for the average are float64 always.
- A dot product is summed in a fixed order: eight lanes for dense rows, four for sparse ones, then a
  fixed tree, with contraction off. The bias is one more feature after the last. Hence the same
  bytes on every machine, and training with a bias equals training on rows with a 1 appended.
- gcc vector types make that SIMD at the portable baseline; on x86-64 Linux copies for AVX2 and
  AVX-512VL are chosen at run time (`tables.h`). They do the same operations in the same order.
- Values and weights are bounded (1e150, in float32 1e15), so nothing can overflow on the way;
  `reach` in `weights.h` is a running bound on all weights, checked before an update is made.
- `exp` and `log` of the soft rule and of probabilities (`engine/rows/probabilities.pyx`) are our
  own, because libraries choose theirs by processor. Nothing between a fit and its file goes through
  BLAS but kernels.
- Shuffling uses splitmix64, whose state is one number, so that a run can be resumed.
- Dense tables keep the features of a class together; sparse rows with several classes want the
  classes of a feature together (`Weights.arrange`).
"""
