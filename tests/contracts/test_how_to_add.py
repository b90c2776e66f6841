"""What docs/how-to-add.md promises: files that are there, few to edit, and registries from which the rest follows."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from aiq import domains
from aiq.config.base import RunSettings
from aiq.domains import registry as families
from aiq.domains.labelled.sklearn_sets import Sklearn
from aiq.figures import Drawing
from aiq.plans import page, registry
from aiq.plans.base import Plan, Shards
from aiq.plans.layout import Files
from aiq.plans.products import Figure, Products, Table
from aiq.plans.run import Run
from aiq.records.table import Table as Numbers
from aiq.tasks import products as jobs
from aiq.tasks.shell.publishing import Made

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to-add.md").read_text(encoding="utf-8")
MOST = {
    "A labelled family of domains": 2,
    "A control family of domains": 2,
    "A figure": 3,
    "An option of an estimator": 3,
    "A measure with a pipeline of its own": 4,
}


@pytest.mark.parametrize("kind", MOST)
def test_few_files_are_edited_and_all_of_them_are_there(kind: str):
    (section,) = re.findall(rf"^## {kind}\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)
    edited = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    assert 0 < len(edited) <= MOST[kind]
    assert all((ROOT / path).is_file() for path in edited)


DECLARED = Products(
    "draw_dice",
    needs=lambda plan: {},
    follows=lambda plan: "f",
    figures=(Figure("spectrum", "Dice"), Figure("contributions", "Dice", when=lambda plan: False)),
    tables=(Table("throws", "Dice", when=lambda plan: False),),
)


class Dice(Plan[RunSettings, Files]):
    """A measure without files, with one job that draws."""

    stages = ()
    declared = (DECLARED,)

    def shards(self) -> Shards:
        return {}

    def results(self) -> Shards:
        return {}


def drawing() -> Drawing:
    return Drawing(Canvas(), Numbers.of(("mean",), [(3.5,)]), "The mean.", "A mean.")


def test_a_declared_figure_is_listed_and_drawn_where_its_condition_holds(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(page, "MEASURES", {"dice": registry.Measure(Dice, (), Dice.declared, "room")})
    assert "## Measure dice" in page.page()
    assert "| `spectrum` | Dice |" in page.page()
    assert "| `throws.csv` | Dice |" in page.page()

    room = ModuleType("room.products")
    room.MAKERS = {"draw_dice": lambda run, needs: Made({"spectrum": drawing})}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "room", ModuleType("room"))
    monkeypatch.setitem(sys.modules, "room.products", room)
    monkeypatch.setattr(jobs, "MEASURES", {"dice": registry.Measure(Dice, (), Dice.declared, "room")})
    configuration = RunSettings(measure="dice", name="dice", seed=1, results=str(tmp_path))
    run = Run(configuration, Dice(configuration, Files(str(tmp_path))), Files(str(tmp_path)))
    jobs.make_products(run, "draw_dice")
    names = {"spectrum.png", "spectrum.svg", "spectrum.csv", "spectrum.txt"}
    assert {path.name for path in (tmp_path / "figures").iterdir()} == names


def test_a_registered_family_is_loaded_and_described(monkeypatch):
    def load(settings, request):
        x = np.arange(8.0).reshape(4, 2).astype(np.float32)
        y = np.array([0, 1, 0, 1])
        sheet = domains.base.DataSheet("rings", "made here", "CC0", (0.0, 7.0), ("inner", "outer"), ())
        return domains.LabelledDomain(request.name, x, y, x, y, settings.label_space, 2, sheet)

    family = domains.Family("sklearn", Sklearn, load, "two rings", "vectors (2,)", (), {"source": "sklearn"})
    monkeypatch.setattr(families, "FAMILIES", {"sklearn": family})
    made = domains.load("rings", Sklearn(source="sklearn", name="wine", classes=[1, 0]), root_seed=1)
    assert made.train_x.shape == (4, 2)
    assert made.sheet.description == "rings"
    assert family.describe()["parameters"]["name"]["required"]
