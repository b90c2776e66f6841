"""What the open-world evaluation found: tables in Markdown, Figure 29 with our kinds, film strips."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from aiq.figures import style
from aiq.records.estimate import Estimate
from aiq.wings.novelty.protocol import TASK, Arena, NoveltyTrial, Watchful
from aiq.wings.novelty.scoring import steerer
from studies import novelty_summary as summary
from studies.novelty_summary import NoveltyResult

Trials = Mapping[str, Mapping[int, Sequence[NoveltyTrial]]]
PAPER = (14, 15, 16)


def reduce(out: Path, trials: Trials, speed: Mapping[str, float]) -> None:
    """Write results.json, tables.md, novelty-apti.png and the film strips."""
    base = trials["baseline"]
    found = {
        kind: {level: summary.summarise(one, base[level], seed=1) for level, one in sorted(levels.items())}
        for kind, levels in trials.items()
    }
    levels = sorted(base)
    ranked = {
        name: summary.ranks(_ends(trials, some), "baseline")
        for name, some in (("levels 14, 15, 16", PAPER), (f"all {len(levels)} levels", levels))
    }
    told = {kind: {level: one.as_dict() for level, one in some.items()} for kind, some in found.items()}
    (out / "results.json").write_text(json.dumps({"levels": told, "ranks": ranked, "speed": speed}, indent=1))
    (out / "tables.md").write_text("\n\n".join([
        _detection(found, speed), _by_level(found, levels), *(_ranks(name, one) for name, one in ranked.items())
    ]))  # fmt: skip
    _figure(found, ranked["levels 14, 15, 16"], out / "novelty-apti.png")
    _strips(out)


def _ends(trials: Trials, levels: Sequence[int]) -> dict[str, np.ndarray]:
    """Return kind -> performance at the end of the trials that every level has, (levels, trials)."""
    fewest = min(len(trials["baseline"][level]) for level in levels)
    return {kind: np.array([summary.last(found[level][:fewest]) for level in levels]) for kind, found in trials.items()}


def _interval(one: Estimate | None, digits: int = 2) -> str:
    """Return a value with its interval as words."""
    if one is None:
        return "–"
    value = f"{one.value:.{digits}f}"
    return value if one.interval is None else f"{value} [{one.interval[0]:.{digits}f}, {one.interval[1]:.{digits}f}]"


def _detection(found: Mapping[str, Mapping[int, NoveltyResult]], speed: Mapping[str, float]) -> str:
    """Return kinds by performance before, false alarms, share detected, delay and speed."""
    rows = [
        "| kind | before | trials with a false alarm | detected (levels) | ticks a second |",
        "|---|---|---|---|---|",
    ]
    for kind, levels in found.items():
        before = np.mean([one.before.value for one in levels.values()])
        false = np.mean([one.false_alarms.value for one in levels.values()])
        told = [
            f"{level}: {one.detected.value:.0%}, {one.delay.value:.1f}"
            for level, one in levels.items()
            if one.detected is not None and one.delay is not None and one.detected.value >= 0.25
        ]
        rows.append(f"| {kind} | {before:.2f} | {false:.0%} | {'; '.join(told) or 'none'} | {speed[kind]:.0f} |")
    return "\n".join(rows)


def _by_level(found: Mapping[str, Mapping[int, NoveltyResult]], levels: Sequence[int]) -> str:
    """Return performance at the end of the trials, kinds by levels."""
    rows = ["| level | " + " | ".join(found) + " |", "|---|" + "---|" * len(found)]
    for level in levels:
        cells = [_interval(one[level].after) for one in found.values()]
        rows.append(f"| {level} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _ranks(name: str, ranked: Mapping[str, Mapping[str, object]]) -> str:
    """Return mean APTI and AIQ of each kind with the ranks."""
    columns = ("mean APTI", "AIQ of APTI", "mean performance", "AIQ of performance")
    rows = [f"{name}:", "", "| kind | " + " | ".join(columns) + " | rank by mean APTI | rank by AIQ of APTI |"]
    rows.append("|---|" + "---|" * 6)
    for kind, one in ranked.items():
        if kind == "chance":
            continue
        cells = []
        for column in columns:
            value, low, high = one[column]  # type: ignore[misc]
            cells.append(f"{value:.3f} [{low:.3f}, {high:.3f}]")
        rows.append(f"| {kind} | {' | '.join(cells)} | {one['rank by mean APTI']} | {one['rank by AIQ of APTI']} |")
    chance = ranked["chance"]
    shares = ", ".join(f"{word} {chance[word]:.0%}" for word in ("higher", "alike", "lower"))
    rows += ["", f"AIQ of APTI ranks the baseline, against mean APTI: {shares} of the resamples"]
    return "\n".join(rows)


@style.look()
def _figure(
    found: Mapping[str, Mapping[int, NoveltyResult]], ranked: Mapping[str, Mapping[str, object]], path: Path
) -> None:
    """Draw Fig. 29: APTI of each kind on the three levels; and APTI over the novel episodes."""
    figure = style.new_figure(style.DOUBLE, 3.4)
    left, right = figure.subplots(1, 2, gridspec_kw={"width_ratios": [1.25, 1]})
    kinds = list(found)
    for k, kind in enumerate(kinds):
        for place, level in enumerate(PAPER):
            one = found[kind][level].apti
            at = place + 0.11 * (k - (len(kinds) - 1) / 2)
            drawn = {"color": style.COLOURS[k], "marker": style.MARKERS[k], "markersize": 4, "linestyle": "none"}
            low, high = one.interval
            label = kind if place == 0 else None
            left.errorbar(
                at, one.value, [[max(0, one.value - low)], [max(0, high - one.value)]], label=label, lw=0.8, **drawn
            )
        over = np.mean([found[kind][level].apti_over_time for level in PAPER], axis=0) if _alike(found[kind]) else None
        if over is not None:
            right.plot(1 + np.arange(len(over)), over, color=style.COLOURS[k], marker=style.MARKERS[k], ms=3, lw=0.9)
    left.set_xticks(range(3), [f"level {level}" for level in PAPER])
    left.set_ylabel("APTI at the end of the trials")
    right.set_xlabel("novel episode")
    right.set_ylabel("APTI, mean of levels 14, 15, 16")
    for axes in (left, right):
        axes.axhline(0.5, color=style.GREY, lw=0.6, ls=":")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, dpi=200)


def _alike(levels: Mapping[int, NoveltyResult]) -> bool:
    """Whether the three levels have as many novel episodes in common."""
    return len({len(levels[level].apti_over_time) for level in PAPER}) == 1


def _strips(out: Path) -> None:
    """Draw one adapted and one failing episode of the re-estimating kind: the cart's mass of 5 kg, and the wind."""
    arena = Arena()
    agent = steerer([], arena, 60, 2025)
    for level, name in ((1, "adapted"), (14, "failing")):
        agent.begin(TASK)
        world, frames, ticks = arena.world(level, "easy"), list[tuple[int, np.ndarray]](), 0
        for number in range(12):
            watched = agent if number < 6 else _Watched(agent, arena, level, frames)
            ticks = arena.play(watched, world, np.random.default_rng([level, number]))
            if number >= 6 and (ticks == 200) == (name == "adapted"):
                break
        _draw_strip(frames, ticks, out / f"novelty-{name}.png", level)
    arena.close()


class _Watched(Watchful):
    """Lets another agent act and takes pictures."""

    def __init__(self, agent: Watchful, arena: Arena, level: int, frames: list[tuple[int, np.ndarray]]) -> None:
        from aiq.domains.cartpole3d.observation import Painter

        self._agent, self._frames = agent, frames
        self._world = arena.world(level, "easy")
        self._painter = Painter(self._world.rules, 640, 640)
        self.name = agent.name

    def start(self, observation: np.ndarray) -> None:
        """Take the first picture."""
        self._frames.clear()
        self._take()
        self._agent.start(observation)

    def choose(self) -> int:
        """Return the agent's action."""
        return self._agent.act()

    def observe(self, reward: float, observation: np.ndarray, ended: bool) -> None:
        """Take a picture at every fourth tick, and of the fall."""
        if ended or self._world.ticks % 4 == 0:
            self._take()
        self._agent.observe(reward, observation, ended)

    def _take(self) -> None:
        """Take a picture."""
        self._frames.append((self._world.ticks, self._painter.draw(self._world)))

    def end(self) -> None:
        """Tell the agent."""
        self._painter.close()
        self._agent.end()


@style.look()
def _draw_strip(frames: Sequence[tuple[int, np.ndarray]], ticks: int, path: Path, level: int) -> None:
    """Draw six pictures of an episode side by side."""
    last = len(frames) - 1
    figure = style.new_figure(style.DOUBLE, 2.7)
    for axes, part in zip(figure.subplots(2, 3).flat, range(6), strict=True):
        tick, picture = frames[round(last * part / 5)]
        axes.imshow(picture[250:500])
        axes.set_title(f"tick {tick}")
        axes.set_axis_off()
    figure.suptitle(f"level {level}: {ticks} of 200 ticks survived", fontsize=8, x=0.01, ha="left")
    figure.savefig(path, dpi=200)
