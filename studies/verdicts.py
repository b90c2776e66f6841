"""How often verdicts on leaderboards hold, by simulation with known truth.

Items are drawn anew each time; what is true is the mean over endless items. Agents answer with a score of their own
plus the item's ease, what its cluster makes of the agent, and noise; `0/1` cuts that, `ties` cuts it where agents agree
on nearly all items, `graded` keeps a number in [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from aiq import seeding
from aiq.suites import relations, response
from aiq.suites.leaderboard import intervals, leaderboard, neighbours, ranks
from aiq.suites.paired import paired_difference
from studies import anchor_rivals, tables
from studies.cells import Cells, Row

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SPREADS = {"graded": (0.5, 0.5), "0/1": (1.0, 1.0), "ties": (2.0, 0.3)}
"""Kind -> standard deviations of items' ease, and of what an agent does on an item by itself."""
PER = {"alone": 1, "five": 5, "uneven": 0}
BOARDS = {10: 4000, 30: 2000, 50: 1000, 300: 400}
"""Agents -> whole leaderboards that are drawn: of 400 alone, one of fifteen cells may show .07 where .04 is true."""
PAIRS = 20_000
"""Pairs that are drawn, half of them of equal agents: with 2,000 a cell that has .049 showed .057."""
WITHIN = 0.5  # share of an agent's own deviations that its cluster makes, where there are clusters


def clusters(kind: str, items: int, rng: np.random.Generator) -> Integers:
    """Return the cluster of each item: alone, five each, or uneven (sizes 1 to 20)."""
    if kind == "uneven":
        sizes = rng.choice((1, 2, 3, 5, 10, 20), size=items, p=(0.3, 0.25, 0.2, 0.1, 0.1, 0.05))
        return np.repeat(np.arange(items), sizes)[:items]
    return np.arange(items) // PER[kind]


def scores(kind: str, skill: Floats, groups: Integers, epochs: int, rng: np.random.Generator) -> Floats:
    """Return the scores of agents (A,) on items, (A, J), means over epochs."""
    ease, own = SPREADS[kind]
    shared = WITHIN if groups[-1] + 1 < groups.size else 0.0
    cluster = rng.normal(size=(skill.size, int(groups[-1]) + 1))[:, groups]
    alone = rng.normal(size=(skill.size, groups.size, epochs))
    level = skill[:, None] + ease * rng.normal(size=groups.size) + own * np.sqrt(shared) * cluster
    latent = level[:, :, None] + own * np.sqrt(1 - shared) * alone
    return np.asarray((ndtr(latent) if kind == "graded" else (latent > 0).astype(np.float64)).mean(axis=2))


def truth(kind: str, skill: Floats) -> Floats:
    """Return the mean over endless items, (A,)."""
    total = np.sqrt(sum(one**2 for one in SPREADS[kind]) + (kind == "graded"))
    return np.asarray(ndtr(skill / total))


def gaps(values: Floats, share: float, rng: np.random.Generator) -> Floats:
    """Return scores of which a share is missing by accident."""
    return np.where(rng.random(values.shape) < share, np.nan, values)


def pairs(kind: str, per: str, items: int, epochs: int, missing: float, count: int, seed: str) -> Row:
    """Return how often intervals of a difference hold the truth, and how often equal agents are told apart."""
    rng = seeding.generator(2026, "verdicts", "pairs", seed)
    held = wrong = 0
    for draw in range(count):
        equal = draw % 2 == 0
        skill = np.array([0.3, 0.3 if equal else 0.0])
        groups = clusters(per, items, rng)
        values = gaps(scores(kind, skill, groups, epochs, rng), missing, rng)
        labels = None if per == "alone" else groups
        found = paired_difference(values[0], values[1], labels)
        true = float(np.subtract(*truth(kind, skill)))
        held += found.interval is not None and found.interval[0] <= true <= found.interval[1]
        wrong += equal and found.p is not None and found.p <= 0.05
    told, error = tables.share(wrong, (count + 1) // 2)
    return {"held": held / count, "equal_told_apart": told, "equal_told_apart_error": error, "trials": count}


def boards(kind: str, per: str, agents: int, items: int, missing: float, spread: float, count: int, seed: str) -> Row:
    """Return how often a whole leaderboard makes no wrong claim: ranks, and neighbours by Holm."""
    rng = seeding.generator(2026, "verdicts", "boards", seed)
    ranks_wrong = holm_wrong = value_held = width = 0.0
    for _ in range(count):
        skill = spread * np.round(rng.normal(size=agents), 1) if spread else np.zeros(agents)
        true, groups = truth(kind, skill), clusters(per, items, rng)
        values = gaps(scores(kind, skill, groups, 1, rng), missing, rng)
        board = leaderboard(values, groups)
        order = np.argsort(-board.value, kind="stable")
        found = ranks(board, order, 0.95, rng)
        low = 1 + (true[None, :] > true[:, None] + 1e-12).sum(axis=1)
        high = agents - (true[None, :] < true[:, None] - 1e-12).sum(axis=1)
        ranks_wrong += bool((found.low > low).any() or (found.high < high).any())
        near = neighbours(values, board, order, per == "alone", 0.95)
        above = true[order[:-1]] > true[order[1:]] + 1e-12
        holm_wrong += bool(((near["p_adjusted"] <= 0.05) & ~above).any())
        ends = intervals(board, values, 0.95)
        value_held += float(((ends[0] <= true) & (true <= ends[1])).mean())
        width += float((found.high - found.low).mean() + 1) / agents
    return {
        "wrong_ranks": ranks_wrong / count, "wrong_neighbours": holm_wrong / count,
        "value_held": value_held / count, "width": width / count, "trials": count,
    }  # fmt: skip


def models(agents: int, tests: int, missing: float, graded: bool, count: int, seed: str) -> Row:
    """Return how often intervals of difficulty and discrimination hold the truth, and their mean errors."""
    rng = seeding.generator(2026, "verdicts", "models", seed)
    held: list[Floats] = []
    for _ in range(count):
        ability = rng.normal(size=(agents, 1))
        slope, hard = rng.uniform(0.5, 2.5, tests), rng.normal(size=tests)
        chance = 1 / (1 + np.exp(-slope * (ability - hard)))
        if graded:  # five grades of one logistic variable, at known cuts
            latent = slope * (ability - hard) + rng.logistic(size=chance.shape)
            cuts = np.array([-2.0, -0.7, 0.7, 2.0])
            values = (latent[:, :, None] > cuts).mean(axis=2)
            true = 1 - (1 / (1 + np.exp(slope[:, None] * hard[:, None] + cuts))).mean(axis=1)
        else:
            values, true = (rng.random(chance.shape) < chance).astype(np.float64), 1 - 1 / (1 + np.exp(slope * hard))
        found = response.fit(gaps(values, missing, rng))
        usable = np.isfinite(found.discrimination)
        near = np.abs(found.difficulty - true) <= 1.96 * found.difficulty_error
        steep = np.abs(found.discrimination - slope) <= 1.96 * found.discrimination_error
        held.append(np.array([near[usable].mean(), steep[usable].mean(), (found.difficulty - true)[usable].mean(),
                              (found.discrimination - slope)[usable].mean()]))  # fmt: skip
    names = ("difficulty_held", "discrimination_held", "difficulty_bias", "discrimination_bias")
    return {**dict(zip(names, np.mean(held, axis=0).tolist(), strict=True)), "trials": count}


def redundant(agents: int, share: float, kind: str, count: int, seed: str) -> Row:
    """Return median and coverage of the share of a test that another predicts; ten tests, of which two are kin."""
    rng = seeding.generator(2026, "verdicts", "redundant", seed)
    values, held, true = [], [], []
    for _ in range(count):
        table = rng.normal(size=(agents, 10))
        table[:, 1] = np.sqrt(share) * table[:, 0] + np.sqrt(1 - share) * table[:, 1]
        truly = share
        if kind == "0/1":  # the correlation of two cut normal variables
            table, truly = (table > 0).astype(np.float64), (2 / np.pi * np.arcsin(np.sqrt(share))) ** 2
        value, low, high, by = relations.predicted(table, 0.95)
        for test in (0, 1):
            if by[test] >= 0:
                of = truly if by[test] == 1 - test else 0.0
                true.append(of)
                values.append(value[test])
                held.append(low[test] - 1e-9 <= of <= high[test] + 1e-9 if np.isfinite(low[test]) else np.nan)
    none = float(np.isnan(held).mean())
    return {
        "true": float(np.mean(true)), "mean": float(np.mean(values)), "median_of_true": float(np.median(true)),
        "median": float(np.median(values)), "held": float(np.nanmean(held)) if none < 1 else None,
        "no_interval": none, "trials": count,
    }  # fmt: skip


def suspected(agents: int, items: int, wrong: float, count: int, seed: str) -> Row:
    """Return how many items with a turned key are suspected, and how many of the suspected are not."""
    rng = seeding.generator(2026, "verdicts", "suspected", seed)
    from aiq.suites import _rest

    caught = named = false = keyed = 0
    for _ in range(count):
        ability, slope, hard = rng.normal(size=(agents, 1)), rng.uniform(0.5, 2.5, items), rng.normal(size=items)
        values = (rng.random((agents, items)) < 1 / (1 + np.exp(-slope * (ability - hard)))).astype(np.float64)
        turned = rng.random(items) < wrong
        values[:, turned] = 1 - values[:, turned]
        _, suspicious = _rest(values)
        caught += int((suspicious & turned).sum())
        false += int((suspicious & ~turned).sum())
        named += int(suspicious.sum())
        keyed += int(turned.sum())
    return {"caught": caught / max(keyed, 1), "false_share": false / max(named, 1), "named": named, "trials": count}


def abilities(agents: int, items: int, count_of: int, kind: str, count: int, seed: str) -> Row:
    """Return how often the number of abilities is right, and how often its interval holds the truth.

    Items load on one of the abilities, which correlate .3. ``spread``: difficulties twice as far apart; ``skewed``: of
    abilities; ``guessed``: a quarter of wrong answers are right by chance; ``trials``: shares of five answers.
    """
    rng = seeding.generator(2026, "verdicts", "abilities", seed)
    right = held = 0
    for _ in range(count):
        ability = 0.55 * rng.normal(size=(agents, 1)) + 0.835 * rng.normal(size=(agents, count_of))
        ability = rng.exponential(size=(agents, 1)) - 1 if kind == "skewed" else ability
        slope, hard = np.exp(rng.normal(0.3, 0.4, items)), rng.normal(0, 3 if kind == "spread" else 1.5, items)
        chance = 1 / (1 + np.exp(-slope * (ability[:, np.arange(items) * count_of // items] - hard)))
        chance = 0.25 + 0.75 * chance if kind == "guessed" else chance
        tries = 5 if kind == "trials" else 1
        found = relations.dimensions(rng.binomial(tries, chance) / tries, 0.95, rng)
        right += found.value == count_of
        held += found.interval[0] <= count_of <= found.interval[1]
    return {"right": right / count, "held": held / count, "trials": count}


def cells_of(quick: bool) -> list[tuple[str, dict[str, object], Callable[..., Row]]]:
    """Return all cells: part, settings, work."""
    found: list[tuple[str, dict[str, object], Callable[..., Row]]] = []
    many = 400 if quick else PAIRS
    pair = [
        ("graded", "alone", 30, 1, 0.0), ("graded", "alone", 200, 1, 0.3), ("graded", "five", 200, 1, 0.0),
        ("graded", "uneven", 200, 1, 0.0), ("graded", "uneven", 200, 1, 0.3), ("0/1", "alone", 30, 1, 0.0),
        ("0/1", "alone", 200, 1, 0.3), ("0/1", "five", 200, 1, 0.0), ("0/1", "uneven", 200, 1, 0.0),
        ("0/1", "uneven", 500, 5, 0.3), ("0/1", "five", 200, 5, 0.3), ("ties", "alone", 50, 1, 0.0),
        ("ties", "alone", 200, 1, 0.0), ("ties", "five", 500, 1, 0.0), ("ties", "uneven", 500, 1, 0.3),
    ]  # fmt: skip
    for one in pair[1::7] if quick else pair:
        names = ("kind", "clusters", "items", "epochs", "missing")
        found.append(("pair", dict(zip(names, one, strict=True)), lambda seed, one=one: pairs(*one, many, seed)))
    board = [
        ("graded", "alone", 10, 15, 0.0, 0.0), ("graded", "alone", 50, 100, 0.0, 0.0),
        ("graded", "alone", 50, 100, 0.3, 0.0), ("graded", "five", 30, 200, 0.0, 0.3),
        ("graded", "uneven", 30, 200, 0.3, 0.0), ("0/1", "alone", 10, 50, 0.0, 0.0),
        ("0/1", "alone", 50, 100, 0.0, 0.0), ("0/1", "alone", 50, 100, 0.3, 0.3), ("0/1", "five", 30, 200, 0.0, 0.0),
        ("0/1", "uneven", 30, 300, 0.0, 0.0), ("0/1", "uneven", 30, 300, 0.3, 0.0),
        ("ties", "alone", 30, 100, 0.0, 0.0),
        ("ties", "alone", 30, 300, 0.0, 0.1), ("ties", "five", 30, 300, 0.3, 0.0), ("0/1", "alone", 300, 100, 0.0, 0.0),
    ]  # fmt: skip
    for one in board[5::7] if quick else board:
        names = ("kind", "clusters", "agents", "items", "missing", "spread")
        trials = 60 if quick else BOARDS[one[2]]
        found.append(
            ("board", dict(zip(names, one, strict=True)), lambda seed, one=one, n=trials: boards(*one, n, seed))
        )
    model = [(a, t, m, g) for a, t in ((40, 30), (100, 80), (400, 20)) for m in (0.0, 0.3) for g in (False, True)]
    for one in model[:1] if quick else model:
        names = ("agents", "tests", "missing", "graded")
        trials = 10 if quick else 60
        found.append(
            ("model", dict(zip(names, one, strict=True)), lambda seed, one=one, n=trials: models(*one, n, seed))
        )
    kin = [(a, s, k) for a in (10, 20, 50, 200) for s in (0.0, 0.3, 0.6, 0.9) for k in ("normal", "0/1")]
    for one in kin[4:5] if quick else kin:
        names = ("agents", "share", "kind")
        trials = 60 if quick else 1000
        found.append(
            ("redundancy", dict(zip(names, one, strict=True)), lambda seed, one=one, n=trials: redundant(*one, n, seed))
        )
    keys = [(50, 200, 0.0), (50, 200, 0.05), (200, 200, 0.05)]
    for one in keys[1:2] if quick else keys:
        names = ("agents", "items", "wrong_keys")
        found.append(
            (
                "keys",
                dict(zip(names, one, strict=True)),
                lambda seed, one=one: suspected(*one, 10 if quick else 50, seed),
            )
        )
    able = [
        (112, 81, 1, "plain"), (112, 81, 1, "spread"), (112, 81, 1, "skewed"), (40, 60, 1, "plain"),
        (12, 80, 1, "plain"), (150, 80, 2, "plain"), (60, 40, 2, "plain"), (200, 90, 3, "plain"),
        (112, 81, 1, "guessed"), (83, 88, 1, "trials"),
    ]  # fmt: skip
    for one in able[3:4] if quick else able:
        names = ("agents", "items", "abilities", "kind")
        trials = 10 if quick else 200
        found.append(
            ("abilities", dict(zip(names, one, strict=True)), lambda seed, one=one, n=trials: abilities(*one, n, seed))
        )
    rivals = [(name, size) for name, (_, sizes) in anchor_rivals.TABLES.items() for size in sizes]
    for one in rivals[3:4] if quick else rivals:
        deals = 1 if quick else anchor_rivals.DEALS
        found.append((
            "anchors", {"table": one[0], "anchors": one[1]},
            lambda seed, one=one, n=deals: anchor_rivals.compared(*one, n),
        ))  # fmt: skip
    return found


def run(quick: bool, cells: Cells) -> list[Row]:
    """Return a row per cell."""
    rows: list[Row] = []
    for part, settings, work in cells_of(quick):
        seed = f"{part} {settings}"
        rows += cells.of(
            {"part": part, **settings, "quick": quick},
            lambda part=part, settings=settings, work=work, seed=seed: [{"part": part, **settings, **work(seed)}],
        )
    return rows


NOTES = """`pair`: how often the 95 % interval of a difference holds the truth, and how often equal agents are told
apart, ± its Monte Carlo error: by itself, so .05 is right. Of 200 items in clusters of 1 to 20 it was up to .061 with
degrees of freedom of items that do not depend on each other; with those of items that are alike it is at most .05.
`board`: how often any rank set, or any neighbour that is told apart, is wrong on a whole leaderboard; how often
intervals of values hold; `width`: mean length of the rank sets, of all ranks.
`model`: intervals and biases of difficulty and discrimination. `redundancy`: `true` is that of the test
that is named, which with few agents is often the wrong one; answers of 0 and 1 of fewer than 50 agents
have no interval (theirs held in .74 to .97). `keys`: items with a turned key that are named
suspicious, and the share of those named that are not turned. `abilities`: how often their number
is right (`right`) and in its interval; guessed answers and shares of few trials show more than there
are. `anchors`: root mean squared error of the
mean on all items, of models left out, by ways to choose few items (`studies/anchor_rivals.py`)."""
