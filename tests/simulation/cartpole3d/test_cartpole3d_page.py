"""The page of CartPole3D: its code runs, its pictures are there, every level has its place."""

import re
from pathlib import Path

from aiq.domains.cartpole3d.levels import LEVELS


def test_the_code_of_the_page_runs(root: Path) -> None:
    code = re.search(
        r"```python\n(.*?)```", (root / "docs/reference/cartpole3d.md").read_text(encoding="utf-8"), re.DOTALL
    )
    names: dict = {}
    exec(compile(code.group(1), "cartpole3d.md", "exec"), names)
    assert names["picture"].shape == (480, 480, 3)
    names["env"].close()


def test_every_level_has_its_words_and_its_strip(root: Path) -> None:
    page = (root / "docs/reference/cartpole3d.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \|$", page, re.MULTILINE)[-len(LEVELS) :])
    for number, level in LEVELS.items():
        assert rows[str(number)].startswith(f"{level.effect} | {level.values}"), number
    assert "](../images/cartpole3d/levels.png)" in page
    picture = root / "docs/images/cartpole3d/levels.png"
    assert 10_000 < picture.stat().st_size < 500_000
