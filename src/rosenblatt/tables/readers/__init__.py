"""Readers: turn files and pipes into rows and labels, in bounded memory.

How a file is read
------------------
1. `tables/readers/formats.py` is the registry: one entry for each format, with its suffixes, its
   sniffer, the module of its reader, the kind of schema that encodes it, its options and what
   messages call it. Every list of formats is derived from it: auto-detection by suffix and by
   content, `--format` and its help, error messages, packing, shards. It loads no reader, so that
   the shell can show its help.
2. `tables/readers/sources.py` opens paths, standard input or files and unpacks them;
   `tables/readers/lines.py` offers whole lines in one buffer that is used again and again, and
   re-encodes text that is not UTF-8.
3. A parser (`engine/text/svmlight.pyx`, `vw.pyx`, `delimited.pyx`, `jsonl.pyx`, `conll.pyx`, all
   over `parsing.pyx`) reads row after row into arrays that grow and are handed out without a copy.
   Labels and texts become codes (`names.pyx`). A bad row leaves nothing behind; the parser reports
   the fault in one word and stops after the row. If a whole file of svmlight or VW text is read, a
   second thread parses half of every piece (`tables/readers/halves.py`).
4. `tables/readers/reader.py` turns the word into an error with its location (`fault_messages.py`),
   which is raised, counted or written to the file of rejects, and continues. Each format adds a
   module with its own messages.
5. The arrays become a `Block` or `Table`. Sparse rows are `SparseRows` (`arrays.py`), which take,
   join and multiply without SciPy and remember what they were made of: only callers who passed in
   SciPy's matrices get such back, and only then is SciPy loaded. Results never depend on what
   is installed; `TextFeatures` and `TableFeatures` give SciPy's arrays where SciPy is loaded.
6. The features of a file are guessed in one place (`tables/features/schemas.py`), for
   train, check, certify and convert alike. In a stream the schema grows with the rows, and the
   learner with the schema (`tables/features/growing_schema.py`); values for which a model has no
   weight are counted (`UnseenValues`). Columns are judged block by block
   (`tables/features/guessing.py`), so that a table need not be in memory. `rosenblatt train` then
   calls `fit` of the learner itself: `tests/cli/test_same_fit.py` compares the frames.

Packed rows take a shortcut: `estimators/packing.py` sends any input through 1 to 6 once,
`tables/readers/packed_rows.py` writes the result to a file, and memory-maps it later. Labels stay
class indices (`LabelCodes` in `models/classes.py`), which a learner takes as they are.

A new format is a reader and an entry of the registry (CONTRIBUTING). A format of tables has a
function from a `TableRequest` to a `Reader`; one of text adds a `TextFormat` (`begin_file`, `take`,
`explain`) with its parser, unless it can be converted to lines that another reader takes
(`tables/readers/excel.py`). Options that several formats have are declared in
`tables/readers/reader_options.py`, with defaults, checks and documentation; `read_x` is made of
`iter_x` there.

Numbers in text are rounded correctly by the method of Eisel and Lemire (`numbers.pyx`); a test
compares them with `float()`.
"""
