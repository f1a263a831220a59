"""Faults of files in the shell: their cures are options, never arguments of Python."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from cli.shell import Done, command_of, run, trained, written
from rosenblatt import cli, io
from rosenblatt.cli.frame import shell_messages
from rosenblatt.cli.frame.shell_messages import in_shell_words
from rosenblatt.errors import DataError, Message, ParameterError, Setting
from rosenblatt.tables import readers

READERS = (
    io.iter_table,
    io.iter_svmlight,
    io.iter_vw,
    io.iter_text,
    io.iter_conll,
    io.iter_sentences,
    io.SentenceWriter,
)
PARAMETERS = {name for reader in READERS for name in inspect.signature(reader).parameters}
# A word with an underscore is no English; others give themselves away by what follows.
PYTHON = re.compile(
    "|".join(rf"\b{name}\b" if "_" in name else rf"\b{name}=" for name in sorted(PARAMETERS))
)
READING = ("train", "stream", "check", "certify", "convert", "predict", "evaluate", "explain")
TAGGING = ("tag train", "tag predict", "tag evaluate")


def faults() -> list[Any]:
    """The golden faults of the readers."""
    path = Path(__file__).parents[1] / "tables" / "readers" / "test_faults.py"
    spec = importlib.util.spec_from_file_location("golden_faults", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: list[Any] = module.FAULTS
    return found


FAULTS = faults()
# One is a warning, and one an error of the learner.
ERRORS = [f for f in FAULTS if f.said.startswith(f.file) and "not used" not in f.said]


def options_of(verb: str) -> set[str]:
    return {option for param in command_of(verb).params for option in param.opts}


def raised(fault: Any) -> DataError:
    Path(fault.file).write_bytes(fault.content)
    with pytest.raises(DataError) as caught:
        fault.read(fault.file)
    return caught.value


def fail(*arguments: str | Path, text: str = "") -> Done:
    done = run(*arguments, text=text)
    assert done.code in (2, 3), done
    assert done.err.startswith("error: ")
    assert not PYTHON.search(done.err), done.err
    return done


def test_the_golden_faults_do_name_arguments_of_python() -> None:
    assert sum(PYTHON.search(fault.said) is not None for fault in FAULTS) > 10


@pytest.mark.parametrize("verb", READING)
@pytest.mark.parametrize("fault", ERRORS, ids=lambda fault: fault.what)
def test_no_golden_fault_names_an_argument_of_python(
    fault: Any, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    error = raised(fault)
    said, options = in_shell_words(error, command_of(verb).params), options_of(verb)
    assert not PYTHON.search(said), said
    # Only options that this command has, or that come with the command that has them.
    for option in re.findall(r"(?<!convert )(--[a-z-]+)", said):
        assert option in options
    # The place and the line stay as they were.
    before, after = str(error).partition("\nhelp: ")[0], said.partition("\nhelp: ")[0]
    assert after == before
    assert "\nhelp: or " not in said


@pytest.mark.parametrize("verb", ["train", "check", "certify", "convert", "stream"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_commands_print_it_so(
    fault: Any, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(fault.file).write_bytes(fault.content)
    limits = [
        "--max-line-bytes",
        "1000000",
        "--max-features",
        "1000" if "csv" in fault.file else "2",
    ]
    out = ["--out", "m.rbt"] if verb == "train" else []
    done = run(verb, fault.file, *limits, *out)
    assert not PYTHON.search(done.out + done.err), done.err
    # Of a table the encoding is found out.
    if fault.number in (3, 4, 9, 10) and not ("UTF" in fault.what and "csv" in fault.file):
        assert done.code == 3


def settings_named_in(folder: Path) -> set[str]:
    """The names of all settings that the code of a folder puts into messages."""
    calls = (
        node
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Setting"
    )
    names = (call.args[0] for call in calls)
    return {str(name.value) for name in names if isinstance(name, ast.Constant)}


def test_a_setting_that_a_reader_names_is_one_of_its_arguments() -> None:
    named = settings_named_in(Path(readers.__file__).parent)
    assert len(named) > 10
    of_learners = {"validation_fraction", "validation_set"}  # what sentences are held out for
    assert named <= PARAMETERS | of_learners


def test_options_with_another_name_are_those_of_commands() -> None:
    everywhere = set().union(*(options_of(verb) for verb in (*READING, *TAGGING)))
    assert {f"--{name}" for name in shell_messages.OTHER_NAMES.values()} <= everywhere
    for name, verb in shell_messages.ELSEWHERE.items():
        option = shell_messages.OTHER_NAMES.get(name, name).replace("_", "-")
        assert f"--{option}" in options_of(verb.split()[1])


def test_the_shell_rewrites_no_sentence_by_a_pattern() -> None:
    """What is caught goes on as it is, or with other parts: its text is not taken apart."""
    rewriting = {"replace", "partition", "rpartition", "removeprefix", "removesuffix", "split"}
    for path in Path(cli.__file__).parent.rglob("*.py"):
        for handler in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(handler, ast.ExceptHandler):
                continue
            for call in ast.walk(handler):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                    names = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
                    by_pattern = ast.unparse(call.func.value) == "re"
                    taken_apart = f"str({handler.name})" in ast.unparse(call.func.value)
                    assert not (by_pattern and handler.name in names), (path, call.lineno)
                    assert not (taken_apart and call.func.attr in rewriting), (path, call.lineno)
    assert "import re" not in Path(shell_messages.__file__).read_text("utf-8")


def test_the_cure_that_is_told_works(tmp_path: Path) -> None:
    out = ["--out", tmp_path / "m.rbt", "--quiet"]
    strays = "".join(f"{i},{i % 3},{'uv'[i % 2]}\n" for i in range(99))
    data = written(tmp_path, "word.csv", f"a,b c,y\n{strays}99,oops,u\n")
    loud = run("train", data, *out[:2], "--learner", "averaged")
    assert "if the column is text, say --column 'b c=category'\n" in loud.err
    assert run("train", data, *out, "--column", "b c=category").code == 0
    data = written(tmp_path, "zero.svm", "1 1:1\n0 0:1\n")
    assert "from 0, say rosenblatt convert --zero-based\n" in fail("train", data, *out).err
    assert "from 0, say --zero-based\n" in fail("convert", data, "-o", tmp_path / "x.svm").err
    assert run("convert", data, "--zero-based").code == 0
    data = written(tmp_path, "caret.vw", "1 |f^g a\n-1 |g b\n")
    assert "with --bits 18\n" in fail("train", data, *out).err
    assert run("train", data, *out, "--bits", "18").code == 0


def test_a_cure_that_the_command_has_no_option_for_is_left_out(tmp_path: Path) -> None:
    rows = "".join(f"{i},{'uv'[i % 2]}\n" for i in range(8))
    data = written(tmp_path, "word.csv", f"a,y\n{rows}1e200,u\n")
    done = fail("check", data)
    assert "help: scale the feature\n      or skip such rows with --on-bad skip\n" in done.err
    data = written(tmp_path, "caret.vw", "1 |f^g a\n-1 |g b\n")
    assert "help: skip such rows with --on-bad skip\n" in fail("check", data).err


def test_warnings_name_options_too(tmp_path: Path) -> None:
    data = written(tmp_path, "rows.csv", "1,2,u\n3,4,v\n5,6,u\n")
    done = run("check", data, "--header")
    assert done.code == 0
    assert "if it is a row, say --no-header\n" in done.err
    assert not PYTHON.search(done.err)


def test_a_mark_of_gaps_can_be_given_to_a_model_that_knows_gaps(tmp_path: Path) -> None:
    rows = "".join(f"{i},{'uv'[i % 2]}\n" for i in range(8))
    model = trained(tmp_path, "--missing", "gone", data=f"a,y\n{rows}gone,u\n", name="gaps.csv")
    assert run("predict", model, "-", text="a\n1\nlost\n").code == 3
    done = run("predict", model, "-", "--missing", "lost", text="a\n1\nlost\ngone\n")
    assert (done.code, len(done.out.split())) == (0, 3)
    assert done.out.split()[1] == done.out.split()[2]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--on-bad", "ignore"], "--on-bad ignore is not known"),
        (["--delimiter", "ab"], "--delimiter ab is not allowed: give one character"),
        (["--encoding", "utf8-ish"], "--encoding utf8-ish is not known"),
        (["--format", "jsonl", "--delimiter", ";"], "--delimiter has no meaning for jsonl"),
        (["--max-features", "1"], "more than --max-features 1"),
        (["--missing", "x", "--missing", "x"], '--missing holds "x" twice'),
        (["--column", "zz=number"], "which --column names"),
    ],
)
def test_a_wrong_value_is_named_by_its_option(
    tmp_path: Path, options: list[str], said: str
) -> None:
    data = written(tmp_path, "data.csv", "a,b,y\n1,2,u\n3,4,v\n")
    assert said in fail("train", data, "--out", tmp_path / "m.rbt", *options).err


def test_what_stands_in_the_file_is_not_reworded() -> None:
    error = DataError(
        'column "types=1": "on_bad=\'x\'" is not a number',
        name="missing=1.csv",
        line=1,
        excerpt=('on_bad="skip" (--on-bad skip)', "^"),
        cures=["fix it", Message("read it as text with ", Setting("types", {"types=1": "text"}))],
    )
    assert in_shell_words(error, command_of("train").params) == (
        'missing=1.csv:1: column "types=1": "on_bad=\'x\'" is not a number\n'
        '  on_bad="skip" (--on-bad skip)\n'
        "  ^\n"
        "help: fix it\n"
        "      or read it as text with --column types=1=category"
    )
    said = "eta0=-1 is not allowed."
    assert in_shell_words(ParameterError(said), ()) == said


@pytest.mark.parametrize(
    ("setting", "typed"),
    [
        (Setting("delimiter", "\t"), r"--delimiter $'\t'"),
        (Setting("delimiter", ";"), "--delimiter ';'"),
        (
            Setting("missing", ["NA", "?", "a b"]),
            "--missing NA --missing '?' --missing 'a b'",
        ),
        (Setting("types", {"a b\x1b'": "number"}), r"--column $'a b\x1b\'=number'"),
        (Setting("header", False), "--no-header"),
        (Setting("random_state", 3), "--seed 3"),
        (Setting("max_features"), "--max-features"),
        (Setting("zero_based", True), "rosenblatt convert --zero-based"),
        (Setting("n_features", 3), "n features 3"),
    ],
)
def test_a_setting_is_written_as_it_is_typed(setting: Setting, typed: str) -> None:
    error = ParameterError(Message(setting))
    assert in_shell_words(error, command_of("train").params) == typed
