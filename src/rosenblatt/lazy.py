"""Names that a package offers: loaded when they are first used, or imported already."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules as sys_modules
from typing import Any


def attach(
    package: str, offers: Mapping[str, str], modules: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    ``offers`` has for each module, named as in an import, what it offers, apart by blanks;
    ``modules`` are those of the package that are offered themselves.
    """
    where = {name: module for module, names in offers.items() for name in names.split()}
    where |= dict.fromkeys(modules.split(), "")

    def getattr_(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(where[name] or f".{name}", package)
        value = getattr(module, name) if where[name] else module
        setattr(sys_modules[package], name, value)
        return value

    def dir_() -> list[str]:
        names = vars(sys_modules[package])
        return sorted({*names["__all__"], *(name for name in names if name.startswith("__"))})

    return getattr_, dir_, sorted(where)


def offered(package: str) -> list[str]:
    """``__all__`` of a package that imports what it offers from its own modules."""
    names = vars(sys_modules[package]).items()
    own = (n for n, thing in names if getattr(thing, "__module__", "").startswith(f"{package}."))
    return sorted(own)
