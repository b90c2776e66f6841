"""What docs/how-to/how-to-add.md promises: files that are there, few to edit, registries that know the rest."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from matplotlib.figure import Figure as Canvas

from aiq.config.base import RunSettings
from aiq.figures import Drawing
from aiq.plans import __main__ as page
from aiq.plans.base import Plan, Shards
from aiq.plans.layout import Files
from aiq.plans.products import Figure, Products, Table
from aiq.plans.run import Run
from aiq.records.table import Table as Numbers
from aiq.run import products as jobs
from aiq.run.products import Made
from aiq.wing import Measure

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to" / "how-to-add.md").read_text(encoding="utf-8")
COUNTS = {
    kind: (own, int(edited))
    for kind, own, edited in re.findall(r"^\| an? ([^|]+) \| (?:about )?(\d+) \| (?:3, or )?(\d)", PAGE, re.MULTILINE)
}
MOST = {
    "labelled family of domains": 1,
    "control family of domains": 1,
    "figure": 2,
    "option of an estimator": 3,
    "measure": 0,
}


def section(kind: str) -> str:
    """Return what the page says of one kind."""
    (found,) = re.findall(rf"^## An? {kind}\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


@pytest.mark.parametrize("kind", MOST)
def test_as_many_files_are_edited_as_the_table_says_and_all_of_them_are_there(kind: str):
    edited = re.findall(r"^\| `([^`]+)` \|", section(kind), re.MULTILINE)
    assert len(edited) == COUNTS[kind][1] <= MOST[kind]
    assert all((ROOT / path).is_file() for path in edited)


@pytest.mark.parametrize("kind", [kind for kind in MOST if not kind.startswith(("option", "measure"))])
def test_as_many_files_of_its_own_are_named_as_the_table_says(kind: str):
    words = re.split(r"```|^\|", section(kind), maxsplit=1, flags=re.MULTILINE)[0]
    own = re.findall(r"`(workflow/[^`]+)`", words)
    assert len(own) == int(COUNTS[kind][0])
    assert not any((ROOT / path).exists() for path in own if kind != "figure")


def in_a_copy(folder: Path, files: dict[str, str], line: tuple[str, str], code: str) -> str:
    """Return what some code prints in a copy of the sources with further files and one further line in the registry."""
    shutil.copytree(ROOT / "workflow" / "aiq", folder / "aiq", ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in files.items():
        file = folder / Path(path).relative_to("workflow")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    registry = folder / "aiq" / "domains" / "registry.py"
    after, new = line
    text = registry.read_text(encoding="utf-8")
    assert text.count(f"{after} = (\n") == 1
    registry.write_text(text.replace(f"{after} = (\n", f"{after} = (\n    {new}\n"), encoding="utf-8")
    environment = {"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def line_of(kind: str) -> tuple[str, str]:
    """Return the tuple of the registry and the line that the page adds to it."""
    ((after, new),) = re.findall(r"one line in `(\w+)`: `([^`]+)`", section(kind))
    return after, new


def test_the_labelled_family_of_the_page_works_by_one_file_and_one_line(tmp_path: Path):
    kind = "labelled family of domains"
    (code,) = re.findall(r"```python\n(.*?)```", section(kind), re.DOTALL)
    (own,) = re.findall(r"Own file: `([^`]+)`", section(kind))
    printed = in_a_copy(
        tmp_path, {own: code}, line_of(kind),
        "import sys\n"
        "from aiq import config, domains\n"
        "from aiq.config.__main__ import readme\n"
        "from aiq.errors import ConfigurationError\n"
        "from aiq.config.suite import Source\n"
        "from pydantic import TypeAdapter\n"
        "settings = TypeAdapter(Source).validate_python({'source': 'rings', 'samples': 40, 'noise': 0.1})\n"
        "domain = domains.load('r', settings, root_seed=1)\n"
        "try:\n"
        "    config.validate(type(settings), {'source': 'rings', 'sample': 40})\n"
        "except ConfigurationError as error:\n"
        "    print(error)\n"
        "print(domain.train_x.shape, domain.classes, settings.holds.train, domain.sheet.description)\n"
        "print('Rings' in config.schema()['$defs'], '## Rings' in readme(), 'torch' in sys.modules)\n",
    )  # fmt: skip
    refusal, loaded, told = printed.splitlines()
    assert "unknown key 'sample' (did you mean 'samples'?)" in refusal
    assert loaded == "(40, 2) (0, 1) 40 Points on two rings"
    assert told == "True True False"


HILL = '''
from typing import Literal
from pydantic import Field
from aiq.domains.control.settings import Control
from aiq.domains.family import ControlFamily

class Hill(Control):
    """A car between hills."""
    source: Literal["hill"] = Field(description="the source: hill")
    steps: int = Field(20, ge=1, description="longest episode")

def _make(name, settings):
    from aiq.domains.hill.worlds import HillDomain
    return HillDomain(name, settings)

FAMILY = ControlFamily(Hill, _make, "a car", "observations (2,), 3 actions", ("torch",), {"source": "hill"})
'''
HILL_WORLDS = """
import torch
from aiq.domains.base import DataSheet
from aiq.domains.control.base import DeclaredDomain

class HillDomain(DeclaredDomain):
    def __init__(self, name, settings):
        sheet = DataSheet("a car", "made here", "CC0", (-1.0, 1.0))
        facts = {"observations": 2, "actions": 3, "bounds": (0.0, 1.0), "horizon": settings.steps}
        super().__init__(name, settings, sheet=sheet, **facts)

    def worlds(self, seeds, *, device="cpu"):
        return torch.zeros(len(seeds), 2)
"""


def test_a_control_family_works_by_two_files_and_one_line_and_torch_comes_with_the_domain(tmp_path: Path):
    kind = "control family of domains"
    family, worlds = re.findall(r"`(workflow/aiq/domains/hill/\w+\.py)`", section(kind))
    printed = in_a_copy(
        tmp_path, {family: HILL, worlds: HILL_WORLDS}, line_of(kind),
        "import sys\n"
        "from aiq import config, domains\n"
        "from aiq.config.suite import Source\n"
        "from pydantic import TypeAdapter\n"
        "settings = TypeAdapter(Source).validate_python({'source': 'hill'})\n"
        "print('torch' in sys.modules, 'Hill' in config.schema()['$defs'])\n"
        "domain = domains.control_domain('h', settings)\n"
        "print(domain.horizon, len(domain.worlds([1, 2])), 'torch' in sys.modules)\n",
    )  # fmt: skip
    assert printed.splitlines() == ["False True", "20 2 True"]


DECLARED = Products(
    "draw_dice",
    needs=lambda plan: {},
    follows=lambda plan: "f",
    figures=(Figure("spectrum", "Dice"), Figure("contributions", "Dice", when=lambda plan: False)),
    tables=(Table("throws", "Dice", when=lambda plan: False),),
)


class Dice(Plan[RunSettings, Files]):
    """A measure without files, with one job that draws."""

    settings = RunSettings
    stages = ()
    declared = (DECLARED,)

    def shards(self) -> Shards:
        return {}

    def results(self) -> Shards:
        return {}


def drawing() -> Drawing:
    return Drawing(Canvas(), Numbers.of(("mean",), [(3.5,)]), "The mean.", "A mean.")


def test_a_declared_figure_is_listed_and_drawn_where_its_condition_holds(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(page, "PIPELINES", {"dice": Dice})
    assert "## Measure dice" in page.page()
    told = page.page()
    own = told[told.index("Made by `draw_dice`:") :].splitlines()
    assert own[2].startswith("- `spectrum`: Eigenvalues of the Gram matrix and the threshold")
    assert [line.partition(":")[0] for line in own[2:]] == [
        "- `spectrum`",
        "- `contributions`",
        "- tables `throws.csv`",
    ]

    room = ModuleType("room")
    room.show = lambda run, declared: Made({"spectrum": drawing})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "room", room)
    monkeypatch.setattr(jobs, "measure_of", lambda name: Measure(name=name, show="room:show"))
    configuration = RunSettings(measure="dice", name="dice", seed=1, results=str(tmp_path))
    run = Run(configuration, Dice(configuration, Files(str(tmp_path))), Files(str(tmp_path)))
    jobs.make_products(run, "draw_dice")
    names = {"spectrum.png", "spectrum.svg", "spectrum.pdf", "spectrum.csv", "spectrum.txt"}
    assert {path.name for path in (tmp_path / "figures").iterdir()} == names
