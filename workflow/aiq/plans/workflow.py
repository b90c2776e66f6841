"""Where the workflow lies, in a checkout or the installed package, and the files of a person's own that go with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aiq import wing
from aiq.config.agents import module_file
from aiq.config.base import RunSettings
from aiq.errors import AiqError
from aiq.plans.layout import Files

PACKAGE = Path(__file__).resolve().parents[1]
PLACES = (PACKAGE / "workflow", PACKAGE.parents[1])
"""A wheel holds a copy below the package; a checkout has it two folders above."""

LOOKING = frozenset(
    {"--unlock", "--lint", "-l", "--list-rules", "--list", "--summary", "-S", "--detailed-summary", "-D"}
)
LOOKING |= {"--dag", "--rulegraph", "--filegraph", "--d3dag", "--report", "-h", "--help"}
"""Words after which Snakemake only looks, and plans no run either."""

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

    ``name``: of the file, without suffix; ``measure-`` and the measure's word for what stands above the whole report.
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
    """Refuse a call of Snakemake where there is none; the command names the extra that brings it.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    if find_spec("snakemake") is None:
        raise ModuleNotFoundError(name="snakemake")


# ---- files of a person's own ---------------------------------------------------------------------


def carried(configuration: RunSettings) -> list[str]:
    """Return small files of the working folder that every job reads: code, a calibration, the record of rounds.

    Where jobs share no file system with the machine that plans them, these travel with the code of the workflow. What
    is not there is left out (the job then says what is missing).
    """
    files: list[str] = []
    calibration = getattr(getattr(configuration, "jobs", None), "calibration", None)
    if calibration is not None:
        files.append(calibration)
    if getattr(configuration, "precision", None) is not None:
        files.append(Files(configuration.results).precision)
    for agent in (*_agents(configuration), *_learners(configuration)):
        files += getattr(agent, "files", ())
        files += [file for key in ("factory", "generator") for file in _module(getattr(agent, key, ""))]
    domains: Mapping[str, Any] = getattr(configuration, "domains", None) or {}
    for settings in domains.values():
        files += _module(str(getattr(settings, "id", "")))
    return [file for file in dict.fromkeys(files) if Path(file).is_file()]


def _agents(configuration: RunSettings) -> list[Any]:
    agents: Any = getattr(configuration, "agents", ())
    if isinstance(agents, Mapping):
        return list(agents.values())
    return list(agents) if isinstance(agents, Sequence) else list(getattr(agents, "outside", ()))


def _learners(configuration: RunSettings) -> list[Any]:
    learners: Any = getattr(getattr(configuration, "pool", None), "learners", None)
    return list(learners) if isinstance(learners, Sequence) else [learners]


def _module(name: str) -> list[str]:
    """Return the file in the working folder that ``module:name`` means, as a list of one, or an empty list."""
    module, colon, _ = name.partition(":")
    return module_file(module) if module and colon else []


def beyond(files: list[str]) -> list[str]:
    """Return the files that lie outside the working folder: from there nothing can travel to another machine."""
    here = Path.cwd().resolve()
    return [file for file in files if not Path(file).resolve().is_relative_to(here)]


def named_by(settings: Any, data_root: str | None) -> list[str]:
    """Return the files and folders that a domain's settings name, from here or else below data_root, if they exist."""
    paths = []
    for name in getattr(settings, "files", ()):
        places = [Path(folder) / name for folder in ("", data_root) if folder is not None]
        paths += [str(path) for path in places if path.exists()][:1]
    return paths


def data_files(configuration: Any, domain: str, apart: bool) -> list[str]:
    """Return the files that a domain is read from, so that a change in them is noticed.

    ``apart``: whether jobs share no files with this machine. Downloaded data sets are then among them: such a domain is
    prepared here, and its prepared file is what jobs are sent.
    """
    settings, root = configuration.domains[domain], configuration.data_root
    return [*named_by(settings, root), *(stored_for(settings, root) if apart else [])]


def stored_for(settings: Any, data_root: str | None) -> list[str]:
    """Return the files of a data set below data_root (None: ``data`` in the working folder); none unless all are."""
    root = Path(data_root or "data").expanduser()
    paths = [root / name for name in getattr(settings, "stored", ())]
    return [str(path) for path in paths] if all(path.is_file() for path in paths) else []
