"""Public names of a package: imported when first used, or collected from its modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules as sys_modules
from typing import Any


def attach(
    package: str, offers: Mapping[str, str], modules: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package that imports lazily.

    Parameters
    ----------
    package : str
        The ``__name__`` of the package.
    offers : mapping of str to str
        For each module, named as in an import, its public names, separated by spaces.
    modules : str
        Public modules of the package, separated by spaces.
    """
    # An empty string marks a name that is itself a module.
    module_of = {name: module for module, names in offers.items() for name in names.split()}
    module_of |= dict.fromkeys(modules.split(), "")

    def getattr_(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: Any
        if module_of[name]:
            value = getattr(import_module(module_of[name], package), name)
        else:
            value = import_module(f".{name}", package)

        # Python calls __getattr__ only for names that are missing, so each is imported once.
        setattr(sys_modules[package], name, value)
        return value

    def dir_() -> list[str]:
        names = vars(sys_modules[package])
        dunders = [name for name in names if name.startswith("__")]
        return sorted({*names["__all__"], *dunders})

    return getattr_, dir_, sorted(module_of)


def offered(package: str) -> list[str]:
    """Return ``__all__`` of a package: the names that it imports from its own modules."""
    prefix = f"{package}."
    return sorted(
        name
        for name, thing in vars(sys_modules[package]).items()
        if getattr(thing, "__module__", "").startswith(prefix)
    )
