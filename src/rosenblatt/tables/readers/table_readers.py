"""Tables from files of any format of tables that the registry has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.tables.readers.column_roles import Columns, GuessedTarget
from rosenblatt.tables.readers.dialect import Dialect, Layout
from rosenblatt.tables.readers.formats import TABLES, default_of, format_of
from rosenblatt.tables.readers.reader import Reader
from rosenblatt.tables.readers.reader_options import (
    ReaderSettings,
    RowOptions,
    of_whole_file,
    takes,
)
from rosenblatt.tables.readers.sources import Given
from rosenblatt.tables.readers.table import Table, TableRequest


@takes(RowOptions)
def iter_table(
    path: Given,
    target: str | int | GuessedTarget | None = None,
    *,
    format: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    quote: str | None = None,
    dialect: Dialect | Layout | None = None,
    columns: Iterable[str] | None = None,
    types: Mapping[str, str] | str | None = None,
    missing: Iterable[str] = (),
    ignore: Iterable[str] = (),
    trim: bool = True,
    **options: Unpack[RowOptions],
) -> Reader[Table]:
    """Read a table block by block, in memory that does not grow with the file.

    The reader keeps count of rows that were skipped (``reader.skipped``, ``reader.first_faults``)
    instead of warning. Each block is a Table with the same columns.

    Parameters
    ----------
    path : path, "-", binary file, or list of these
        Where to read; ``"-"`` is standard input. Packed data (gzip, xz, bzip2, zstd) are unpacked.
        Columns of several files are matched by name.
    target : str or int, default=None
        The column of the labels: its name, its place (0 is the first, -1 the last), or as text its
        number from 1.
    format : str, default=None
        The name of a format of tables, as ``"csv"`` or ``"parquet"``. By default the suffix of the
        path decides, and a path without a known one is CSV.
    header : bool, default=None
        Whether the first line names the columns; if not they are called "1", "2", … By default this
        is found out, as are the next four; a warning tells of what one could not expect.
    delimiter : str, default=None
        What stands between fields.
    decimal : {".", ","}, default=None
        The decimal mark of numbers.
    thousands : str, default=None
        What stands between thousands, as in 1'000.
    quote : str, default=None
        What stands around fields that hold a delimiter.
    dialect : Dialect, default=None
        How another file was written (``table.dialect``), and this one is, if it fits.
    columns : list of str, default=None
        The features to read, in this order; a file may hold more (a warning says so), not fewer.
    types : dict of str to {"number", "number or gap", "text"}, or one for all, default=None
        The kind of columns, where it should not be guessed. A text in a column of numbers is a
        fault, or with "number or gap" a gap.
    missing : list of str, default=()
        Texts that stand for an unknown value, beside the usual ones: nothing, NA, N/A, null, NaN,
        -, ? and the like. A number that is not known is read as NaN, a text as "".
    ignore : list of str, default=()
        Columns to leave out, if they are there.
    trim : bool, default=True
        Whether blanks around the texts and labels of CSV and TSV are dropped, as in ``a, b``; False
        keeps them, as RFC 4180 has it. Around numbers they do not matter.

    See Also
    --------
    read_table : All of it at once.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import iter_table
    >>> for X, y in iter_table(io.BytesIO(b"a,b\\n1,x\\n2,y\\n"), target="b"):
    ...     print(X.ravel(), y)
    [1. 2.] ['x' 'y']
    """
    if not (isinstance(path, str | os.PathLike | bytes) or hasattr(path, "read")):
        path = list(path) if isinstance(path, Iterable) else path
    found = format_of(path, format, TABLES, otherwise=default_of("table"))

    # Only the options that the caller gave, so that a reader finds out the others.
    asked = {"delimiter": delimiter, "decimal": decimal, "thousands": thousands, "quote": quote}
    written: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    for name in written:
        if name not in found.options:
            what = Message(Setting(name), f" has no meaning for {found.name}")
            raise ParameterError(what, where=name, cures="leave it out")
    if header is not None:
        written["header"] = header

    roles = Columns(target, columns, types, missing, ignore)
    request = TableRequest(path, roles, ReaderSettings(**options), written, dialect, trim)
    reader: Reader[Table] = found.load_reader()(request)
    return reader


@of_whole_file(iter_table)
def read_table(table: Table) -> Table:
    """Read a table with named columns: CSV, TSV, JSON, Excel, Parquet or Arrow.

    How a text is written is found out from its first lines (`table.dialect`): what separates
    fields, whether there is a header, decimal commas, marks of thousands. A column holds numbers if
    its values are numbers but for a few, which are read as gaps (`table.strays`); a warning tells
    of them. Fields may be quoted as in RFC 4180; blank lines are skipped. JSON is one
    object a line, or an array of them, and objects within are columns such as ``where.city``; of an
    Excel file the first sheet with a table is read.

    Returns
    -------
    table : Table
        ``X, y = table`` if all features are numbers; `table.texts` has the others.

    See Also
    --------
    iter_table : The same, block by block.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import read_table
    >>> text = b'petal,colour,species\\n1.4,"white, pale",setosa\\n4.7,blue,virginica\\n'
    >>> table = read_table(io.BytesIO(text), target="species")
    >>> table.numbers
    array([[1.4],
           [4.7]])
    >>> table.texts["colour"]
    array(['white, pale', 'blue'], dtype=object)
    >>> table.y
    array(['setosa', 'virginica'], dtype='<U9')

    >>> text = b"a,b,c\\n1,2,x\\n3,4,y\\n5,oops,x\\n"
    >>> read_table(io.BytesIO(text), target="c", types={"b": "number"})
    Traceback (most recent call last):
        ...
    rosenblatt.errors.DataError: <stream>:4:3: column "b": "oops" is not a number
      5,oops,x
        ^^^^
    help: fix it
          or skip such rows with on_bad='skip'
    """
    return table
