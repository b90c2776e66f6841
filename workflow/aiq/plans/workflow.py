"""Where the workflow lies: in the checkout that the code runs from, or inside the installed package."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from aiq import wing
from aiq.errors import AiqError

PACKAGE = Path(__file__).resolve().parents[1]
PLACES = (PACKAGE / "workflow", PACKAGE.parents[1])
"""A wheel holds a copy below the package; a checkout has it two folders above."""

QUIET_SNAKEMAKE = "snakemake_logger_plugin_aiq"
"""The module that is Snakemake but for its line on profiles, as ``aiq run`` calls it."""


class NoWorkflowError(AiqError):
    """The workflow lies nowhere that this code knows."""


def root() -> Path:
    """Return the folder that holds ``workflow/Snakefile`` and rules, ``scripts``, ``profiles``, ``config``.

    Raises:
        NoWorkflowError: neither place holds it.
    """
    for place in PLACES:
        if (place / "workflow" / "Snakefile").is_file():
            return place
    looked = " and ".join(str(place) for place in PLACES)
    raise NoWorkflowError(f"the workflow is found in neither of {looked}; install aiq anew")


def snakefile() -> Path:
    """Return the workflow's Snakefile."""
    return root() / "workflow" / "Snakefile"


def captions() -> Path:
    """Return the folder of the texts of the report."""
    return root() / "workflow" / "report"


def caption(measure: str, name: str) -> Path:
    """Return the file of a caption: of a measure's own captions, of those that all share, or what stands for any.

    Args:
        measure: the word of the key ``measure``.
        name: of the file, without suffix; ``measure-`` and the word for what stands above the whole report.
    """
    folders = [captions()]
    if measure in wing.measures():
        folders.insert(0, wing.measures()[measure].captions)
    for folder in folders:
        if (folder / f"{name}.rst").is_file():
            return folder / f"{name}.rst"
    return captions() / ("measure.rst" if name.startswith("measure-") else "tables.rst")


def examples() -> Path:
    """Return the folder of example configurations."""
    return root() / "config"


def profile(name: str, folder: str | Path = ".") -> str:
    """Return what Snakemake finds a profile by: a folder of that name here, the workflow's own, or the name itself."""
    for place in (Path(folder) / name, Path(folder) / "profiles" / name, root() / "profiles" / name):
        if any(place.glob("config*.yaml")):
            return str(place)
    return name


def check_installed() -> None:
    """Refuse a call of Snakemake where there is none.

    Raises:
        ModuleNotFoundError: it is not installed; the command names the extra that brings it.
    """
    if find_spec("snakemake") is None:
        raise ModuleNotFoundError(name="snakemake")
