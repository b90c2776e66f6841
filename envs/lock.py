"""Write requirements.lock and envs/aiq.yaml: the closure of all extras but ``bench``, as installed here.

Run by ``make lock`` after every test has passed with the versions that are installed. Beside them
requirements-cpu.lock: the same pins with the builds of torch that hold nothing for GPUs, without CUDA's libraries.
"""

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
LINUX_ONLY = re.compile(r"nvidia|cuda|triton")
OF_TORCH = re.compile(r"(torch|torchvision)==([^;+ ]+)$")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""Where PyTorch's project keeps builds without CUDA; the package index has builds for Linux with CUDA alone."""
BEFORE_3_14 = re.compile(r"backports\.zstd")  # part of Python since


def closure(wanted: list[str]) -> dict[str, str]:
    """Return name -> installed version of the requirements and of all that they require."""
    seen: dict[tuple[str, frozenset[str]], tuple[str, str]] = {}
    queue = [(text, frozenset[str]()) for text in wanted]
    while queue:
        text, extras = queue.pop()
        need = Requirement(text)
        if need.marker and not any(need.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            continue
        key = (need.name.lower().replace("_", "-"), frozenset(need.extras))
        if key in seen:
            continue
        found = metadata.distribution(need.name)
        if not need.specifier.contains(found.version, prereleases=True):
            raise SystemExit(f"{need} is asked for, {found.version} is installed; install it first")
        seen[key] = (found.metadata["Name"], found.version)
        queue += [(other, frozenset(need.extras)) for other in found.requires or []]
    return dict(sorted(seen.values(), key=lambda pin: pin[0].lower()))


def pins() -> list[str]:
    """Return one line a package; those that exist for Linux only are marked so."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = project["optional-dependencies"]
    extras = [line for name in groups if name != "bench" for line in groups[name]]
    found = closure([*project["dependencies"], *extras, "setuptools"])
    return [
        f"{name}=={version}"
        + ("; sys_platform == 'linux'" if LINUX_ONLY.search(name) else "")
        + ("; python_version < '3.14'" if BEFORE_3_14.search(name) else "")
        for name, version in found.items()
    ]


def without_cuda(lines: list[str]) -> list[str]:
    """Return the same pins without CUDA's libraries, with the builds of torch that need none of them.

    On Linux these carry ``+cpu`` in their version; builds for other systems never had CUDA.
    """
    found = [f"--extra-index-url {CPU_INDEX}"]
    for line in lines:
        if LINUX_ONLY.search(line):
            continue
        if torch := OF_TORCH.match(line):
            name, version = torch.groups()
            found.append(f"{name}=={version}+cpu; sys_platform == 'linux'")
            found.append(f"{name}=={version}; sys_platform != 'linux'")
        else:
            found.append(line)
    return found


def main() -> None:
    """Write all files."""
    lines = pins()
    head = "# All packages of `make env`, pinned. Written by envs/lock.py; change pyproject.toml, not this file.\n"
    (ROOT / "requirements.lock").write_text(head + "\n".join(lines) + "\n")
    cpu = head.replace("pinned.", "pinned, without CUDA's libraries.")
    (ROOT / "requirements-cpu.lock").write_text(cpu + "\n".join(without_cuda(lines)) + "\n")
    conda = ["name: aiq", "channels: [conda-forge, nodefaults]", "dependencies:"]
    conda += [f"  - python={sys.version_info.major}.{sys.version_info.minor}", "  - pip", "  - pip:"]
    conda += [f'      - "{line}"' for line in lines]
    (ROOT / "envs" / "aiq.yaml").write_text(head + "\n".join(conda) + "\n")


if __name__ == "__main__":
    main()
