"""Every option that names a file to write: it is written where it is asked for, in that format, or refused at once."""

from pathlib import Path

import click
import pytest

from aiq.cli.main import cli, main
from aiq.cli.options import FILE, FOLDER, SPACE, Written

WRITING = ("-o", "--output", "--csv", "--figure", "--save", "--performances")
"""Words of options that write; none of them may take any name."""


def verbs(group: click.Group = cli, before: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    """Every verb and verb of a verb."""
    found: list[tuple[tuple[str, ...], click.Command]] = []
    for name, command in group.commands.items():
        words = (*before, name)
        found += verbs(command, words) if isinstance(command, click.Group) else [(words, command)]
    return found


OPTIONS = [
    pytest.param(words, option, id=" ".join((*words, option.opts[0])))
    for words, command in verbs()
    for option in command.params
    if isinstance(option, click.Option) and (isinstance(option.type, Written) or set(option.opts) & set(WRITING))
]


def refused(capsys: pytest.CaptureFixture[str], words: list[str]) -> str:
    """The one sentence of a refusal."""
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1), err
    return err


def test_verbs_with_such_options_are_found():
    names = {param.id for param in OPTIONS}
    assert {
        "space -o",
        "read -o",
        "suite -o",
        "compare -o",
        "algorithmic run -o",
        "claims -o",
        "experiment -o",
    } <= names
    assert len(names) >= 18


@pytest.mark.parametrize(("words", "option"), OPTIONS)
def test_a_folder_that_is_not_there_is_named_and_not_made(words, option, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert isinstance(option.type, Written)
    ending = next(iter(option.type.endings), "x").removeprefix(".")
    said = refused(capsys, [*words, option.opts[0], f"nowhere/deep/x.{ending}"])
    assert f"there is no folder {tmp_path / 'nowhere/deep'}; make it, or choose another" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("words", "option"), [p for p in OPTIONS if p.values[1].type not in (FILE, FOLDER)])
def test_an_ending_of_another_format_is_refused(words, option, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, [*words, option.opts[0], "x.foo"])
    assert "is '.foo'; allowed are" in said
    assert list(tmp_path.iterdir()) == []


def test_a_space_is_not_written_as_a_table(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, ["space", "-o", "x.csv", "--complexity", "c.csv", "--dissimilarity", "d.csv"])
    assert "the ending of a space's file is '.csv'; allowed are h5, hdf5" in said


@pytest.mark.parametrize("name", ["x", "x.h5", "link.h5", "/dev/null"])
def test_what_can_be_written_is_taken(name: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("link.h5").symlink_to(tmp_path / "other.h5")
    assert SPACE.convert(name, None, None) == name
