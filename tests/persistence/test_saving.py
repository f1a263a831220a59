"""Whatever happens while a model is saved, there is the old file or the new one, all of it."""

import errno
import os
import pathlib
import random
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

import numpy as np
import pytest
from open_files import DESCRIPTORS, open_files
from strategies import floats
from waiting import PATIENCE, wait_until

from persistence.samples import same
from rosenblatt import Perceptron, load, save
from rosenblatt.errors import ModelFileError
from rosenblatt.persistence import disk


def model(seed):
    return Perceptron().partial_fit(*floats(seed))


def only_file_in(folder):
    return [path.name for path in folder.iterdir()] == ["model.rbt"]


@pytest.fixture
def old(tmp_path):
    """A path where there is a model already."""
    save(model(1), tmp_path / "model.rbt")
    return tmp_path / "model.rbt"


# ---------------------------------------------------------------------- trouble on the way


@pytest.mark.parametrize("call", ["write", "fsync", "replace", "chmod", "close", "open"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_an_error_of_the_system_leaves_the_old_file_and_nothing_else(call, code, old, monkeypatch):
    before = old.read_bytes()
    original = getattr(os, call)

    def fail(*args, **options):
        if call == "close":
            original(*args)
        raise OSError(code, os.strerror(code), "a name nobody knows")

    newer = model(2)
    monkeypatch.setattr(disk.os, call, fail)
    with pytest.raises(OSError, match=os.strerror(code)) as error:
        save(newer, old)
    monkeypatch.undo()
    assert not DESCRIPTORS.is_dir() or open_files(old.parent) == 0
    assert error.value.filename == str(old)
    assert old.read_bytes() == before
    assert only_file_in(old.parent)
    assert load(old).t_ == 30


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_an_interrupt_leaves_the_old_file_and_nothing_else(call, old, monkeypatch):
    before, original = old.read_bytes(), os.open

    def interrupt(*args):
        if call == "open":  # just after the file is there
            os.close(original(*args))
        raise KeyboardInterrupt

    monkeypatch.setattr(disk.os, call, interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(model(2), old)
    monkeypatch.undo()
    assert old.read_bytes() == before
    assert only_file_in(old.parent)


def test_a_disk_that_fills_up_half_way_leaves_the_old_file(old):
    """A limit on the size of files stands for the full disk: part is written, then no more."""
    before = old.read_bytes()
    code = """
        import os, resource, signal, sys
        from rosenblatt.model import read, write
        state = read(sys.argv[1])
        state.card.record.t += 1
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
        try:
            write(state, sys.argv[1])
        except OSError as error:
            print(type(error).__name__, error.filename == sys.argv[1])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(old)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["OSError", "True"]
    assert old.read_bytes() == before
    assert only_file_in(old.parent)


def test_writes_that_take_a_few_bytes_at_a_time_make_a_whole_file(tmp_path, monkeypatch):
    original = os.write
    monkeypatch.setattr(disk.os, "write", lambda file, data: original(file, data[:100]))
    save(model(2), tmp_path / "model.rbt")
    assert same(load(tmp_path / "model.rbt").coef_, model(2).coef_)


CHILD = """
    import os, signal, sys
    from rosenblatt.model import read, write
    from rosenblatt.persistence import disk
    path, call, states = sys.argv[1], sys.argv[2], [read(p) for p in sys.argv[3:]]
    if call != "none":
        original = getattr(os, call)
        def stop(*args, **options):
            if sys.argv[2] == "write":
                original(args[0], bytes(args[1])[:50])
            os.kill(os.getpid(), signal.SIGKILL)
        setattr(disk.os, call, stop)
    print("ready", flush=True)
    while True:
        for state in states:
            write(state, path)
"""


@pytest.fixture
def two(tmp_path):
    """Two models to write in turn, the bytes of each, and an empty folder."""
    (tmp_path / "out").mkdir()
    paths = [tmp_path / "one", tmp_path / "two"]
    for seed, path in enumerate(paths):
        save(model(seed), path)
    return paths, {path.read_bytes() for path in paths}, tmp_path / "out" / "model.rbt"


def saving(path, call, models):
    arguments = [sys.executable, "-c", textwrap.dedent(CHILD), path, call, *models]
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    return child


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_killed_at_the_worst_moment_the_old_file_is_whole(call, two):
    models, _, path = two
    path.write_bytes(models[0].read_bytes())
    with saving(path, call, models[1:]) as child:
        assert child.wait(PATIENCE) == -signal.SIGKILL
    assert path.read_bytes() == models[0].read_bytes()
    save(model(3), path)  # what the dead process left behind is in nobody's way
    assert same(load(path).coef_, model(3).coef_)


def test_killed_at_any_moment_the_file_is_one_of_the_two(two):
    models, whole, path = two
    dice = random.Random(0)
    for _ in range(8):
        with saving(path, "none", models) as child:
            seen = set()
            wait_until(path.exists)
            for _ in range(40):
                time.sleep(dice.random() / 2000)
                seen.add(path.read_bytes())
            child.kill()
            child.wait(PATIENCE)
        assert seen <= whole
        assert path.read_bytes() in whole


# ---------------------------------------------------------------------- names and permissions


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    mask = os.umask(0o027)
    try:
        save(model(1), tmp_path / "model.rbt")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "model.rbt").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_a_file_that_is_replaced_keeps_its_permissions(mode, old):
    old.chmod(mode)
    save(model(2), old)
    assert stat.S_IMODE(old.stat().st_mode) == mode


def test_a_link_stays_a_link_and_what_it_points_to_is_replaced(old):
    link = old.parent / "latest.rbt"
    link.symlink_to("model.rbt")
    save(model(2), link)
    assert link.is_symlink()
    assert same(load(old).coef_, model(2).coef_)
    dangling = old.parent / "next.rbt"
    dangling.symlink_to("not-there-yet.rbt")
    save(model(3), dangling)
    assert dangling.is_symlink()
    assert same(load(old.parent / "not-there-yet.rbt").coef_, model(3).coef_)


def test_the_place_of_a_folder_or_device_is_not_taken(tmp_path):
    with pytest.raises(IsADirectoryError):
        save(model(1), tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="pipe: not a regular file"):
        save(model(1), tmp_path / "pipe")
    with pytest.raises(FileNotFoundError) as error:
        save(model(1), tmp_path / "nowhere" / "model.rbt")
    assert error.value.filename == str(tmp_path / "nowhere" / "model.rbt")


NOBODY = """
    import os, sys
    from rosenblatt.model import read, write
    state = read(sys.argv[1])
    write(state, sys.argv[1])  # so that all that is needed is loaded
    if os.geteuid() == 0:
        os.setegid(65534)
        os.seteuid(65534)
    try:
        write(state, sys.argv[2])
    except PermissionError as error:
        print(error.filename)
"""


@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o555, 0o666), (0o777, 0o444)])
def test_what_may_not_be_written_to_is_not_replaced(folder_mode, file_mode, old):
    with tempfile.TemporaryDirectory() as name:  # one that others can enter, too
        path = pathlib.Path(name, "model.rbt")
        path.write_bytes(old.read_bytes())
        path.chmod(file_mode)
        path.parent.chmod(folder_mode)
        save(model(2), old)
        arguments = [sys.executable, "-c", textwrap.dedent(NOBODY), old, path]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(path)
        path.parent.chmod(0o755)
        assert same(load(path).coef_, model(1).coef_)
        assert only_file_in(path.parent)


def test_files_are_named_as_anywhere_in_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("model.rbt", "größe.rbt", tmp_path / "x", "n" * 255):
        save(model(1), name)
        assert load(name).t_ == 30


# ---------------------------------------------------------------------- threads


def test_a_model_that_learns_in_another_thread_is_saved_as_before_or_as_after(tmp_path):
    random = np.random.default_rng(0)
    rows, labels = random.standard_normal((300_000, 50)), random.integers(0, 3, 300_000)
    learner = Perceptron().partial_fit(rows[:9], [0, 1, 2] * 3)
    thread = threading.Thread(target=lambda: learner.partial_fit(rows, labels))
    thread.start()
    while thread.is_alive():
        save(learner, tmp_path / "model.rbt")
        assert load(tmp_path / "model.rbt").t_ in (9, 300_009)
    thread.join()
    save(learner, tmp_path / "model.rbt")
    assert load(tmp_path / "model.rbt")._model.digest() == learner._model.digest()


def test_a_copy_that_was_overtaken_by_learning_is_refused():
    weights = model(1)._model.weights
    with pytest.raises(RuntimeError, match="was learning in another thread"):
        weights.refuse_if_busy(weights.t - 1)
    weights.refuse_if_busy(weights.t)
