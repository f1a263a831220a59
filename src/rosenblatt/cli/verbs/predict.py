"""rosenblatt predict: print the class of every row of a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import Model, open_model
from rosenblatt.cli.data.prediction_output import FORMATS, PredictionFormat, format_for
from rosenblatt.cli.data.reading import DATA, Reading, notices, reading_options
from rosenblatt.cli.frame.destinations import NewFiles, check_destination
from rosenblatt.cli.frame.options import MODEL, Command, n_jobs_option, threshold_option
from rosenblatt.cli.frame.terminal import print_data, say, say_notices
from rosenblatt.plurals import count, first_few
from rosenblatt.tables.readers.formats import PACKED_ROWS, Format

if TYPE_CHECKING:
    from rosenblatt.tables.features.schemas import UnseenValues
    from rosenblatt.tables.readers.block import Block
    from rosenblatt.tables.readers.row_texts import RowTexts


@click.command(
    cls=Command,
    name="predict",
    context_settings={"default_map": {"on_bad": "blank"}},
    epilog="\b\nExamples:\n  rosenblatt predict iris.rbt new.csv > predictions.txt\n"
    "  rosenblatt predict iris.rbt new.csv --with-input --proba -o predictions.csv\n"
    "  zcat mail.tsv.gz | rosenblatt predict spam.rbt - --format text --scores",
)
@click.argument("model", type=MODEL)
@click.argument("data", nargs=-1, required=True, type=DATA)
@click.option(
    "-o", "--out", metavar="FILE", help="Write to FILE, which is created when it is complete."
)
@click.option("--scores", is_flag=True, help="Add a score for each class.")
@click.option("--proba", is_flag=True, help="Add the probability of each class.")
@click.option("--id", "id_column", metavar="COL", help="Begin with this column of DATA.")
@click.option("--with-input", is_flag=True, help="Begin with all columns of DATA, unchanged.")
@click.option(
    "--format-out",
    type=click.Choice(FORMATS),
    help="Format of the predictions.  [default: by the suffix of --out, otherwise bare labels, or "
    "csv if there are more columns]",
)
@threshold_option
@click.option("--json", "wants_json", is_flag=True, help="Print a JSON object for each row.")
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@n_jobs_option
@reading_options
def command(
    model: str,
    data: tuple[str, ...],
    out: str | None,
    scores: bool,
    proba: bool,
    id_column: str | None,
    with_input: bool,
    format_out: str | None,
    threshold: float | None,
    wants_json: bool,
    quiet: bool,
    n_jobs: int | None,
    **options: Any,
) -> None:
    """Print the class of every row of DATA, one per line.

    There is a line for every row, in order; it is empty for a row that cannot be read. Unreadable
    rows are reported at the end, and the exit code is 3. With --on-bad skip or rejects=FILE it is
    0, and with fail the first of them ends the command. A label with a line break is printed as a
    JSON string, or as a quoted field in CSV and TSV.

    Columns are matched by name, in any order, and labels in DATA are skipped. The model is not
    changed. For two classes the scores are -s and s. --proba needs a model with probabilities: a
    soft perceptron, or one trained with --calibrate. With --json and --proba, rows have both
    scores and probabilities.
    """
    if scores and (wants_json or proba):
        has = "--json has the scores already" if wants_json else "--proba prints probabilities"
        raise click.UsageError(f"{has}; leave --scores out.")
    if id_column is not None and with_input:
        raise click.UsageError("--with-input has all columns, also that of --id; give one of them.")
    columns = scores or proba or with_input or id_column is not None
    kind = format_for(out, format_out, json=wants_json, columns=columns)
    if out is not None:
        check_destination("--out", out, [model, *data])
    from rosenblatt.tables.features.schemas import UnseenValues
    from rosenblatt.tables.readers.row_texts import RowTexts

    found = open_model(model, n_jobs=n_jobs)
    reading = Reading(**options)
    found.refuse_lacking(proba=proba, threshold=threshold)
    wanted = ["scores"] * (scores or kind == "jsonl") + ["probabilities"] * proba
    classes = [str(label) for label in found.classes]
    unseen = UnseenValues()
    on_terminal = out is None and sys.stdout.isatty()
    written = PredictionFormat(kind, classes, wanted, id_column, on_terminal=on_terminal)
    rows = RowTexts(fields=with_input or id_column is not None)
    with notices(quiet), NewFiles() as files:
        write = print_data if out is None else _encoded(files.open(out).write)
        with found.reader(reading, data, labelled=False) as blocks:
            _refuse_lost_input(reading.format_of(data, found.schema), id_column, with_input)
            blocks.row_texts = rows
            predicted = Predictions(found, threshold, written, unseen)
            for text in predicted.texts(blocks, rows):
                write(text)
        files.keep()
    if blocks.skipped and not quiet and reading.on_bad != "blank":
        bad = count(blocks.skipped, "bad row has", "bad rows have")
        say([f"warning: {bad} an empty prediction"], err=True)
    if predicted.labelled and not quiet:
        say_notices(["labels before the tab are skipped"])
    if not quiet:
        say_notices(unseen.describe())


class Predictions:
    """Predictor of blocks of rows that formats its predictions as text."""

    def __init__(
        self, model: Model, threshold: float | None, written: PredictionFormat, unseen: UnseenValues
    ) -> None:
        self._model = model
        self._threshold = threshold
        self._format = written
        self._unseen = unseen
        self._begun = False
        self.labelled = False  # whether texts begin with labels, which are skipped

    def texts(self, blocks: Iterable[Block], rows: RowTexts) -> Iterator[str]:
        for number, block in enumerate(blocks):
            if isinstance(block.rows, list):
                if number == 0:
                    self.labelled = _begins_with_labels(block.rows, self._format.classes)
                if self.labelled:
                    block.rows = [text.partition("\t")[2] for text in block.rows]
            yield self._head(rows)
            X = self._unseen.encode(self._model.schema, block)
            labels = self._model.predict(X, self._threshold)
            by_class = {
                "scores": self._model.scores,
                "probabilities": self._model.probabilities,
            }
            numbers = [by_class[name](X).tolist() for name in self._format.by_class]
            listed = list(zip(*numbers, strict=True)) if numbers else [()] * len(labels)
            yield self._format.lines(rows.rows(block), labels, listed)
        yield self._head(rows)
        yield self._format.lines(rows.rows(), (), ())

    def _head(self, rows: RowTexts) -> str:
        """Return the header line at the first call, and an empty string afterwards."""
        if self._begun:
            return ""
        self._begun = True
        id_column = self._format.id_column
        if rows.fields:
            names = rows.names
            if id_column is not None and names is not None and id_column not in names:
                from rosenblatt.checks import did_you_mean

                raise click.UsageError(
                    f"--id {id_column}: the data have no such column; "
                    + (did_you_mean(id_column, names) or f"they have {first_few(names, 6)}.")
                )
            self._format.columns = [id_column] if id_column is not None else names or ["text"]
        return self._format.head()


def _refuse_lost_input(found: Format, id_column: str | None, with_input: bool) -> None:
    """Raise if input columns are requested from a file that has none to copy."""
    if id_column is not None and found.kind != "table":
        raise click.UsageError(f"--id has no meaning for {found.name}: it has no columns.")
    if with_input and found is PACKED_ROWS:
        raise click.UsageError("--with-input: packed rows are features, and no longer a file.")


def _encoded(write: Callable[[bytes], Any]) -> Callable[[str], None]:
    return lambda text: write(text.encode())


def _begins_with_labels(texts: list[str], classes: list[str]) -> bool:
    """Return whether all texts begin with a known class and a tab, as training lines do."""
    return all(
        tab and before.strip() in classes
        for before, tab, _ in (text.partition("\t") for text in texts)
    )
