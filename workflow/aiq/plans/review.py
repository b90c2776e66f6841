"""The review of the stages' code: ``python -m aiq.plans.review --reason "..."``.

``reviewed.json`` beside this file keeps, for every stage, the version and the code that somebody looked at last. A
test compares it with the code that is there. Whoever changes the code of a stage raises the stage's version where
numbers change, and in any case says here why finished results stay, or do not stay, what they are.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiq.plans.code import code_of
from aiq.plans.registry import PIPELINES, STAGES

REVIEWED = Path(__file__).with_name("reviewed.json")


def present() -> dict[str, Any]:
    """Return the versions of all stages with the modules of each, and the digests of all these modules."""
    codes: dict[str, dict[str, str]] = {}
    for plan in PIPELINES.values():
        begun = {module for stage in plan.stages for module in stage.modules}
        codes |= {stage.name: code_of(stage.modules, begun) for stage in plan.stages}
    return {
        "stages": {stage.name: {"version": stage.version, "modules": list(codes[stage.name])} for stage in STAGES},
        "modules": dict(sorted({module: code for found in codes.values() for module, code in found.items()}.items())),
    }


def read(path: Path = REVIEWED) -> dict[str, Any]:
    """Return what was reviewed last; nothing where there is no list yet."""
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def differences(reviewed: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return one sentence for each stage whose version or code is not the reviewed one."""
    found = []
    for name, stage in now["stages"].items():
        before = reviewed.get("stages", {}).get(name)
        if before is None:
            found.append(f"stage {name} is new")
            continue
        known = {module: reviewed["modules"].get(module) for module in before["modules"]}
        code = {module: now["modules"][module] for module in stage["modules"]}
        changed = sorted(module for module in {**known, **code} if known.get(module) != code.get(module))
        if stage["version"] != before["version"]:
            found.append(f"stage {name} has version {stage['version']}, reviewed is {before['version']}")
        elif changed:
            found.append(f"stage {name} has changed code at version {stage['version']}: {', '.join(changed)}")
    gone = [name for name in reviewed.get("stages", {}) if name not in now["stages"]]
    return [*found, *(f"stage {name} is gone" for name in gone)]


def review(reason: str, path: Path = REVIEWED) -> list[str]:
    """Write the present code as reviewed, each differing stage with the reason, and return what differed."""
    reviewed = read(path)
    now = present()
    found = differences(reviewed, now)
    for name, stage in now["stages"].items():
        before = reviewed.get("stages", {}).get(name, {})
        differs = any(sentence.startswith(f"stage {name} ") for sentence in found)
        stage["reason"] = reason if differs else before["reason"]
    path.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    return found


def main() -> None:
    """Ask for a reason and write the list."""
    parser = argparse.ArgumentParser(prog="python -m aiq.plans.review", description=__doc__.split("\n")[0])
    parser.add_argument("--reason", help="why finished results stay what they are, or which version was raised")
    reason = parser.parse_args().reason
    if not (reason or "").strip():
        for sentence in differences(read(), present()):
            print(sentence)
        parser.error("give --reason: why finished results stay what they are, or which version was raised")
    for sentence in review(reason):
        print(sentence)


if __name__ == "__main__":
    main()
