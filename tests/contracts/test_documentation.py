"""The notebook runs and stays short, and the site builds without network and without a broken link."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs" / "tutorial" / "notebook.ipynb"
MISSING = [name for name in ("mkdocs", "material", "mkdocstrings", "mkdocs_jupyter", "nbclient", "ipykernel")
           if importlib.util.find_spec(name) is None]  # fmt: skip
IN_CI = bool(os.environ.get("CI"))
needs_docs = pytest.mark.skipif(
    bool(MISSING) and not IN_CI, reason=f"needs the extra docs: pip install 'aiq[docs]' ({', '.join(MISSING)} missing)"
)
QUIET = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "workflow")}


@needs_docs
def test_the_notebook_goes_the_whole_way(tmp_path: Path, monkeypatch):
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", str(ROOT / "workflow"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    lines = [line for cell in code for line in cell.source.splitlines() if line.strip()]
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 88
    assert not any(cell.outputs for cell in code)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = "".join(str(cell.outputs) for cell in code)
    for words in ("MCCP@16", "3 dimensions", "AIQ per dimension", "image/png"):
        assert words in shown
    assert shown.index("even") < shown.rindex("specialist")
    assert list(tmp_path.iterdir()) == []


@needs_docs
@pytest.mark.slow
def test_the_site_builds_and_no_link_is_broken(tmp_path: Path):
    site = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)],
        cwd=ROOT, env=QUIET, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    page = (site / "reference" / "python.html").read_text("utf-8")
    for name in ("complexity", "dissimilarity", "similarity", "space", "score", "load", "compare"):
        assert f"aiq.{name}" in page
    assert "Standard error of the value" in (site / "reference" / "python-results.html").read_text("utf-8")
    assert "even" in (site / "tutorial" / "notebook.html").read_text("utf-8")
    loaded = [path for path in site.rglob("*.html") if '<script src="http' in path.read_text("utf-8")]
    assert loaded == []


def test_the_page_on_runs_lists_the_verbs_that_a_finished_run_takes():
    """By the sections of ``aiq --help``: none is missing, and none is named that there is not."""
    from aiq.cli.main import SECTIONS, cli

    page = (ROOT / "docs" / "how-to" / "run.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `aiq ")]
    listed = {verb for row in rows for verb in re.findall(r"`aiq (\w+)", row)}
    assert set(SECTIONS["A finished run, understood"]) | {"verify", "page", "compare"} <= listed
    assert listed <= set(cli.commands)
    assert set(re.findall(r"`aiq ([a-z]+)", page)) <= set(cli.commands)
