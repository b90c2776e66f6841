"""A checkout is whole by itself: no tracked link leaves it or leads nowhere."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest


def bad_links(root: Path, names: list[str]) -> list[str]:
    """Return the links among some files that dangle or leave the tree."""
    links = [name for name in names if (root / name).is_symlink()]
    return [
        name
        for name in links
        if not (root / name).exists() or not (root / name).resolve().is_relative_to(root.resolve())
    ]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_no_tracked_link_leaves_the_tree_or_dangles(root: Path):
    done = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    names = done.stdout.split("\0")[:-1]
    assert len(names) > 500
    assert bad_links(root, names) == []


def test_bad_links_are_found(tmp_path: Path):
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "file").touch()
    for name, target in {"good": "file", "outside": str(tmp_path), "dangling": "nothing"}.items():
        (tree / name).symlink_to(target)
    assert bad_links(tree, ["file", "good", "outside", "dangling"]) == ["outside", "dangling"]


def test_what_make_names_of_the_tests_is_there(root: Path):
    """A folder that is gone would end ``make quick`` before any test."""
    done = subprocess.run(["make", "-n", "quick"], cwd=root, capture_output=True, text=True, check=True)
    places = re.findall(r"\btests/[\w/.]+", done.stdout)
    assert len(places) > 8
    assert [place for place in places if not (root / place).exists()] == []
