"""Builds the compiled loops; everything else stands in pyproject.toml."""

import os
import shlex
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CCompilerError, ExecError, PlatformError

sys.path.insert(0, str(Path(__file__).parent / "tools"))

import c_compiler

ENGINE = Path("src/rosenblatt/engine")
# What Cython would otherwise write into every module again; made by Cython, not by us.
SHARED = "rosenblatt.engine._cython"
CHECKED = bool(os.environ.get("ROSENBLATT_CHECKED"))
# Without bounds checks, so that what reads too far does so; overflow is an error, not a wrap.
SANITIZED = bool(os.environ.get("ROSENBLATT_SANITIZE"))
SANITIZERS = "-fsanitize=address,undefined,float-cast-overflow"
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "freethreading_compatible": True,
    # What Cython would write copies raw pointers; what can be pickled says how itself.
    "auto_pickle": False,
}


class BuildKernels(build_ext):
    """Compiles on all cores, asks for IEEE arithmetic as written, and does without a compiler."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or min(os.cpu_count() or 1, len(self.extensions))

    def run(self):
        self.zig = None
        try:
            c_compiler.check_headers()
            if os.name == "posix":
                if command := c_compiler.find_command():
                    os.environ["CC"] = shlex.join(command)
                else:
                    self.zig = c_compiler.zig_command()
            super().run()
        except c_compiler.NoCompiler as error:
            sys.exit(str(error))
        except PlatformError as error:
            sys.exit(f"{c_compiler.NO_COMPILER}\nWhat setuptools said: {error}")
        except (CCompilerError, ExecError, FileNotFoundError) as error:
            sys.exit(f"The C compiler could not build the loops of rosenblatt: {error}")

    def build_extensions(self):
        if self.zig:
            self.use_zig()
        compiling, linking = self.flags()
        self.force = self.force or not self.made_before_with(compiling)
        self.translate()
        for extension in self.extensions:
            extension.extra_compile_args = compiling
            extension.extra_link_args = linking
        super().build_extensions()

    def use_zig(self):
        """Call zig with its own options only: those Python was built with may be unknown to it."""
        cache = str(Path(self.build_temp, "zig").absolute())
        os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", cache)
        os.environ.setdefault("ZIG_LOCAL_CACHE_DIR", cache)
        loose = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
        self.compiler.set_executables(
            compiler=self.zig,
            compiler_so=[*self.zig, "-fPIC", "-fwrapv", "-DNDEBUG", "-fno-sanitize=undefined"],
            linker_so=[*self.zig, "-shared", *loose],
        )

    def flags(self):
        """Options of the compiler and of the linker; what is checked can also be debugged."""
        if self.compiler.compiler_type == "msvc":
            return ["/O2", "/fp:precise"], []
        debugging = "-g" if CHECKED or SANITIZED else "-g0"
        compiling = ["-O3", debugging, "-ffp-contract=off", "-Wno-psabi", "-Wno-unused-function"]
        if SANITIZED:
            stopping = ["-fno-sanitize-recover=all", "-fno-wrapv", "-fno-omit-frame-pointer"]
            return [*compiling, "-O1", SANITIZERS, *stopping], [SANITIZERS]
        return compiling, [] if CHECKED or sys.platform == "darwin" else ["-s"]

    def made_before_with(self, compiling):
        """Whether what lies in the build folder came from these options; files do not tell."""
        now = f"{self.zig or os.environ.get('CC')} {compiling} {os.environ.get('CFLAGS')}\n"
        note = Path(self.build_temp, "options.txt")
        before = note.read_text() if note.exists() else None
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(now)
        return now == before

    def translate(self):
        """From Cython to C, here and not above, so that only a build has to wait for it."""
        import numpy
        from Cython.Build import cythonize

        translated = cythonize(
            self.extensions,
            include_path=["src"],
            build_dir="build/cython",
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=SHARED,
            nthreads=self.parallel,
            force=self.force,
        )
        sources = {extension.name: extension.sources for extension in translated}
        for extension in self.extensions:
            extension.sources = sources[extension.name]
            extension.include_dirs = [str(ENGINE), numpy.get_include()]


class BuildPackage(build_py):
    """Leaves out of a wheel what an earlier build put there and is no more."""

    def run(self):
        super().run()
        if self.editable_mode:
            return
        course = Path(self.build_lib, "rosenblatt", "studio", "course")
        chapters = {course / file.name: file for file in Path("docs/course").glob("[0-9]*.md")}
        for chapter, file in chapters.items():
            course.mkdir(parents=True, exist_ok=True)
            chapter.write_bytes(file.read_bytes())
        wanted = {Path(file) for file in self.get_outputs()} | set(chapters)
        wanted |= {Path(file) for file in self.get_finalized_command("build_ext").get_outputs()}
        for file in Path(self.build_lib).rglob("*.*"):
            if file.is_file() and file not in wanted:
                file.unlink()


def kernels():
    """A module for each file of Cython, and the one they share."""
    headers = [str(header) for header in sorted(ENGINE.rglob("*.h"))]
    macros = [("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")]
    sources = [*sorted(ENGINE.rglob("*.pyx")), ENGINE / "_cython.c"]
    return [
        Extension(
            ".".join(source.with_suffix("").parts[1:]),
            [str(source)],
            define_macros=macros,
            depends=headers,
        )
        for source in sources
    ]


# Other processes, which translate a part each, may read this file again.
if __name__ == "__main__":
    setup(ext_modules=kernels(), cmdclass={"build_ext": BuildKernels, "build_py": BuildPackage})
