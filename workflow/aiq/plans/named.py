"""Files of a person's own that a configuration names: what they are, and which of them every job reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aiq.config.agents import module_file
from aiq.config.base import RunSettings
from aiq.plans.layout import Files


def carried(configuration: RunSettings) -> list[str]:
    """Return small files that every job reads when it checks its configuration, or imports.

    They are code, a calibration, the record of rounds. Where jobs share no file system with the machine that plans
    them, these travel with the code of the workflow. They are files of the working folder; what is not there is left
    out (the job then says what is missing).
    """
    files: list[str] = []
    calibration = getattr(getattr(configuration, "jobs", None), "calibration", None)
    if isinstance(calibration, str):
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


def located(name: str, data_root: str | None) -> str | None:
    """Return a named file or folder from here, else below data_root, else None (the job then says what is missing)."""
    for folder in ("", data_root):
        if folder is not None and (path := Path(folder) / name).exists():
            return str(path)
    return None


def named_by(settings: Any, data_root: str | None) -> list[str]:
    """Return the files and folders that a domain's settings name, as far as they are there."""
    paths = [located(name, data_root) for name in getattr(settings, "files", ())]
    return [path for path in paths if path is not None]


def data_files(configuration: Any, domain: str, apart: bool) -> list[str]:
    """Return the files that a domain is read from, so that a change in them is noticed.

    Args:
        configuration: of any measure with domains.
        domain: its name.
        apart: whether jobs share no files with this machine. Downloaded data sets are then among them: such a domain
            is prepared here, and its prepared file is what jobs are sent.
    """
    settings, root = configuration.domains[domain], configuration.data_root
    return [*named_by(settings, root), *(stored_for(settings, root) if apart else [])]


def stored_for(settings: Any, data_root: str | None) -> list[str]:
    """Return the files of a data set that lie below data_root; none unless all of them do.

    Args:
        settings: source and parameters of a domain.
        data_root: folder where data sets lie; None stands for ``data`` in the working folder.
    """
    root = Path(data_root or "data").expanduser()
    paths = [root / name for name in getattr(settings, "stored", ())]
    return [str(path) for path in paths] if all(path.is_file() for path in paths) else []
