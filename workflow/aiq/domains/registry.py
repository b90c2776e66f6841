"""Which families of domains there are, and how a domain is made. A new family is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiq import wing
from aiq.domains.base import LabelledDomain, Request, complete, naming, random_key
from aiq.domains.control.settings import Control
from aiq.domains.family import ControlFamily, Family, chosen, registered
from aiq.domains.labelled import variants
from aiq.domains.labelled.settings import Labelled

if TYPE_CHECKING:
    from aiq.domains.control.base import ControlDomain

LABELLED = (
    "aiq.domains.labelled.sklearn_sets",
    "aiq.domains.labelled.torchvision_sets",
    "aiq.domains.labelled.npz",
    "aiq.domains.labelled.image_folder",
    "aiq.domains.labelled.recorded",
    "aiq.domains.labelled.table",
    "aiq.domains.labelled.text",
)
"""The module of each labelled family; it holds a ``Family`` under the name ``FAMILY``."""

CONTROL = (
    "aiq.domains.cartpole.family",
    "aiq.domains.cartpole3d.family",
    "aiq.domains.control.gymnasium_family",
    *(module for measure in wing.measures().values() for module in measure.families),
    "aiq.domains.answered.family",
)
"""The module of each control family, also of those that measures bring; it holds a ``ControlFamily`` as ``FAMILY``."""

FAMILIES: Mapping[str, Family[Any]] = registered(Family, LABELLED)
CONTROL_FAMILIES: Mapping[str, ControlFamily[Any]] = registered(ControlFamily, CONTROL)


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
        whole = family.load(settings, request)
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
