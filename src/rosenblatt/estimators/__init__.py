"""All learners, and what they share: declared parameters, scikit-learn's protocol, input.

The way of an example through a fit
-----------------------------------
1. `estimators/inputs.py` checks shape and type, `estimators/targets.py` encodes labels as
   class indices.
2. `models/rows.py` wraps the caller's array as `Rows` (`engine/rows/rows.pyx`): pointers, no copy.
   One pass rejects values that are not finite and finds the longest row.
3. `models/epochs.py` runs the epochs of every family: it shuffles, asks the family's trainer (here
   that of `models/linear_training.py`) to learn in an order, and decides when to stop. Many rows
   are shuffled in pieces of neighbours, a buffer of them at a time (`Shuffle`), so that no list of
   all rows is needed; while a buffer is learned from, the loop reads the next one from memory
   (`rb_row_early` in `rows.h`).
4. In an epoch `engine/rows/loop.h` walks the rows (`Engine.learn` in `engine.pyx` is its door):
   `visit` (`dense.h` over `lanes.h`, `narrow.h` for eight short rows at once, `tiles.h` for several
   classes, `sparse.h`) skips the rows that need nothing; the others get a verdict (mistake or not),
   a step from the rule (`rules.h`), a check that no weight can overflow, and the update
   (`weights.h`). Rules and loop are plain C that knows nothing of Python. Updates go to the log,
   from there to the ledger. All of it begins at `rb_learn`: rows of an epoch, rows that are
   predicted first, single examples, and the means that `readout=` lets predict (`readout.h`). What
   predicts is read there as well, for one row (`rb_score_served`) and as weights (`rb_serve`); the
   running mean is one formula (`engine/mean.h`). Whatever there is for each weight is a plane of
   the weights (`models/weights.py`): the weights, their running sums, their rates, what read-outs
   keep.
5. The outcome of a fit is one value, a `FitOutcome` (`estimators/learner.py`), until something
   else is learned. If several threads share a learner, `engine/turns.pyx` decides whose turn it is:
   a method that learns takes its turn by `unchanged_on_error`, which restores the learner on an
   error, and one that reads is decorated by `of_whole_state` (`estimators/base.py`).
6. With `calibrate=True` `estimators/calibration.py` trains one more model for each fold, on the
   same table by row indices, and fits the parameters that turn their scores into probabilities.
   `inspection/metrics.py` evaluates these.

The frame of this is `_fit` in `estimators/row_classifier.py`, for every family of classifiers:
`estimators/linear/linear_learner.py` and `estimators/kernel/perceptron.py` implement six methods:
how a model is made, when it can be learned on, how it learns in epochs and from rows as they come,
how it scores, and why it predicts a class. `partial_fit` goes the same way without epochs; classes
join where they first appear (`models/classes.py`). `learn_one` of a linear learner
(`estimators/linear/linear_learner.py`) has a fast path: the same `Engine`
(`engine/rows/engine.pyx`), opened for single examples, learns from a usual mapping or array in one
compiled call. A record of numbers and categories is read by a plan of its schema
(`engine/rows/records.pyx`), which owns the running means. Whatever is unusual falls back to
`estimators/linear/streaming.py`. A parameter that is set, or any other way of learning, closes the
engine; the next example opens it again. In the same way a tagger opens a `TagEngine`
(`engine/tags/tag_sentences.pyx`), which tags usual sentences in one call; others are tagged step by
step (`estimators/structured/tag_predictions.py`).
"""
