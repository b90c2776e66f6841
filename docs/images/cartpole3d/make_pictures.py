"""Draw the levels of CartPole3D as one picture: per level six moments of an episode steered by the hand-made balancer.

Run ``python docs/images/cartpole3d/make_pictures.py``; the picture is written beside this file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from aiq.domains.cartpole3d.levels import LEVELS, resolve
from aiq.domains.cartpole3d.observation import Observer, Painter
from aiq.domains.cartpole3d.recording import balance
from aiq.domains.cartpole3d.world import World

SIDE = 140
FRAMES = 6
LONGEST = 100
SEED = 22
TITLE = 18
COLUMNS = 2
GAP = 12
HERE = Path(__file__).resolve().parent


def play(world: World, see: Observer, draw_at: tuple[int, ...], painter: Painter) -> list[npt.NDArray[np.uint8]]:
    """Play an episode of at most 100 ticks and draw it at some ticks; afterwards ``world.ticks`` tells its length."""
    world.reset(np.random.default_rng(SEED))
    frames = [painter.draw(world)] if 0 in draw_at else []
    while world.ticks < LONGEST and not world.fallen:
        world.step(balance(see(world)))
        if world.ticks in draw_at:
            frames.append(painter.draw(world))
    return frames


def strip(novelty: int) -> Image.Image:
    """Put six moments, evenly spread over an episode, beside each other with their ticks."""
    rules = resolve(novelty, "easy")
    world, painter, see = World(rules), Painter(rules, 2 * SIDE, 2 * SIDE), Observer("paper", 20, "cart")
    play(world, see, (), painter)
    ticks = tuple(np.linspace(0, world.ticks, FRAMES).round().astype(int).tolist())
    picture = Image.new("RGB", (FRAMES * (SIDE + 4) - 4, SIDE), "white")
    for place, (tick, pixels) in enumerate(zip(ticks, play(world, see, ticks, painter), strict=True)):
        frame = Image.fromarray(pixels).resize((SIDE, SIDE), Image.Resampling.BOX)
        ImageDraw.Draw(frame).text((6, 4), f"tick {tick}", fill=(40, 40, 40))
        picture.paste(frame, (place * (SIDE + 4), 0))
    world.close()
    painter.close()
    return picture


def sheet() -> Image.Image:
    """Put the strips of all levels below one another in two columns, each under its number and its change."""
    strips = {novelty: strip(novelty) for novelty in LEVELS}
    wide, high = strips[0].size
    rows = -(-len(strips) // COLUMNS)
    picture = Image.new("RGB", (COLUMNS * (wide + GAP) - GAP, rows * (high + TITLE + GAP)), "white")
    for novelty, pixels in strips.items():
        column, row = divmod(novelty, rows)
        corner = column * (wide + GAP), row * (high + TITLE + GAP)
        words = f"{novelty}: {LEVELS[novelty].effect}"
        ImageDraw.Draw(picture).text((corner[0] + 2, corner[1] + 3), words, fill=(0, 0, 0))
        picture.paste(pixels, (corner[0], corner[1] + TITLE))
    return picture


def main() -> None:
    """Draw all levels."""
    target = HERE / "levels.png"
    sheet().quantize(256).save(target, optimize=True)
    print(f"{target.name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
