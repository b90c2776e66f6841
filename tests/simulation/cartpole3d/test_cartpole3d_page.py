"""The page of CartPole3D: its code runs, its pictures are there, every level has its place."""

import re
from pathlib import Path

from aiq.domains.cartpole3d.levels import LEVELS


def test_the_code_of_the_page_runs(root: Path) -> None:
    code = re.search(r"```python\n(.*?)```", (root / "docs/cartpole3d.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict = {}
    exec(compile(code.group(1), "cartpole3d.md", "exec"), names)
    assert names["picture"].shape == (480, 480, 3)
    names["env"].close()


def test_every_level_has_its_words_and_its_picture(root: Path) -> None:
    page = (root / "docs/cartpole3d.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\((images/cartpole3d/level-\d\d\.png)\)", page)
    assert len(set(pictures)) == len(LEVELS)
    for number, level in LEVELS.items():
        assert f"### Level {number}: {level.effect}\n" in page
        assert level.values in page
    sizes = [(root / "docs" / picture).stat().st_size for picture in pictures]
    assert sum(sizes) < 1_500_000
