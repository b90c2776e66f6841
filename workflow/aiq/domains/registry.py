"""Which families of domains there are (a new one is one line here), how a domain is made, and whether it can be.

What a domain is read from is looked at before anything runs: names, headers, own archives whole. Environments are made
known to Gymnasium as soon as somebody imports it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from aiq import wing
from aiq.domains.base import LabelledDomain, Request, complete, locate, naming, random_key
from aiq.domains.control.gymnasium_family import look
from aiq.domains.control.settings import Control
from aiq.domains.family import ControlFamily, Family, check_installed, chosen, registered
from aiq.domains.labelled import image_folder, npz, variants
from aiq.domains.labelled.library_sets import FACTS
from aiq.domains.labelled.settings import Labelled
from aiq.domains.labelled.table import read_header
from aiq.errors import DomainError
from aiq.settings import Settings

if TYPE_CHECKING:
    from aiq.domains.control.base import ControlDomain

LABELLED = (
    "aiq.domains.labelled.library_sets:SKLEARN_SETS",
    "aiq.domains.labelled.library_sets:TORCHVISION_SETS",
    "aiq.domains.labelled.npz",
    "aiq.domains.labelled.image_folder",
    "aiq.domains.labelled.recorded",
    "aiq.domains.labelled.table",
    "aiq.domains.labelled.table:TEXT",
)
"""The module of each labelled family; it holds a ``Family`` as ``FAMILY``, or under the name behind the colon."""

CONTROL = (
    "aiq.domains.control.settings:CARTPOLE",
    "aiq.domains.control.settings:CARTPOLE3D",
    "aiq.domains.control.gymnasium_family",
    *(module for measure in wing.measures().values() for module in measure.families),
    "aiq.domains.control.answered",
)
"""The same of each control family, also of those that measures bring, which holds a ``ControlFamily``."""

FAMILIES: Mapping[str, Family] = registered(Family, LABELLED)
CONTROL_FAMILIES: Mapping[str, ControlFamily] = registered(ControlFamily, CONTROL)


def load(
    name: str, settings: Labelled, *, root_seed: int, data_root: str | None = None, download: bool = False
) -> LabelledDomain:
    """Load the domain that the settings describe.

    The same root seed gives the same arrays, whatever was loaded before and wherever the files lie; variants
    of one data set share its split.

    Args:
        name: name of the domain in the suite.
        settings: source, parameters and variant.
        root_seed: root of all randomness, a non-negative integer.
        data_root: folder where data sets lie; None stands for ``data`` in the working folder.
        download: whether a data set that is missing there may be downloaded to it.

    Raises:
        DomainError: data are missing, unreadable or unfit, or cannot give the variant.
    """
    family = chosen(FAMILIES, settings)
    key = random_key(settings)
    request = Request(name, root_seed, key, Path(data_root or "data").expanduser(), download)
    with naming(name):
        whole: LabelledDomain = family.make(settings, request)
    return complete(variants.apply(whole, settings, root_seed, key))


def control_domain(
    name: str, settings: Control, *, root_seed: int = 0, data_root: str | None = None, download: bool = False
) -> ControlDomain:
    """Make the control domain that the settings describe. Nothing in it is random before its worlds get seeds.

    Args:
        name: name of the domain in the suite.
        settings: source and parameters.
        root_seed: root of the split of data, where the domain is made of some.
        data_root: folder where data sets lie; None stands for ``data`` in the working folder.
        download: whether a data set that is missing there may be downloaded to it.

    Raises:
        DomainError: no family has this source, a package is missing, or the environment does not exist or cannot
            be used as it is; or data are missing.
    """
    family = chosen(CONTROL_FAMILIES, settings)
    request = Request(name, root_seed, (), Path(data_root or "data").expanduser(), download)
    with naming(name):
        made: ControlDomain = family.make(name, settings, request) if family.reads else family.make(name, settings)
        if not settings.twin:
            return made
        from aiq.domains.control.relabelled import TwinDomain  # needs torch, which a played domain needs, too

        return TwinDomain(made, settings.twin, root_seed)


WHOLE = 1_000_000_000
"""Bytes of arrays up to which an archive is read before a run; of a larger one its jobs say what is wrong."""


def check_presence(name: str, settings: Settings, *, data_root: str | None = None, download: bool = False) -> None:
    """Refuse, in one sentence, a domain whose packages, files or environment are not there.

    Data sets lie in ``data_root`` (None: ``data`` in the working folder); ``download``: what is missing may be
    downloaded.

    Raises:
        DomainError: one sentence about what is missing and what to do.
    """
    source = str(getattr(settings, "source", ""))
    request = Request(name, 0, (), Path(data_root or "data").expanduser(), download)
    families: Mapping[str, Any] = {**FAMILIES, **CONTROL_FAMILIES}
    with naming(name):
        check_installed(source, families[source].needs)
        if source in LOOKS:
            LOOKS[source](settings, request)
        else:
            for file in getattr(settings, "files", ()):
                locate(file, request, "file")


def _npz(settings: Any, request: Request) -> None:
    """An archive with the four arrays, of finite samples and whole labels of at least two classes."""
    whole = npz.held(settings, request)
    if whole is None or whole.megabytes * 1e6 <= WHOLE:
        npz.load_npz(settings, request)


def _torchvision(settings: Any, request: Request) -> None:
    """Files below data_root, where they may not be downloaded."""
    if request.download:
        return
    for part in ("train", "test"):
        place = request.data_root / FACTS[settings.name].place.replace("{train,test}", part)
        if not place.exists():
            raise DomainError(
                f"{settings.name} is missing at {place.absolute()}: allow download, put torchvision's files there or "
                "set data_root to the folder that has them"
            )


def _gymnasium(settings: Any, request: Request) -> None:
    """An environment that can be made, with discrete actions, a fixed number of observed entries and an end."""
    look(request.name, settings)


def _columns(settings: Any, request: Request) -> None:
    named = [*(getattr(settings, "columns", None) or ()), *getattr(settings, "words", ()), settings.learn]
    named += [settings.text] if settings.source == "text" else []
    for file in settings.files:
        read_header(locate(file, request, "table"), named)


def _answered(settings: Any, request: Request) -> None:
    check_presence(request.name, settings.labelled, data_root=str(request.data_root), download=request.download)


LOOKS: Mapping[str, Callable[[Any, Request], None]] = MappingProxyType(
    {
        "npz": _npz,
        "image_folder": image_folder.check,
        "torchvision": _torchvision,
        "gymnasium": _gymnasium,
        "table": _columns,
        "text": _columns,
        "answered": _answered,
    }
)
"""What is looked at besides packages and files, by source."""


# ---- What Gymnasium is to know, without importing it before somebody does ------------------------

_WAITING: list[wing.Environment] = []


def register_lazily(environment: wing.Environment) -> None:
    """Register now if Gymnasium has been imported, otherwise as soon as it is."""
    loaded = sys.modules.get("gymnasium")
    if loaded is not None and hasattr(loaded, "register"):
        _register(environment)
        return
    if environment not in _WAITING:
        _WAITING.append(environment)
    if not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


def _register(environment: wing.Environment) -> None:
    import gymnasium

    if environment.id not in gymnasium.registry:
        gymnasium.register(id=environment.id, entry_point=environment.entry_point, max_episode_steps=environment.steps)


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
            _register(_WAITING.pop())
