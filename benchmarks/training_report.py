"""The table, notes and growth figure of the benchmark of training, printed and written as they come."""

from __future__ import annotations

import csv
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator
from training_turns import Row

from aiq.figures import style

TARGETS = {
    "dense, batch 32": 8,
    "dense, 128 policies": 8,
    "dense, batch 128": 4,
    "dense, up to 144 wide": 1.4,
    "mixtures, 11 x 5": 4,
    "convolutional": 2,
}
GROWTH = (
    "Our trainer's time a policy where one quantity changes and the others stay: 32 policies of two layers of 16, "
    "512 samples of 32x32, batches of 32; the least of five rounds. Dashed: time in proportion to the quantity."
)
PEER = "preloaded, fused Adam"


@dataclass(frozen=True)
class Point:
    """Time a policy of our trainer where one quantity of a case has a value."""

    quantity: str
    value: float
    milliseconds_a_policy: float


class Report:
    """What has been measured so far; written to a folder, if there is one, whenever something is added."""

    def __init__(self, folder: Path | None, description: str) -> None:
        self._folder, self._description = folder, description
        self._rows: list[Row] = []
        self._points: list[Point] = []
        self._notes: list[str] = []
        print(description, flush=True)

    def add_rows(self, rows: list[Row]) -> None:
        """Take in the lines of one case."""
        self._rows += rows
        self._save(table(rows))

    def add_points(self, points: list[Point]) -> None:
        """Take in the growth."""
        self._points += points
        self._save("\n".join(f"{p.quantity} {p.value:g}: {p.milliseconds_a_policy:.3g} ms a policy" for p in points))

    def add_note(self, note: str) -> None:
        """Take in a sentence."""
        self._notes.append(note)
        self._save(note)

    def _save(self, news: str) -> None:
        """Print what is new and write everything."""
        print(news, flush=True)
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        figure = [f"![growth](training-growth.png)\n\n{GROWTH}"] if self._points else []
        parts = ["# Training: policies a minute", self._description, table(self._rows), explanation(self._rows)]
        (self._folder / "training.md").write_text("\n\n".join([*parts, *self._notes, *figure]) + "\n")
        _write(self._folder / "training.csv", Row, self._rows)
        if self._points:
            _write(self._folder / "training-growth.csv", Point, self._points)
            draw(self._points).savefig(self._folder / "training-growth.png")


def _write(path: Path, kind: type, rows: list[Row] | list[Point]) -> None:
    """Write records as a table."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([[field.name for field in fields(kind)], *map(astuple, rows)])


def table(rows: list[Row]) -> str:
    """Return the lines as a Markdown table."""
    lines = [
        "| case | contender | policies a minute | ours is faster by | quartiles | GFLOP/s | of the peak | peak MB "
        "| accuracy |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {r.case} | {r.contender} | {r.policies_per_minute:.0f} | {r.ratio:.2f} | {r.low:.2f} to {r.high:.2f} | "
        f"{r.gflops:.1f} | {r.peak_share:.0%} | {r.memory_mb:.0f} | {r.accuracy:.3f} |"
        for r in rows
    ]
    return "\n".join(lines)


def explanation(rows: list[Row]) -> str:
    """Return what the columns mean and which aims were reached."""
    ratios = {row.case: row.ratio for row in rows if row.contender == PEER}
    aims = [
        f"{case} {aim:g} ({'reached' if ratios[case] >= aim else 'not reached'}: {ratios[case]:.2f})"
        for case, aim in TARGETS.items()
        if case in ratios
    ]
    return (
        '"Faster by" is the contender\'s time a policy over ours, everything that a trial records included: initial '
        "weights, training, accuracy on the test split, compressed size of the weights. Times are the processor's, "
        "medians over rounds. "
        f"To reach against one policy at a time ({PEER}): {', '.join(aims)}. Accuracies are means over the policies "
        "that a contender trained; only ours and vmap train all of the chunk in every round."
    )


@style.look()
def draw(points: list[Point]) -> Figure:
    """Draw time a policy against each quantity, both logarithmic, with a line of slope 1 (time in proportion)."""
    labels = list(dict.fromkeys(point.quantity for point in points))
    figure = style.new_figure(style.DOUBLE, 2.2)
    for number, (axes, label) in enumerate(zip(figure.subplots(1, len(labels), squeeze=False)[0], labels, strict=True)):
        chosen = [(p.value, p.milliseconds_a_policy) for p in points if p.quantity == label]
        values, costs = zip(*chosen, strict=True)
        axes.loglog(values, costs, color=style.colour(0), marker=style.marker(0))
        if number:
            reference = [costs[-1] * value / values[-1] for value in values]
            axes.loglog(values, reference, color=style.GREY, linestyle="--", linewidth=0.8)
            axes.set_ylim(bottom=min(costs) / 1.6, top=max(costs) * 1.6)
        axes.set_xlabel(label)
        axes.set_xticks(
            values[:: 3 if len(values) > 6 else 2], [f"{v:g}" for v in values[:: 3 if len(values) > 6 else 2]]
        )
        axes.minorticks_off()
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        style.grid(axes)
    figure.supylabel("milliseconds a policy", fontsize=style.NORMAL)
    return figure
