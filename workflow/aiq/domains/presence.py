"""Whether what a domain is read from is there and fit, before anything runs: names, headers, own archives whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from aiq.domains.base import Request, locate, naming
from aiq.domains.family import check_installed
from aiq.domains.labelled import image_folder, npz
from aiq.domains.labelled.columns import read_header
from aiq.domains.labelled.torchvision_sets import FACTS
from aiq.domains.registry import CONTROL_FAMILIES, FAMILIES
from aiq.errors import DomainError
from aiq.settings import Settings

WHOLE = 1_000_000_000
"""Bytes of arrays up to which an archive is read before a run; of a larger one its jobs say what is wrong."""


def check_presence(name: str, settings: Settings, *, data_root: str | None = None, download: bool = False) -> None:
    """Refuse, in one sentence, a domain whose packages, files or environment are not there.

    Data sets lie in ``data_root`` (None: ``data`` in the working folder); ``download``: what is missing may be
    downloaded.
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
    from aiq.domains.control.gymnasium_spaces import look

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
