"""Which of aiq's extras brings a package that is missing."""

from __future__ import annotations

EXTRAS = {
    "train": (
        *("snakemake", "snakemake_executor_plugin_slurm", "snakemake_interface_logger_plugins", "torch", "torchvision"),
        *("gymnasium", "pybullet", "sklearn", "PIL", "submitit", "psutil", "numba"),
    ),
    "report": ("plotly", "jinja2", "pygments", "rocrate"),
    "suites": ("backports",),
    "baselines": ("problexity", "ot"),
    "dev": ("stable_baselines3",),
}
"""Extra -> what is imported of the packages that it installs; ``pyproject.toml`` has the packages."""


WEIGHTS = {"train": "6.5 GB, or 2 GB with torch for the processor alone"}
"""Extra -> what it takes on the disk."""


def needs(extra: str) -> str:
    """Return that something needs an extra, and what that weighs."""
    return f"needs the extra {extra}: {install(extra)} ({WEIGHTS[extra]})"


def install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install 'aiq[{extra}]'"


def lacking(module: str | None) -> str | None:
    """Return the sentence about a module that cannot be imported, or None if no extra brings it."""
    top = (module or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if top in modules:
            return (
                f"this needs the Python package {top!r}, which is not installed; "
                f"it comes with the extra {extra}: {install(extra)}"
            )
    return None
