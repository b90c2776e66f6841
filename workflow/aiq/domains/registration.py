"""Makes environments known to Gymnasium without importing Gymnasium before somebody does."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

from aiq.wing import Environment as Environment

_WAITING: list[Environment] = []


def register(environment: Environment) -> None:
    """Register an environment with Gymnasium, which this imports; a second call does nothing.

    Raises:
        ModuleNotFoundError: Gymnasium is not installed.
    """
    import gymnasium

    if environment.id not in gymnasium.registry:
        gymnasium.register(id=environment.id, entry_point=environment.entry_point, max_episode_steps=environment.steps)


def register_lazily(environment: Environment) -> None:
    """Register now if Gymnasium has been imported, otherwise as soon as it is."""
    loaded = sys.modules.get("gymnasium")
    if loaded is not None and hasattr(loaded, "register"):
        register(environment)
        return
    if environment not in _WAITING:
        _WAITING.append(environment)
    if not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


class _WhenImported(importlib.abc.MetaPathFinder):
    """Waits for the import of Gymnasium; looking for it without importing it changes nothing."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find Gymnasium as the other finders do, and add the registration to its loading."""
        if fullname != "gymnasium":
            return None
        for finder in [finder for finder in sys.meta_path if finder is not self]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _RegisteringLoader(spec.loader, self)
                return spec
        return None


class _RegisteringLoader(importlib.abc.Loader):
    """Loads a module with its own loader and registers the environments afterwards."""

    def __init__(self, loader: importlib.abc.Loader, finder: _WhenImported) -> None:
        self._loader, self._finder = loader, finder

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Let the module's own loader run it; then give the loader back, register and wait no more."""
        self._loader.exec_module(module)
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        while _WAITING:
            register(_WAITING.pop())
