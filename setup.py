"""Builds the compiled loops; everything else stands in pyproject.toml."""

import os
import sys
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError, ExecError, PlatformError

KERNELS = Path("src/rosenblatt/_kernels")
CHECKED = bool(os.environ.get("ROSENBLATT_CHECKED"))
NO_COMPILER = (
    "rosenblatt needs a C compiler to build its loops and found none that works: install one "
    "(Debian: apt-get install gcc libc6-dev python3-dev; macOS: xcode-select --install; Windows: "
    "the Visual C++ build tools) and run the same command again."
)


class BuildKernels(build_ext):
    """Asks for IEEE arithmetic as written, and says one sentence when there is no compiler."""

    def build_extensions(self):
        if self.compiler.compiler_type == "msvc":
            flags = ["/O2", "/fp:precise"]
        else:
            flags = ["-O3", "-ffp-contract=off", "-Wno-psabi", "-Wno-unused-function"]
        for extension in self.extensions:
            extension.extra_compile_args = flags
        try:
            super().build_extensions()
        except (CCompilerError, ExecError, PlatformError, FileNotFoundError) as error:
            sys.exit(f"{NO_COMPILER}\nWhat the compiler said: {error}")


extensions = [
    Extension(
        f"rosenblatt._kernels.{source.stem}",
        [str(source)],
        include_dirs=[str(KERNELS), numpy.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
        depends=[str(header) for header in KERNELS.glob("*.h")],
    )
    for source in sorted(KERNELS.glob("*.pyx"))
]

setup(
    ext_modules=cythonize(
        extensions,
        include_path=["src"],
        build_dir="build/cython",
        compiler_directives={
            "language_level": 3,
            "boundscheck": CHECKED,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "freethreading_compatible": True,
            # What Cython would write copies raw pointers; what can be pickled says how itself.
            "auto_pickle": False,
        },
    ),
    cmdclass={"build_ext": BuildKernels},
)
