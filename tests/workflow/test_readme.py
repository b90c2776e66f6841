"""The README's commands exist: targets of make, configuration files, verbs and options of aiq, options of Snakemake.

One fenced block that begins with ```bash is run, by ``test_wheel.py``; the others stand after an HTML comment
``<!-- not run: reason -->``.
"""

import functools
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
import tiny

from aiq.cli.main import cli

pytestmark = pytest.mark.workflow

ROOT = tiny.ROOT
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(
    r"(?:<!-- not run: (?P<reason>[^>]*?)\s*-->\s*\n+)?^```bash\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its commands, and why it is not run, if it is not."""

    body: str
    reason: str | None

    @property
    def commands(self) -> list[list[str]]:
        """Words of each command; assignments before a command and comments are left out."""
        text = re.sub(r"<<'?(\w+)'?.*?^\1$", "", self.body.replace("\\\n", " "), flags=re.MULTILINE | re.DOTALL)
        found = []
        for line in text.splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
            lexer.whitespace_split = True
            words: list[str] = []
            for word in [*lexer, ";"]:
                if set(word) <= set("|&;()<>"):
                    found.append(words)
                    words = []
                elif words or not re.fullmatch(r"\w+=.*", word):
                    words.append(word)
        return [words for words in found if words]


BLOCKS = [Block(match["body"], match["reason"]) for match in FENCE.finditer(README)]
CHECKED = [block for block in BLOCKS if block.reason is not None]
RUN = [block for block in BLOCKS if block.reason is None]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def options(command: click.Command) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts} | {"--help", "-h"}


def check_aiq(words: list[str]) -> None:
    command: click.Command = cli
    while isinstance(command, click.Group) and words and words[0] in command.commands:
        command, words = command.commands[words[0]], words[1:]
    assert command is not cli or words[:1] in (["--help"], ["-h"], ["--version"]), f"no verb in aiq {words}"
    allowed = options(command) | ({"--version"} if command is cli else set())
    for word in words:
        if word.startswith("-") and word != "-":
            assert word.split("=")[0] in allowed, f"{command.name} has no option {word}"


@functools.cache
def snakemake_options() -> set[str]:
    done = subprocess.run([sys.executable, "-m", "snakemake", "--help"], capture_output=True, text=True, check=True)
    return set(re.findall(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", done.stdout))


def check(words: list[str]) -> None:
    """The named command and all that it names exist."""
    program, rest = Path(words[0]).name, words[1:]
    if program == "make":
        for word in rest:
            assert "=" in word or word.startswith("-") or word in targets(), f"make has no target {word}"
    elif program == "aiq":
        check_aiq(rest)
    elif program == "snakemake":
        known = snakemake_options()
        for word in rest:
            assert not word.startswith("-") or word.split("=")[0] in known, f"snakemake has no option {word}"
    for word in words:
        if re.fullmatch(r"(config|profiles|docs|envs|benchmarks)/[\w./-]+", word) and not word.startswith("config/my"):
            assert (ROOT / word).exists(), f"{word} does not exist"


def test_the_readme_has_both_of_its_commands():
    assert "make quickstart" in README
    assert len(RUN) == 1  # tests/workflow/test_wheel.py runs it as it stands, with the wheel alone
    assert CHECKED
    assert all(block.reason for block in CHECKED)


def test_the_targets_that_people_call_exist():
    assert {"quickstart", "test", "check", "bench", "env", "clean", "lock"} <= targets()


@pytest.mark.parametrize("block", CHECKED, ids=range(len(CHECKED)))
def test_commands_of_blocks_that_are_not_run_exist(block: Block):
    assert block.commands
    for words in block.commands:
        check(words)
