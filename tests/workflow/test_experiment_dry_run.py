"""An experiment asks Snakemake for what its figure needs, and for nothing else. About 3 seconds."""

import json
import subprocess
import sys
from pathlib import Path


def test_a_figure_of_dissimilarities_trains_no_pool_and_its_claims_are_not_run(tmp_path: Path):
    command = [sys.executable, "-m", "aiq.cli", "experiment", "f14", "-o", "f14.png", "--json", "--", "-n"]
    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["experiment"], found["scale"]) == ("f14", "small")
    assert [(claim["id"], claim["verdict"]) for claim in found["claims"]] == [("F14", "not run here")]
    assert "train_mixtures" in done.stderr
    assert "train_trials" not in done.stderr
    assert "draw_" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [".snakemake"]
