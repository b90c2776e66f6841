"""Every number of small whole runs is what it was, stage by stage; see docs/reference/stage-versions.md."""

from __future__ import annotations

import pytest

from tests.golden import kept, runs


@pytest.mark.parametrize("name", runs.SMALL)
def test_every_number_of_a_whole_run_is_what_it_was(name: str):
    old = kept.load(name)
    made = runs.make(name, old)
    differing = kept.differences(name, made, old)
    assert not differing, "\n".join(difference.sentence for difference in differing)
