"""Build the source distribution and, from it, the wheel; check both and try the wheel.

    python tools/build_dist.py [--out dist] [--without-compiler]

The wheel is built in a folder of its own from the unpacked source distribution, so what is missing
there is missed here. `--without-compiler` hides the compilers of this machine from the build. Needs
`build` (extra `dev`).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
# What git, a build or a tool keeps in a checkout.
SKIPPED = {".git", ".venv", ".hypothesis", "__pycache__", "build", "dist"}
LEFT_BEHIND = re.compile(r"\.(py[cod]|so|pyd)$|_cache(/|$)|\.egg-info(/|$)|^\.git|^site/")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for both files")
    parser.add_argument(
        "--without-compiler", action="store_true", help="build as if there were none"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sdist = build("--sdist", ROOT, folder / "sdist")
        check_sdist(sdist)
        with tarfile.open(sdist) as archive:
            # Python has the filter since 3.11.4, and asks for it from 3.12 on.
            safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            archive.extractall(folder, **safely)
        source = folder / sdist.name.removesuffix(".tar.gz")
        hidden = without_compiler(folder / "bin") if options.without_compiler else {}
        wheel = build("--wheel", source, folder / "wheel", **hidden)
        check_wheel(wheel)
        try_wheel(wheel, folder)
        for file in (sdist, wheel):
            print(f"{shutil.copy(file, options.out)}: {file.stat().st_size / 1e6:.2f} MB")


def build(kind: str, source: Path, out: Path, **environment: str) -> Path:
    """Run `build` in the folder of the source; gives the one file it makes."""
    command = [sys.executable, "-m", "build", kind, "--outdir", str(out), str(source)]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}{' '.join(command)} failed")
    (made,) = out.iterdir()
    return made


def without_compiler(folder: Path) -> dict[str, str]:
    """An environment whose PATH has Python alone."""
    folder.mkdir()
    (folder / "python3").symlink_to(sys.executable)
    return {"PATH": str(folder), "CC": ""}


def check_sdist(file: Path) -> None:
    """All that is kept in the checkout is there, and nothing else but setuptools' own."""
    with tarfile.open(file) as archive:
        members = [member.name for member in archive.getmembers() if member.isfile()]
    found = {name.partition("/")[2] for name in members}
    made = {name for name in found if ".egg-info/" in name} | {"PKG-INFO", "setup.cfg"}
    expected = set(files_of(ROOT))
    refuse(file, "misses", expected - found)
    refuse(file, "should not hold", found - made - expected)


def files_of(folder: Path) -> Iterator[str]:
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for name in names:
            relative = Path(path, name).relative_to(folder).as_posix()
            if not LEFT_BEHIND.search(relative):
                yield relative


def check_wheel(file: Path) -> None:
    """The package as it is imported: no sources of the loops, no tests; each loop compiled."""
    package = ROOT / "src" / "rosenblatt"
    sources = (source.relative_to(package.parent) for source in package.rglob("*.pyx"))
    kernels = {source.with_suffix(SUFFIX).as_posix() for source in sources}
    kernels.add(f"rosenblatt/engine/_cython{SUFFIX}")
    left_out = (".pyx", ".pxd", ".h", ".c", ".so", ".pyd")
    expected = kernels | {
        f"rosenblatt/{name}" for name in files_of(package) if not name.endswith(left_out)
    }
    # The chapters of the course come along from the docs.
    chapters = (ROOT / "docs" / "course").glob("[0-9]*.md")
    expected |= {f"rosenblatt/studio/course/{chapter.name}" for chapter in chapters}
    with zipfile.ZipFile(file) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    refuse(file, "misses", expected - found)
    refuse(file, "should not hold", found - expected)


def refuse(file: Path, what: str, names: set[str]) -> None:
    if names:
        sys.exit(f"{file.name} {what}: {', '.join(sorted(names))}")


def try_wheel(file: Path, folder: Path) -> None:
    """In an environment of its own, far from the checkout: the demo runs."""
    venv.create(folder / "env", with_pip=True)
    scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", str(file)], check=True)
    subprocess.run([scripts / "rosenblatt", "demo"], cwd=folder, check=True)


if __name__ == "__main__":
    main()
