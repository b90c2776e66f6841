"""Time limits as SLURM writes them."""

import pytest

from aiq.execution.slurm import ask, minutes, number, partitions, settings


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("infinite", None),
        ("30:00", 30),
        ("1:30:00", 90),
        ("2-00:00:00", 2880),
        ("1-12", 2160),
        ("1-12:30", 2190),
        ("5", 5),
        ("0:30", 0.5),
    ],
)
def test_a_time_limit_becomes_minutes(text, wanted):
    assert minutes(text) == wanted


def test_numbers_of_a_controller_lose_their_unit():
    assert number({"MinJobAge": "300 sec"}, "MinJobAge") == 300
    assert number({"MinJobAge": "(null)"}, "MinJobAge") is None
    assert number({}, "MinJobAge") is None


def test_without_slurm_nothing_is_known(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (settings(), partitions()) == ({}, {})
    assert ask("sinfo") == (False, "sinfo is not installed here")
