"""What every command prints, to the letter, in pipes and on a terminal of 80 columns.

The texts are in `golden/`, one file for each case. To renew them after a change that is meant:

    ROSENBLATT_RENEW_GOLDEN=1 pytest tests/cli/test_printed.py

and look at the difference before it is committed.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class

from cli.processes import COLUMNS, Ended, on_terminal, piped, screen
from cli.shell import COMMANDS, Done, inside, run
from rosenblatt import __version__
from rosenblatt.cli.frame.terminal import fitted
from rosenblatt.cli.main import COMPLETE, PROGRAM, group

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
RENEW = "ROSENBLATT_RENEW_GOLDEN"
# How many epochs are told depends on the time they take.
COLOUR = re.compile(r"\x1b\[\d+m")
PROGRESS = re.compile(
    r"(?:\r(?:epoch|trial) [\d,]+: [\d,]+ mistakes?(?:, [\d.]+% right on those held out)? *)+\r +\r"
)

FEW = """distance,carrier,remark,weight
204,Kestrel,left with a neighbour; customer was told,3.4
812,Wren,waiting at customs; photo taken,7.9
55,Raven,signed at the door,0.7
"""
XOR = "x,y,differ\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"
APART = "x,y,side\n0,0,left\n1,0,left\n3,0,right\n4,1,right\n"
HOSTILE = "a,b,\x1b[31mkind\n1,\x1b[2Jred,\x1b]0;x\x07yes\n2,blue,no\n3,blue,no\n"
GULL = """# text = a gull can't wait
1\ta\t_\t_\t_\t_\t_\t_\t_\t_
2\tgull\tgull\t_\tNN\t_\t3\tnsubj\t_\t_
3-4\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
3\tcan\tcan\t_\tMD\t_\t_\t_\t_\t_
4\tnot\tnot\t_\tRB\t_\t_\t_\t_\t_
4.1\twill\twill\tNOUN\tNN\t_\t_\t_\t_\tempty
5\twait\twait\tVERB\tVB\t_\t_\t_\t_\tSpaceAfter=No

"""
ODD = """id,size,weight,twice,colour,kind
1,3,70,140,red,a
2,3,NA,0,blue,b
3,3,50,100,red,a
4,3,50,100,red,b
5,3,65,130,unknown,b
"""


@dataclass(frozen=True)
class Case:
    """A command line; `data` if it prints rows for programs, as long as they come."""

    name: str
    line: str
    data: bool = False

    @property
    def arguments(self) -> list[str]:
        return self.line.split()

    @property
    def verb(self) -> str:
        return " ".join(self.arguments[: 2 if self.arguments[0] == "tag" else 1])


BAD_TRAINING = "train bad.csv --column y=number --out bad.rbt"
CASES = [
    Case("train", "train examples/parcels.csv --target late --dev 0.2 --out new.rbt"),
    Case(
        "train_to_the_end",
        "train examples/parcels.csv --learner averaged --target late --epochs 40 --out end.rbt",
    ),
    Case("train_json", "train xor.csv --json --out xor.rbt", data=True),
    Case("train_wrong_target", "train examples/parcels.csv --target lat --out wrong.rbt"),
    Case("train_bad_data", BAD_TRAINING),
    Case("predict", "predict parcels.rbt few.csv"),
    Case("predict_scores", "predict parcels.rbt few.csv --scores", data=True),
    Case("predict_json", "predict parcels.rbt few.csv --json --quiet", data=True),
    Case("predict_no_model", "predict few.csv few.csv"),
    Case("stream", "stream examples/parcels.csv --target late --out streamed.rbt"),
    Case("stream_quiet", "stream examples/parcels.csv --target late --quiet"),
    Case("evaluate", "evaluate parcels.rbt examples/parcels_new.csv"),
    Case("evaluate_many_classes", "evaluate letters.rbt letters.csv"),
    Case("show", "show parcels.rbt"),
    Case("show_many_classes", "show letters.rbt --top 1"),
    Case("diff", "diff parcels.rbt recorded.rbt"),
    Case("diff_equal", "diff parcels.rbt parcels.rbt"),
    Case("check", "check examples/parcels.csv"),
    Case("check_wrong_target", "check examples/parcels_new.csv"),
    Case("check_odd", "check odd.csv --missing NA"),
    Case("explain", "explain parcels.rbt few.csv --row 3"),
    Case(
        "explain_mistakes",
        "explain recorded.rbt few.csv --row 1 --top 4 --train examples/parcels.csv",
    ),
    Case("convert", "convert odd.csv --missing NA --number-labels", data=True),
    Case("convert_files", "convert odd.csv --missing NA --out odd.svm --names odd.tsv"),
    Case("pack", "pack examples/parcels.csv --target late --out parcels.rows"),
    Case("pack_as_a_model_reads", "pack examples/parcels_new.csv --schema-from parcels.rbt"),
    Case("certify_not_separable", "certify xor.csv"),
    Case("certify_separable", "certify apart.csv"),
    Case("certify_texts", "certify examples/parcels.csv"),
    Case("plot", "plot confusion parcels.rbt examples/parcels_new.csv -o confusion.svg"),
    Case("plot_json", "plot weights parcels.rbt --top 2 -o weights.svg --json", data=True),
    Case("plot_misfit", "plot regions parcels.rbt examples/parcels.csv -o regions.svg"),
    Case("plot_wrong_kind", "plot boundry parcels.rbt -o boundary.svg"),
    Case("tag_train", "tag train examples/harbour.conllu --dev 0.2 -o new_tagger.rbt"),
    Case("tag_train_json", "tag train examples/harbour.conllu --json -o t.rbt", data=True),
    Case("tag_train_bad_template", "tag train examples/harbour.conllu --templates w[0].low"),
    Case("tag_train_bad_data", "tag train bad.conllu"),
    Case("tag_predict", "tag predict tagger.rbt gull.conllu", data=True),
    Case("tag_predict_text", "tag predict tagger.rbt gull.txt"),
    Case("tag_predict_json", "tag predict tagger.rbt gull.txt --json", data=True),
    Case("tag_predict_no_tagger", "tag predict parcels.rbt gull.txt"),
    Case("tag_evaluate", "tag evaluate tagger.rbt examples/harbour_new.conllu"),
    Case("tag_evaluate_spans", "tag evaluate chunker.rbt examples/harbour_chunks_new.conll"),
    Case("tag_evaluate_new_tag", "tag evaluate chunker.rbt strange.conll"),
    Case("show_tagger", "show tagger.rbt"),
    Case("diff_taggers", "diff tagger.rbt chunker.rbt"),
    Case("predict_tagger", "predict tagger.rbt few.csv"),
    Case("demo", "demo"),
    Case("demo_not_separable", "demo --data iris"),
    Case("studio", "studio apart.csv --out apart.html"),
    Case("studio_no_class", "studio apart.csv --target colour --out apart.html"),
    Case("docs_not_built", "docs --site pages --no-open"),
    Case("completion", "completion bash", data=True),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples of the repository, small files beside them, and models of both."""
    here = tmp_path_factory.mktemp("printed")
    shutil.copytree(ROOT / "examples", here / "examples")
    letters = [f"{i % 7},{i % 11},letter {chr(65 + i % 20)}" for i in range(60)]
    files = {
        "few.csv": FEW,
        "xor.csv": XOR,
        "apart.csv": APART,
        "odd.csv": ODD,
        "hostile.csv": HOSTILE,
        "bad.csv": XOR + "1,two,no\n",
        "gull.txt": "a gull waits .\n\nthe quiet captain sails home .\n",
        "gull.conllu": GULL,
        "bad.conllu": "1\tnow\t_\tADV\t_\t_\t_\t_\t_\t_\n2\tgo\tVERB\n",
        "strange.conll": "the DET B-NP\nold ADJ I-NP\nhm INTJ B-INTJ\n",
        "letters.csv": "\n".join(["a,b,which", *letters, ""]),
    }
    for name, text in files.items():
        (here / name).write_text(text, encoding="utf-8")
    with inside(here):
        for line in (
            "train examples/parcels.csv --learner averaged --target late --dev 0.2 "
            "--out parcels.rbt",
            "train examples/parcels.csv --learner averaged --target late --record --epochs 20 "
            "--out recorded.rbt",
            "train letters.csv --learner averaged --epochs 20 --out letters.rbt",
        ):
            assert run(*line.split(), "--quiet").code == 0
        for data, model in (("harbour.conllu", "tagger"), ("harbour_chunks.conll", "chunker")):
            line = f"tag train examples/{data} --out {model}.rbt --quiet"
            assert run(*line.split()).code == 0
    return here


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.name)
def both(request: pytest.FixtureRequest, folder: Path) -> tuple[Case, Done, Ended]:
    """A case in pipes and on a terminal."""
    case: Case = request.param
    with inside(folder):
        pipes = run(*case.arguments)
    return case, pipes, on_terminal(*case.arguments, folder=folder, NO_COLOR="1")


def as_text(case: Case, pipes: Done, terminal: Ended) -> str:
    parts = {
        f"$ rosenblatt {case.line}": f"exit code {pipes.code}\n",
        "--- in a pipe, standard output": pipes.out,
        "--- in a pipe, standard error": pipes.err,
        f"--- on a terminal of {COLUMNS} columns": PROGRESS.sub(
            "<progress, then wiped>", terminal.terminal
        ),
    }
    text = "".join(f"{title}\n{part}" for title, part in parts.items())
    if case.verb == "completion":
        text = text.replace(script_of_click(), "<the script that click makes>")
    return text.replace(f"rosenblatt {__version__}", "rosenblatt <version>")


def script_of_click() -> str:
    made = get_completion_class("bash")
    assert made is not None
    return made(group, {}, PROGRAM, COMPLETE).source()


def width(line: str) -> int:
    """Columns a terminal takes for a line."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in line)
    return len(line) + wide - sum(unicodedata.combining(c) > 0 for c in line)


def test_the_command_prints_the_golden_text(both: tuple[Case, Done, Ended]) -> None:
    case, pipes, terminal = both
    assert pipes.code == terminal.code
    found, file = as_text(case, pipes, terminal), GOLDEN / f"{case.name}.txt"
    if os.environ.get(RENEW) == "1":
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(found, encoding="utf-8")
    assert file.exists(), f"{file} is missing; {RENEW}=1 writes it"
    assert found == file.read_text(encoding="utf-8")


def test_no_line_is_wider_than_the_terminal(
    both: tuple[Case, Done, Ended],
) -> None:
    case, _, terminal = both
    if case.data:
        pytest.skip("rows for programs are not broken")
    assert [line for line in screen(terminal.terminal) if width(line) > COLUMNS] == []


def test_nothing_steers_a_pipe_and_a_terminal_shows_what_a_pipe_gets(
    both: tuple[Case, Done, Ended],
) -> None:
    _, pipes, terminal = both
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", pipes.out + pipes.err)
    shown = " ".join(screen(terminal.terminal)).split()
    assert sorted(shown) == sorted((pipes.out + pipes.err).split())


def test_every_command_has_a_case_and_every_text_belongs_to_one() -> None:
    assert {case.verb for case in CASES} == set(COMMANDS)
    names = [case.name for case in CASES]
    assert sorted(names) == sorted(set(names))
    assert {file.stem for file in GOLDEN.glob("*.txt")} == set(names)


@pytest.mark.slow
@pytest.mark.parametrize("verb", COMMANDS)
def test_colour_is_all_that_a_terminal_gets_beyond_the_text(folder: Path, verb: str) -> None:
    case = next(case for case in CASES if case.verb == verb)
    coloured = on_terminal(*case.arguments, folder=folder).terminal
    plain = on_terminal(*case.arguments, folder=folder, NO_COLOR="1").terminal
    assert plain
    assert "\x1b" not in plain
    assert PROGRESS.sub("", COLOUR.sub("", coloured)) == PROGRESS.sub("", plain)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("evaluate parcels.rbt examples/parcels_new.csv", "\x1b[1mclass  precision  recall"),
        (BAD_TRAINING, "\x1b[31m\x1b[1merror:\x1b[0m bad.csv:6:3: column"),
        (BAD_TRAINING, "\x1b[32mhelp:\x1b[0m "),
        ("check odd.csv --missing NA", "\x1b[35m\x1b[1mwarning:\x1b[0m the same value in"),
        ("predict parcels.rbt few.csv", "\x1b[36mnotice:\x1b[0m carrier: 1 row with"),
        ("train few.csv --trget x", "\x1b[31m\x1b[1merror:\x1b[0m there is no option --trget"),
    ],
)
def test_a_terminal_shows_in_colour_what_a_line_is(folder: Path, line: str, shown: str) -> None:
    assert shown in on_terminal(*line.split(), folder=folder).terminal
    for setting in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_terminal(*line.split(), folder=folder, **setting).terminal


@pytest.mark.parametrize("line", ["check hostile.csv", "train hostile.csv --out hostile.rbt"])
def test_names_from_a_file_cannot_steer_the_terminal(folder: Path, line: str) -> None:
    ended = on_terminal(*line.split(), folder=folder)
    assert ended.code == 0
    assert "red" in ended.terminal
    shown = COLOUR.sub("", ended.terminal)
    assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]", shown)


def test_a_wide_terminal_is_made_use_of_and_a_pipe_gets_each_sentence_as_a_line() -> None:
    line = "carrier  category  4 levels: Kestrel, Wren, Swift, Heron " + "and so on " * 5
    assert fitted(line, 120) == line
    first, second = fitted(line.rstrip(), 80).split("\n")
    assert len(first) <= 80
    assert second.startswith(" " * 19 + "so on")


@pytest.mark.parametrize(
    "verb",
    ["", "tag", *COMMANDS],
)
def test_help_fits_into_80_columns_with_each_example_on_a_line(verb: str, folder: Path) -> None:
    ended = on_terminal(*verb.split(), "--help", folder=folder)
    assert ended.code == 0
    lines = ended.terminal.split("\n")
    assert [line for line in lines if width(line) > COLUMNS] == []
    start = next(i for i, line in enumerate(lines) if line.strip().startswith("Examples:"))
    examples = [line for line in lines[start + 1 :] if line.startswith("    ")]
    assert len(examples) >= 2
    assert lines[start].strip() == "Examples:"
    assert all("rosenblatt " in line for line in examples)


TRAIN = ("train", "examples/parcels.csv", "--target", "late", "--epochs", "9", "--out", "p.rbt")
TRAIN += ("--learner", "averaged")


def test_progress_is_on_standard_error_and_leaves_no_trace(folder: Path) -> None:
    ended = on_terminal(*TRAIN, folder=folder, out=False)
    assert re.search(r"\repoch 1: \d+ mistakes", ended.terminal)
    assert "\r" not in ended.out
    assert screen(ended.terminal) == screen(piped(*TRAIN, folder=folder).err)


@pytest.mark.parametrize("more", [[], ["--quiet"], ["--json"]])
def test_there_is_no_progress_unless_standard_error_is_a_terminal_and_asked_to_speak(
    folder: Path, more: list[str]
) -> None:
    ended = on_terminal(*TRAIN, *more, folder=folder, err=bool(more))
    assert "epoch 1:" not in ended.terminal + ended.out + ended.err
    assert "\r" not in ended.terminal + ended.out + ended.err


def test_answers_in_a_pipe_are_the_labels_to_the_letter(folder: Path) -> None:
    with inside(folder):
        assert run("train", "hostile.csv", "--out", "answers.rbt", "--quiet").code == 0
        done = run("predict", "answers.rbt", "hostile.csv")
    assert done.out == "\x1b]0;x\x07yes\nno\nno\n"
