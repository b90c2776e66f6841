"""The intelligence space in three dimensions (Figs. 26 and 27 of the 2025 paper)."""

from __future__ import annotations

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox
from mpl_toolkits.mplot3d import proj3d
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D
from scipy.spatial import ConvexHull

from aiq.figures import style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.figures.labels import place_labels, unnamed
from aiq.figures.space import (
    Agents,
    axis_label,
    checked_agents,
    coordinates,
    faithfulness,
    flat,
    length_words,
    places,
    reach,
    space_plane,
)
from aiq.records.estimate import Floats
from aiq.records.space import Space

_VIEW = (22.0, -52.0)
_DOTS = 40
_TICKS = 6  # on the longest axis
_PAD = 11.0  # points between the numbers and the name of an axis


@figure("space-solid", "dimension 1", "normalised", "empty test (origin)")
def space_solid(space: Space, *, agents: Agents | None = None) -> Drawing:
    """Draw the space in its first three dimensions with its hull; nearer domains are darker.

    A space of fewer than three dimensions is drawn as by :func:`space_plane`, and the caption says so.

    Raises:
        InputError: an agent's performances do not fit the domains or lie outside [0, 1].
    """
    inner = checked_agents(space, agents)
    if space.dimensions < 3:
        plane = space_plane(space, agents=agents)
        note = f" There is no third dimension: the space has {space.dimensions}."
        return Drawing(plane.figure, plane.table, plane.caption + note, plane.alt)
    points = space.coordinates[:, :3]
    made = style.new_figure(style.DOUBLE, 6.4)
    made.set_layout_engine("none")
    axes = made.add_axes((0.05, 0.15, 0.8, 0.8), projection="3d")
    _frame(axes, space, np.vstack([np.zeros(3), points]))
    _solid_hull(axes, points, style.BLUE, "hull of the suite", alpha=0.10)
    for index, (name, values) in enumerate(inner.items()):
        _solid_hull(axes, points * values[:, None], style.colour(index + 1), f"hull of {name}", alpha=0.16)
    cloud = _intervals(space, axes)
    for index, point in enumerate(points):
        axes.plot(*zip(np.zeros(3), point, strict=True), color=style.GREY, lw=0.6)
        axes.plot(
            *point[:, None], marker=style.marker(index), color=style.colour(index), ls="", markersize=5,
            mec=style.BLACK, mew=0.4, alpha=_nearness(points, axes)[index],
        )  # fmt: skip
    axes.plot([0], [0], [0], marker="+", color=style.BLACK, ls="", markersize=9, mew=1.5, label="empty test (origin)")
    handles, labels = axes.get_legend_handles_labels()
    made.legend(
        handles, labels, loc="lower center", ncols=2, title=f"axes: {length_words(space)}", title_fontsize=style.SMALL
    )
    _fit(made, axes)
    flat_points = np.array(
        [proj3d.proj_transform(*point, axes.get_proj())[:2] for point in np.vstack([points, [[0, 0, 0]]])]
    )
    place_labels(axes, flat_points[:-1], space.domains, avoid=flat_points[-1:], written=_tick_labels(axes))
    shadow = f" Shadow of a space of {space.dimensions} dimensions." if space.dimensions > 3 else ""
    caption = (
        f"Intelligence space, dimensions 1 to 3 ({length_words(space)}; variance: squared coordinates): "
        f"{len(space.domains)} domains, the empty test at the origin and the convex hull; fainter marks lie farther "
        f"back.{shadow}{cloud}{unnamed(len(space.domains))}{faithfulness(space)}"
    )
    return finish(made, coordinates(space, inner), caption, places(space))


def _intervals(space: Space, axes: Axes3D) -> str:
    """Draw intervals of all coordinates, some replicates as dots, and return the sentence about them."""
    ends = reach(space)
    if ends is None or space.bootstrap is None:
        return ""
    replicates = space.bootstrap.coordinates
    chosen = replicates[:: max(1, replicates.shape[0] // _DOTS)][:, :, :3]
    for index, point in enumerate(space.coordinates[:, :3]):
        axes.plot(*chosen[:, index].T, ls="", marker=".", ms=2, mew=0, alpha=0.35, color=style.colour(index))
        for k in range(3):
            bar = np.tile(point, (2, 1))
            bar[:, k] = ends[0][index, k], ends[1][index, k]
            axes.plot(*bar.T, color=style.colour(index), lw=1.3, alpha=0.9)
    axes.plot([], [], [], color=style.GREY, lw=1.3, label=f"{space.bootstrap.confidence:.0%} intervals of a place")
    return (
        f" Bars: {space.bootstrap.confidence:.0%} intervals of each coordinate; small dots: {len(chosen)} replicates "
        "of each domain's place."
    )


def _frame(axes: Axes3D, space: Space, points: Floats) -> None:
    """Set limits, view and labels; scales are equal, but a thin dimension gets a third of the longest."""
    low, high = points.min(axis=0), points.max(axis=0)
    pad = 0.05 * float((high - low).max())
    axes.set(xlim=(low[0] - pad, high[0] + pad), ylim=(low[1] - pad, high[1] + pad), zlim=(low[2] - pad, high[2] + pad))
    sides = np.maximum(high - low, (high - low).max() / 3)
    axes.set_box_aspect(sides)
    axes.view_init(*_VIEW)
    axes.set(**{f"{axis}label": axis_label(space, k) for k, axis in enumerate("xyz")})
    for axis, share in zip((axes.xaxis, axes.yaxis, axes.zaxis), sides / sides.max(), strict=True):
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.set_major_locator(MaxNLocator(max(2, round(_TICKS * share))))
        axis.labelpad = _PAD


def _fit(made: Figure, axes: Axes3D) -> None:
    """Move and scale the axes so that everything they draw fills the room above the legend."""
    legend = made.legends[0].get_window_extent(FigureCanvasAgg(made).get_renderer())
    floor = made.transFigure.inverted().transform((0, legend.y1))[1] + 0.01
    for _ in range(3):
        made.draw_without_rendering()
        tight = axes.get_tightbbox()
        if tight is None:
            return
        (x0, y0), (x1, y1) = made.transFigure.inverted().transform([tight.min, tight.max])
        scale = min(0.96 / (x1 - x0), (0.98 - floor) / (y1 - y0))
        left, bottom, width, height = axes.get_position(original=True).bounds
        middle = np.array([left + width / 2, bottom + height / 2])
        drawn = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
        centre = np.array([0.5, (floor + 0.98) / 2]) + scale * (middle - drawn)
        axes.set_position(
            (centre[0] - scale * width / 2, centre[1] - scale * height / 2, scale * width, scale * height)
        )
    made.draw_without_rendering()


def _tick_labels(axes: Axes3D) -> list[Bbox]:
    """Return the boxes of all tick labels, in pixels, so that names stay off them."""
    sides = (axes.xaxis, axes.yaxis, axes.zaxis)  # drawn: asking for labels anew would move them
    labels = [tick.label1 for side in sides for tick in side.get_major_ticks()]
    drawn = [label for label in labels if label.get_visible() and label.get_text()]
    return [Bbox(label.get_window_extent().get_points()) for label in drawn]


def _solid_hull(axes: Axes3D, points: Floats, colour: str, label: str, alpha: float) -> None:
    """Draw the hull of points and origin as translucent faces; nothing where they are flat."""
    triangles = faces(np.vstack([np.zeros(3), points]))
    if triangles is None:
        return
    solid = Poly3DCollection(triangles, facecolors=colour, edgecolors=colour, linewidths=0.5, alpha=alpha)
    axes.add_collection3d(solid)
    axes.plot([], [], [], color=colour, lw=4, alpha=0.35, label=label)


def faces(points: Floats) -> Floats | None:
    """Return the triangles of the convex hull of points in space, (f, 3, 3), or None where they span less.

    Triangles are sorted, so that the picture does not depend on the order in which they were found.
    """
    if flat(points):
        return None
    simplices = np.sort(ConvexHull(points).simplices, axis=1)
    return np.asarray(points[simplices[np.lexsort(simplices.T[::-1])]])


def _nearness(points: Floats, axes: Axes3D) -> Floats:
    """Return the opacity of each point: 1 nearest to the viewer, 0.45 farthest."""
    elevation, azimuth = np.radians([axes.elev, axes.azim])
    towards = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    depth = points @ towards
    spread = float(np.ptp(depth))
    if spread == 0:
        return np.ones(len(points))
    return np.clip(0.45 + 0.55 * ((depth - depth.min()) / spread), 0.45, 1.0)  # rounding makes no more than 1
