"""Model files: safe to load, exact to the last bit when learning resumes, and never a pickle.

The model file
--------------
`persistence/` knows no family. A learner hands over a `State`, a card and named arrays, and is made
from one (`estimators/learner.py`, once for all). What a family adds is its layout: a declaration of
each array (an `Array`: name, type, shape, bounds, the parts of the file it belongs to, one line of
help), its part of the card, the checks between arrays, and the way there and back
(`persistence/linear_layout.py`, `persistence/kernel_layout.py`, `persistence/tag_layout.py`).
Shapes and bounds refer to quantities (`CLASSES`, `VECTORS`, `LARGEST_SUM`), which `quantities` of
the layout gives for a card. `check_arrays` in `persistence/layout.py` validates every array by its
declaration, `persistence/parameters.py` puts values into typed JSON, `container.py` packs and signs
the bytes, `disk.py` writes and renames. On the way in, each step may trust only what the one before
has checked: size, header and digest (`container.py`), format and types (`card.py`), every array
alone (`persistence/layout.py`), all parts together (`persistence/soundness.py` and the layout). The
digest protects from damage, not from malice, so these checks do not rely on it: a loop must be safe
on whatever passes them. A name in a file is looked up in the catalogue (`persistence/card.py`) and
never imported as it stands. `docs/model_file.md` shows the declarations as tables; a test keeps it
so. From format 5 on every format stays readable: `tests/persistence/format_5/` keeps a file of
every learner.
"""
