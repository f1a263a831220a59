"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules
from typing import Any


def attach(
    package: str, where: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    ``where`` has the module of each name; a name that is a module itself stands for that module.
    """

    def getattr_(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = import_module(where[name])
        if where[name] != f"{package}.{name}":
            value = getattr(value, name)
        setattr(modules[package], name, value)
        return value

    def dir_() -> list[str]:
        names = vars(modules[package])
        return sorted({*names["__all__"], *(name for name in names if name.startswith("__"))})

    return getattr_, dir_, sorted(where)
