"""The intelligence space in one, two or three dimensions (Figs. 26 and 27 of the 2025 paper)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox
from mpl_toolkits.mplot3d import proj3d
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D
from scipy.spatial import ConvexHull

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, caution, figure, finish, place_labels, unnamed
from aiq.records.estimate import Floats, read_only
from aiq.records.space import Space
from aiq.records.table import Cell, Table, bounds, counted

Agents = Mapping[str, npt.ArrayLike]
_CLOUD = 1500  # dots of replicates in one picture


@figure("space-plane", "dimension 1", "normalised", "empty test (origin)", "hull of the suite")
def space_plane(space: Space, *, agents: Agents | None = None) -> Drawing:
    """Draw the space in its first two dimensions: domains, the empty test at the origin, and the hull.

    Of a space with more dimensions this is the shadow on the first two; a space of one dimension is drawn
    as a line. Small dots are bootstrap replicates of each domain's place, where the space carries them.
    ``agents``: performances by agent, one a domain; the hull of each is drawn inside the suite's.

    Raises:
        InputError: an agent's performances do not fit the domains or lie outside [0, 1].
    """
    inner = _checked_agents(space, agents)
    if space.dimensions == 1:
        return _line(space, inner)
    points = space.coordinates[:, :2]
    figure = style.new_figure(1.4 * style.SINGLE, 4.6)
    axes = figure.subplots()
    style.grid(axes)
    lines = [_closed_hull(points)]
    axes.fill(*lines[0][:-1].T, facecolor=style.SKY, edgecolor=style.BLUE, alpha=0.18, lw=0)
    axes.plot(*lines[0].T, color=style.BLUE, lw=0.9, label="hull of the suite", zorder=2)
    cloud = _cloud(space, axes)
    for index, (name, values) in enumerate(inner.items()):
        lines.append(_closed_hull(points * values[:, None]))
        axes.plot(*lines[-1].T, ls=style.line(index + 1), color=style.BLACK, lw=1.0, label=f"hull of {name}")
    for index, point in enumerate(points):
        look = {"marker": style.marker(index), "color": style.colour(index), "mec": style.BLACK, "mew": 0.4}
        axes.plot(*point, ls="", markersize=5, zorder=4, **look)
    axes.plot(0, 0, marker="+", color=style.BLACK, ls="", markersize=8, mew=1.4, label="empty test (origin)", zorder=4)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.14)
    axes.set_xlabel(f"{_axis_label(space, 0)}, {_length_words(space)}")
    axes.set_ylabel(f"{_axis_label(space, 1)}, {_length_words(space)}")
    style.legend_below(figure, axes, columns=2)
    figure.draw_without_rendering()
    dots = np.zeros((1, 2)) if space.bootstrap is None else space.bootstrap.coordinates[::10, :, :2].reshape(-1, 2)
    place_labels(axes, points, space.domains, avoid=dots, lines=lines)
    shadow = f" Shadow of a space of {space.dimensions} dimensions." if space.dimensions > 2 else ""
    caption = (
        f"Intelligence space, dimensions 1 and 2: {len(space.domains)} domains at their {_length_words(space)} "
        f"from the empty test at the origin, with their convex hull.{shadow}{cloud}"
        f"{unnamed(len(space.domains))}{_faithfulness(space)}"
    )
    return finish(figure, _coordinates(space, inner), caption, _alt(space))


def _line(space: Space, agents: Mapping[str, Floats]) -> Drawing:
    """Draw a space of one dimension: one row per domain, the empty test at 0."""
    count = len(space.domains)
    place = space.coordinates[:, 0]
    rows = np.arange(count, dtype=np.float64)
    figure = style.new_figure(1.25 * style.SINGLE, 0.22 * (count + len(agents)) + 1.6)
    axes = figure.subplots()
    style.grid(axes, "x")
    axes.axvline(0, color=style.BLACK, lw=1.0, label="empty test (origin)")
    ends = _reach(space)
    if ends is not None and space.bootstrap is not None:
        label = f"{space.bootstrap.confidence:.0%} interval"
        axes.hlines(rows, ends[0][:, 0], ends[1][:, 0], color=style.GREY, lw=1.2, label=label)
    axes.plot(place, rows, "o", color=style.BLUE, markersize=5, label="domain")
    labels = {0: "hull of the suite", 1: "hull of an agent"}
    for index, values in enumerate([np.ones(count), *agents.values()]):
        inside, row = (place * values).tolist(), [count + index] * 2
        look = {"color": style.colour(index), "lw": 2, "label": labels.get(index)}
        axes.plot([min(0.0, *inside), max(0.0, *inside)], row, "-|", **look)
    style.name_rows(axes, [*space.domains, "suite", *agents])
    axes.set_xlabel(f"dimension 1 ({_length_words(space)})")
    style.legend_below(figure, axes, columns=2)
    caption = (
        f"Intelligence space of one dimension: {counted(count, 'domain')} at their {_length_words(space)} from "
        f"the empty test (0), and the hull of the suite.{_faithfulness(space)}"
    )
    return finish(figure, _coordinates(space, agents), caption, _alt(space))


def _closed_hull(points: Floats) -> Floats:
    corners = outline(np.vstack([np.zeros(2), points]))
    return np.vstack([corners, corners[:1]])


def _cloud(space: Space, axes: Axes) -> str:
    if space.bootstrap is None or space.bootstrap.coordinates.shape[0] < 2:
        return ""
    replicates = space.bootstrap.coordinates
    step = max(1, -(-replicates.shape[0] * len(space.domains) // _CLOUD))
    for index in range(len(space.domains)):
        chosen = replicates[::step, index, :2]
        axes.plot(*chosen.T, ls="", marker=".", ms=2.4, mew=0, alpha=0.4, color=style.colour(index), zorder=1)
    axes.plot([], [], ls="", marker=".", ms=4, mew=0, color=style.GREY, label="replicates")
    return f" Small dots: {len(replicates[::step])} replicates of each domain's place."


def outline(points: Floats) -> Floats:
    """Return the corners of the convex hull of points in the plane, (k, 2), counter-clockwise from the leftmost.

    Points on a line give its two ends, a single place gives one corner.
    """
    corners = np.unique(points, axis=0)
    if _flat(corners):
        return corners[[0, -1]][: len(corners)]
    at = ConvexHull(corners).vertices
    return np.asarray(corners[np.roll(at, -int(np.argmin(at)))])


def _flat(points: Floats) -> bool:
    """Whether points span fewer dimensions than they have coordinates."""
    centred = points - points.mean(axis=0)
    scale = float(np.abs(centred).max(initial=0.0))
    return scale == 0 or int(np.linalg.matrix_rank(centred, tol=1e-6 * scale)) < points.shape[1]


# ---- What the pictures in two and three dimensions share ------------------------------------------


def _checked_agents(space: Space, agents: Agents | None) -> dict[str, Floats]:
    checked = {name: read_only(values) for name, values in (agents or {}).items()}
    for name, values in checked.items():
        if values.shape != (len(space.domains),):
            raise InputError(
                f"agent {name!r} has {values.size} performances; the space has {len(space.domains)} domains"
            )
        if not ((values >= 0) & (values <= 1)).all():
            raise InputError(f"agent {name!r} has a performance outside [0, 1]; correct it or leave the agent out")
    return checked


def _faithfulness(space: Space) -> str:
    alike = "".join(f" Merged as alike: {', '.join(group)}." for group in space.merged)
    lost = f" Without extent in the kept dimensions: {', '.join(space.vanished)}." if space.vanished else ""
    repeated = any("number of dimensions" in sentence for sentence in space.warnings)  # with the same probability
    likely = None if repeated else space.dimensionality.probabilities.get(space.dimensions)
    sure = "" if likely is None else f", probability of {space.dimensions} dimensions {likely:.2f}"
    shares = f" Stress {space.stress:.3f}, share of negative eigenvalues {space.negative_share:.1%}{sure}."
    return f"{shares}{alike}{lost}{caution(space.warnings)}"


def _length_words(space: Space) -> str:
    return f"normalised {space.length.replace('_', ' ')}"


def _alt(space: Space) -> str:
    places = "; ".join(
        f"{name} ({', '.join(f'{value:.2f}' for value in row[:3])})"
        for name, row in zip(space.domains, space.coordinates, strict=True)
    )
    return f"Intelligence space of {space.dimensions} dimensions. {places}."


def _axis_label(space: Space, axis: int) -> str:
    """Return the label of a dimension (counted from 0) with its share of all squared coordinates."""
    squares = (space.coordinates**2).sum(axis=0)
    return f"dimension {axis + 1} ({squares[axis] / squares.sum():.0%} of variance)"


def _reach(space: Space) -> tuple[Floats, Floats] | None:
    """Return the ends (n, d) of the intervals of all coordinates, None without replicates."""
    if space.bootstrap is None or space.bootstrap.coordinates.shape[0] < 2:
        return None
    tail = (1 - space.bootstrap.confidence) / 2
    low, high = np.quantile(space.bootstrap.coordinates, [tail, 1 - tail], axis=0)
    return low, high


def _coordinates(space: Space, agents: Mapping[str, Floats]) -> Table:
    """Return one row per domain (and agent and domain) with all coordinates; those of domains with their intervals."""
    axes = bounds(*(f"dimension_{k + 1}" for k in range(space.dimensions)))
    ends = _reach(space)
    rows: list[tuple[Cell, ...]] = []
    for name, scale in [(None, np.ones(len(space.domains))), *agents.items()]:
        for i, domain in enumerate(space.domains):
            own = name is None and ends is not None
            moved = None if space.bootstrap is None or name is not None else float(space.bootstrap.displacement[i])
            cells: list[Cell] = []
            for k, x in enumerate(space.coordinates[i] * scale[i]):
                around = (float(ends[0][i, k]), float(ends[1][i, k])) if own and ends is not None else (None, None)
                cells += [float(x), *around]
            rows.append((name, domain, moved, *cells))
    return Table.of(("agent", "domain", "bootstrap_displacement", *axes), rows)


# ---- In three dimensions -------------------------------------------------------------------------


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
    inner = _checked_agents(space, agents)
    if space.dimensions < 3:
        plane = space_plane(space, agents=agents)
        note = f" There is no third dimension: the space has {space.dimensions}."
        return Drawing(plane.figure, plane.table, plane.caption + note, plane.alt)
    points = space.coordinates[:, :3]
    figure = style.new_figure(style.DOUBLE, 6.4)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.05, 0.15, 0.8, 0.8), projection="3d")
    _frame(axes, space, np.vstack([np.zeros(3), points]))
    _solid_hull(axes, points, style.BLUE, "hull of the suite", alpha=0.10)
    for index, (name, values) in enumerate(inner.items()):
        _solid_hull(axes, points * values[:, None], style.colour(index + 1), f"hull of {name}", alpha=0.16)
    cloud = _solid_intervals(space, axes)
    for index, point in enumerate(points):
        axes.plot(*zip(np.zeros(3), point, strict=True), color=style.GREY, lw=0.6)
        axes.plot(
            *point[:, None], marker=style.marker(index), color=style.colour(index), ls="", markersize=5,
            mec=style.BLACK, mew=0.4, alpha=_nearness(points, axes)[index],
        )  # fmt: skip
    axes.plot([0], [0], [0], marker="+", color=style.BLACK, ls="", markersize=9, mew=1.5, label="empty test (origin)")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="lower center", ncols=2, title=f"axes: {_length_words(space)}", title_fontsize=style.SMALL
    )
    _fit(figure, axes)
    flat_points = np.array(
        [proj3d.proj_transform(*point, axes.get_proj())[:2] for point in np.vstack([points, [[0, 0, 0]]])]
    )
    place_labels(axes, flat_points[:-1], space.domains, avoid=flat_points[-1:], written=_tick_labels(axes))
    shadow = f" Shadow of a space of {space.dimensions} dimensions." if space.dimensions > 3 else ""
    caption = (
        f"Intelligence space, dimensions 1 to 3 ({_length_words(space)}; variance: squared coordinates): "
        f"{len(space.domains)} domains, the empty test at the origin and the convex hull; fainter marks lie farther "
        f"back.{shadow}{cloud}{unnamed(len(space.domains))}{_faithfulness(space)}"
    )
    return finish(figure, _coordinates(space, inner), caption, _alt(space))


def _solid_intervals(space: Space, axes: Axes3D) -> str:
    """Draw intervals of all coordinates, some replicates as dots, and return the sentence about them."""
    ends = _reach(space)
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
    axes.set(**{f"{axis}label": _axis_label(space, k) for k, axis in enumerate("xyz")})
    for axis, share in zip((axes.xaxis, axes.yaxis, axes.zaxis), sides / sides.max(), strict=True):
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.set_major_locator(MaxNLocator(max(2, round(_TICKS * share))))
        axis.labelpad = _PAD


def _fit(figure: Figure, axes: Axes3D) -> None:
    """Move and scale the axes so that everything they draw fills the room above the legend."""
    legend = figure.legends[0].get_window_extent(FigureCanvasAgg(figure).get_renderer())
    floor = figure.transFigure.inverted().transform((0, legend.y1))[1] + 0.01
    for _ in range(3):
        figure.draw_without_rendering()
        tight = axes.get_tightbbox()
        if tight is None:
            return
        (x0, y0), (x1, y1) = figure.transFigure.inverted().transform([tight.min, tight.max])
        scale = min(0.96 / (x1 - x0), (0.98 - floor) / (y1 - y0))
        left, bottom, width, height = axes.get_position(original=True).bounds
        middle = np.array([left + width / 2, bottom + height / 2])
        drawn = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
        centre = np.array([0.5, (floor + 0.98) / 2]) + scale * (middle - drawn)
        axes.set_position(
            (centre[0] - scale * width / 2, centre[1] - scale * height / 2, scale * width, scale * height)
        )
    figure.draw_without_rendering()


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
    if _flat(points):
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
