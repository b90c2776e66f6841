"""Help and its examples; streams that are full, closed or interrupted."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import TRIALS, Aiq, refused, verbs


def example(help_text: str) -> list[str]:
    """Commands of the worked example of a help text."""
    block = re.search(r"^ *Example.*\n((?: *\S.*\n)*)", help_text, re.MULTILINE)
    return [line.strip() for line in block[1].splitlines()]


NEED_A_RUN = (
    *("shards", "summary", "estimate", "landmarks", "page", "doctor", "run"),
    *("sensitivity", "claims", "experiment", "precision", "baselines", "verify"),
    *("store", "store show", "store audit", "store add", "store clear"),
)


def test_every_help_has_an_example_and_the_examples_run(aiq: Aiq, tmp_path: Path):
    """Every help has one; all run in one folder, in the order of the verbs (score reads what space wrote)."""
    seen: set[str] = set()
    for verb in [(), *verbs()]:
        status, out, err = aiq(*verb, "--help")
        lines = example(out)
        assert (status, err) == (0, "")
        assert any(re.search(rf"\baiq {' '.join(verb)}", line) for line in lines), verb
        if " ".join(verb) in NEED_A_RUN:
            continue  # these take a configuration or read the results of a run: tests/workflow
        for line in lines:
            if line in seen or "results/my-suite" in line:
                continue
            seen.add(line)
            if line.startswith("aiq "):
                status, out, err = aiq(*shlex.split(line)[1:])
            else:
                script = f'set -euo pipefail; aiq() {{ "{sys.executable}" -m aiq.cli "$@"; }}; {line}'
                done = subprocess.run(["bash", "-c", script], cwd=tmp_path, text=True, capture_output=True, check=False)
                status, out, err = done.returncode, done.stdout, done.stderr
            assert (status, err) == (0, ""), line
            assert len(out.splitlines()) > 2 or ">" in line or " -o " in line or line.startswith("aiq init"), line
    assert len(seen) > 20


def test_a_reader_that_closes_early_gets_no_traceback():
    command = ["bash", "-c", f'"{sys.executable}" -m aiq.cli domains --json | true']
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", ["complexity t.csv --json", "domains", "--help"])
def test_a_full_standard_output_is_one_sentence(tmp_path: Path, words: str):
    (tmp_path / "t.csv").write_text(TRIALS, encoding="utf-8")
    command = [sys.executable, "-m", "aiq.cli", *words.split()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "aiq: standard output cannot be written: No space left on device; free space, or send it elsewhere\n"
    )


@pytest.mark.parametrize("words", ["complexity -", "algorithmic run freq - -p epsilon=0.07", "anytime play"])
def test_a_closed_standard_input_is_one_sentence(tmp_path: Path, words: str):
    command = ["sh", "-c", f"{sys.executable} -m aiq.cli {words} <&-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    refused((done.returncode, done.stdout, done.stderr), "standard input is closed")


INTERRUPTED = """
import sys
class Finder:
    def find_spec(self, name, path, target=None):
        if name == "aiq.cli.measures":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from aiq.cli import main
sys.exit(main(["--help"]))
"""


def test_an_interruption_while_modules_load_is_one_line():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.lstrip()) == (130, "", "aiq: interrupted\n")


def test_no_verb_at_all_shows_the_verbs(aiq: Aiq):
    status, out, err = aiq()
    assert (status, out) == (2, "")
    assert "complexity" in err
