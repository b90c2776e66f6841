"""A finished run as a Workflow Run RO-Crate: what was run, with which settings, seed and versions, every checksum.

The results folder becomes the crate: ``ro-crate-metadata.json`` describes its files, and copies of the configuration
and of the workflow join them. Profile: https://w3id.org/ro/wfrun/workflow/0.5, on RO-Crate 1.1.
"""

from __future__ import annotations

import hashlib
import json
import mimetypes
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import yaml

from aiq.errors import StorageError, redo_command
from aiq.plans import workflow
from aiq.plans.run import AnyRun
from aiq.storage.files import PACKAGES, TEMPORARY, replacing

if TYPE_CHECKING:
    from rocrate.model.entity import Entity


NAME = "ro-crate-metadata.json"
CONFIGURATION = "configuration.yaml"
AGAIN = "aiq page CONFIG --crate (CONFIG: the configuration of that run)"
LEFT_OUT = ("logs", "benchmarks", "checkpoints", "controller.json", NAME)
"""What tells how a run went, not what came of it; it changes with every call."""
DRAWN = ("index.html", "report.html")
"""Renderings of the files beside them: part of the crate, without a checksum, as they may be made again."""
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
FORMATS = {".h5": "application/x-hdf5", ".yaml": "application/yaml"}
"""Media types that Python does not know."""
NO_LICENSE = "No licence is stated for these results; whoever publishes them chooses one and names it here."


def write_crate(run: AnyRun) -> Path:
    """Describe the results folder of a finished run as a Workflow Run RO-Crate, and return the file that does.

    Raises:
        StorageError: the run is not finished, or the folder cannot be written.
    """
    root = Path(run.layout.root)
    provenance = sorted(root.glob("tables/provenance/*.json"))
    missing = [path for path in run.plan.results() if not Path(path).exists()]
    if missing or not provenance:
        raise StorageError(f"{missing[0] if missing else root / 'tables'} is missing; finish the run: {redo_command()}")
    software = json.loads(provenance[0].read_text(encoding="utf-8"))
    _bring(run, root)
    crate = _described(run, root, software)
    with replacing(root / NAME) as temporary:
        temporary.write_text(json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    return root / NAME


def checksums(root: Path) -> dict[str, str]:
    """Return file -> SHA-256 as the crate of a results folder tells them; nothing where there is no crate."""
    try:
        graph = json.loads((root / NAME).read_text(encoding="utf-8"))["@graph"]
        return {unquote(entity["@id"]): str(entity["sha256"]) for entity in graph if "sha256" in entity}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{root / NAME} is damaged ({error}); write it again: {AGAIN}") from error


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _bring(run: AnyRun, root: Path) -> None:
    """Put configuration and workflow beside the results, so that the folder tells by itself what was run."""
    settings = run.configuration.model_dump(mode="json", exclude_computed_fields=True)
    with replacing(root / CONFIGURATION) as temporary:
        temporary.write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True), encoding="utf-8")
    here = workflow.snakefile().parent
    for source in (here / "Snakefile", *sorted(here.glob("rules/*.smk"))):
        with replacing(root / "workflow" / source.relative_to(here)) as temporary:
            shutil.copyfile(source, temporary)


def _files(root: Path) -> Iterator[str]:
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        hidden = any(part.startswith(".") for part in inside.parts)
        if path.is_file() and not hidden and inside.parts[0] not in LEFT_OUT and path.suffix != TEMPORARY:
            yield inside.as_posix()


def _described(run: AnyRun, root: Path, made: dict[str, Any]) -> Any:
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append("https://w3id.org/ro/terms/workflow-run/context")
    name, versions = run.configuration.name, made["software"]
    crate.name = f"{name}: a run of aiq"
    crate.description = f"A finished run of measure {run.configuration.measure} by aiq {versions['aiq']}."
    crate.license = NO_LICENSE
    main = crate.add_workflow(
        dest_path="workflow/Snakefile", main=True, lang="snakemake", properties={
            "name": "workflow of aiq", "version": versions["aiq"], "license": "https://spdx.org/licenses/MIT",
            **_file(root, "workflow/Snakefile"),
        },
    )  # fmt: skip
    main["softwareRequirements"] = list(_software(crate, versions))
    files = {
        path: crate.add_file(dest_path=path, properties=_file(root, path)) for path in _files(root) if path not in crate
    }
    tables = crate.add_dataset(dest_path="tables/", properties={"name": "tables of results"})
    tables["hasPart"] = [file for path, file in files.items() if path.startswith("tables/")]
    seed = {"@type": "PropertyValue", "name": "seed", "value": str(run.configuration.seed)}
    given = [files[CONFIGURATION], _context(crate, "#seed", seed)]
    kinds = (("configuration", "File"), ("root-of-all-seeds", "Integer"))
    main["input"] = [_parameter(crate, *kind, value) for kind, value in zip(kinds, given, strict=True)]
    main["output"] = _parameter(crate, "tables", "Dataset", tables)
    stages = ", ".join(f"{stage} {version}" for stage, version in made["stages"].items())
    results = [path for path in files if path not in (CONFIGURATION, *DRAWN) and not path.startswith("workflow/")]
    last = max((root / path).stat().st_mtime for path in results)
    properties = {
        "name": f"run of {name}", "endTime": datetime.fromtimestamp(last, UTC).isoformat(timespec="seconds"),
        "description": f"aiq run with the configuration {made['configuration_hash']}; versions of the stages: {stages}",
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }  # fmt: skip
    came = [tables, *(files[path] for path in results)]
    crate.root_dataset["mentions"] = crate.add_action(
        main, identifier="#run", object=given, result=came, properties=properties
    )
    for place, profile in PROFILES.items():
        what = {"@type": "CreativeWork", "name": profile, "version": place.rsplit("/", 1)[1]}
        crate.root_dataset.append_to("conformsTo", _context(crate, place, what))
    return crate


def _file(root: Path, path: str) -> dict[str, str]:
    kind = FORMATS.get(Path(path).suffix) or mimetypes.guess_type(path)[0] or "text/plain"
    if path in DRAWN:  # written again whenever somebody asks
        return {"encodingFormat": kind}
    return {
        "encodingFormat": kind, "contentSize": str((root / path).stat().st_size), "sha256": checksum(root / path)
    }  # fmt: skip


def _software(crate: Any, versions: dict[str, str]) -> Iterator[Entity]:
    """Yield aiq, Python and the packages that a run rests on, with their versions."""
    places = {"aiq": "#aiq", "python": f"https://www.python.org/downloads/release/python-{versions['python']}"}
    places |= {name: f"https://pypi.org/project/{name}/{versions[name]}/" for name in PACKAGES if name in versions}
    for name, place in places.items():
        url = "https://doi.org/10.3390/ai6120313" if name == "aiq" else place
        properties = {"@type": "SoftwareApplication", "name": name, "softwareVersion": versions[name], "url": url}
        yield _context(crate, place, properties)


def _parameter(crate: Any, name: str, kind: str, value: Entity) -> Entity:
    """Return an input or output of the workflow with the value that it had."""
    parameter: Entity = crate.add_formal_parameter(name, kind, identifier=f"#parameter-{name}", valueRequired=True)
    parameter["workExample"], value["exampleOfWork"] = value, parameter
    return parameter


def _context(crate: Any, place: str, properties: dict[str, Any]) -> Entity:
    from rocrate.model.contextentity import ContextEntity

    entity: Entity = crate.add(ContextEntity(crate, place, properties=properties))
    return entity
