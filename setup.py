"""Build the wheel: what a run needs besides the library is copied from the checkout to ``aiq/workflow``.

Everything else about the package stands in ``pyproject.toml``. In a checkout (``pip install --editable .``) nothing is
copied; ``aiq.plans.workflow`` finds the workflow in either place.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
TARGET = Path("aiq") / "workflow"
WORKFLOW = (
    "workflow/Snakefile",
    "workflow/rules/*.smk",
    "workflow/report/*.rst",
    "workflow/schemas/*.json",
    "scripts/*.py",
    "profiles/*/*.yaml",
    "config/*.yaml",
    "config/README.md",
    "envs/*.yaml",
)
"""What a wheel holds of the workflow; every pattern must fit something."""


class BuildWithWorkflow(build_py):
    """Copies the workflow beside the library."""

    def run(self) -> None:
        """Build the library as ever, then copy."""
        super().run()
        if not self.editable_mode:
            for source, target in self._workflow():
                self.mkpath(str(target.parent))
                self.copy_file(str(source), str(target))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Name what is copied too."""
        copied = [] if self.editable_mode else [str(target) for _, target in self._workflow()]
        return [*super().get_outputs(include_bytecode), *copied]

    def _workflow(self) -> list[tuple[Path, Path]]:
        """Return each file with its place in the build."""
        found = []
        for pattern in WORKFLOW:
            files = sorted(path for path in ROOT.glob(pattern) if path.is_file())
            if not files:
                raise FileNotFoundError(f"nothing fits {pattern}: the workflow is not complete in {ROOT}")
            found += [
                (path.relative_to(ROOT), Path(self.build_lib) / TARGET / path.relative_to(ROOT)) for path in files
            ]
        return found


setup(cmdclass={"build_py": BuildWithWorkflow})
