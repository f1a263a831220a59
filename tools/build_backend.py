"""The build backend of pyproject.toml: setuptools, and ziglang where no compiler works."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import c_compiler
from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return _with_compiler(build_meta.get_requires_for_build_wheel, config_settings)


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return _with_compiler(build_meta.get_requires_for_build_editable, config_settings)


def _with_compiler(requires: Callable[[Any], list[str]], config_settings: Any) -> list[str]:
    try:
        more = [c_compiler.ZIG_REQUIREMENT] if c_compiler.needs_zig() else []
    except c_compiler.NoCompiler as error:
        sys.exit(str(error))
    return [*requires(config_settings), *more]
