"""Every option that names a file to write: it is written where it is asked for, in that format, or refused at once."""

from pathlib import Path

import click
import pytest
from command_line import SPACE as TABLES
from command_line import Aiq, refused, verbs

from aiq.cli.verbs import FILE, FOLDER, SPACE, Written

WRITING = ("-o", "--output", "--csv", "--figure", "--save", "--performances")
"""Words of options that write; none of them may take any name."""


OPTIONS = [
    pytest.param(words, option, id=" ".join((*words, option.opts[0])))
    for words, command in verbs().items()
    if not isinstance(command, click.Group)
    for option in command.params
    if isinstance(option, click.Option) and (isinstance(option.type, Written) or set(option.opts) & set(WRITING))
]


def test_verbs_with_such_options_are_found():
    names = {param.id for param in OPTIONS}
    verbs_ = ("space", "read", "suite", "compare", "algorithmic run", "claims", "experiment")
    assert {f"{verb} -o" for verb in verbs_} <= names
    assert len(names) >= 18


@pytest.mark.parametrize(("words", "option"), OPTIONS)
def test_a_folder_that_is_not_there_is_named_and_not_made(words, option, aiq: Aiq, tmp_path: Path):
    assert isinstance(option.type, Written)
    ending = next(iter(option.type.endings), "x").removeprefix(".")
    sentence = f"there is no folder {tmp_path / 'nowhere/deep'}; make it, or choose another"
    refused(aiq(*words, option.opts[0], f"nowhere/deep/x.{ending}"), sentence)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("words", "option"), [p for p in OPTIONS if p.values[1].type not in (FILE, FOLDER)])
def test_an_ending_of_another_format_is_refused(words, option, aiq: Aiq, tmp_path: Path):
    refused(aiq(*words, option.opts[0], "x.foo"), "is '.foo'; allowed are")
    assert list(tmp_path.iterdir()) == []


def test_a_space_is_not_written_as_a_table(aiq: Aiq):
    refused(aiq(*TABLES, "-o", "x.csv"), "the ending of a space's file is '.csv'; allowed are h5, hdf5")


@pytest.mark.parametrize("name", ["x", "x.h5", "link.h5", "/dev/null"])
def test_what_can_be_written_is_taken(name: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("link.h5").symlink_to(tmp_path / "other.h5")
    assert SPACE.convert(name, None, None) == name
