"""What checks read: the numbers of one run, whatever it was made for, and how its domains are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiq.records.estimate import Floats
from aiq.records.table import Table
from papers.claims.numbers import LackingError as LackingError
from papers.claims.numbers import Measured
from papers.claims.published import PublishedClaim

VARIANT = ("classes", "noise", "gaussian", "duplicate")


@dataclass(frozen=True, slots=True, eq=False)
class Agents:
    """A agents of a suite, (A,), with draws of what they scored, (B, A), NaN where the suite has no volume.

    ``relative``: AIQ relative to an agent at performance 1 everywhere. ``sizes``: agent -> (hidden layers, nodes per
    layer), of networks of known size. ``apti_aiq``: AIQ per dimension with APTI in the place of performance; None, as
    all APTI, where there is no baseline.
    """

    names: tuple[str, ...]
    mean: Floats
    relative: Floats
    mean_draws: Floats
    relative_draws: Floats
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    apti: Floats | None = None
    apti_draws: Floats | None = None
    apti_aiq: Floats | None = None
    apti_aiq_draws: Floats | None = None

    def of_depth(self, layers: int) -> list[int]:
        """Return the places of the networks of a number of layers, narrowest first."""
        places = [i for i, name in enumerate(self.names) if self.sizes.get(name, (0, 0))[0] == layers]
        return sorted(places, key=self.width)

    @property
    def depths(self) -> list[int]:
        """Numbers of layers that there are, smallest first."""
        return sorted({layers for layers, _ in self.sizes.values()})

    def width(self, place: int) -> int:
        """Return the nodes per layer of an agent."""
        return self.sizes[self.names[place]][1]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where the domains lie: number of dimensions kept, its draws (B,), and share of the draws with each as a vertex.

    ``shares`` (d,): what each dimension holds of the sum of the positive eigenvalues, largest first, of all of them.
    """

    domains: tuple[str, ...]
    dimensions: int
    dimension_draws: Floats
    vertex_shares: Mapping[str, float]
    shares: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The numbers of one run; None, or empty, is what was not measured or is not known.

    ``scale``: ``small`` or ``paper`` of an experiment, ``other`` of any other run; ``described``: how large it was, in
    words. ``domains``: name -> its settings. Complexities, their ``base`` (what any network has of it) and entropies
    (of a sample, of all samples) are in bits, one a domain; dissimilarities are signed areas by ``pair_name``,
    self-pairs included. ``asymmetry``: mean absolute difference of the two orders of a pair, beyond what noise alone
    makes of it, and its standard error. ``tables``: of a run of another measure; ``published``: of one of the 2020
    similarity, every number in print that it speaks of, judged. ``claims``: those that its experiment answers.
    ``date``: day on which its newest result was written. ``by_paper``: the same run by the paper's own reading, without
    errors.
    """

    name: str
    scale: str = "other"
    described: str = ""
    domains: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    complexity: Measured | None = None
    base: Measured | None = None
    entropy: Measured | None = None
    entropy_total: Measured | None = None
    dissimilarity: Measured | None = None
    asymmetry: tuple[float, float] | None = None
    agents: Agents | None = None
    places: Places | None = None
    tables: Mapping[str, Table] = field(default_factory=dict)
    published: tuple[PublishedClaim, ...] = ()
    measure: str = "aiq"
    claims: tuple[str, ...] = ()
    date: str = ""
    by_paper: Evidence | None = None

    # ---- which domain is which ------------------------------------------------------------------

    def find(self, kind: str) -> str | None:
        """Return the whole data set of a kind (``mnist``, ``cartpole-pictures`` ...), None where it is not there."""
        for name, settings in self.domains.items():
            if kind_of(settings) == kind and not varied(settings):
                return name
        return None

    def present(self, *kinds: str) -> list[str]:
        """Return the whole data sets of some kinds that are there."""
        return [name for kind in kinds if (name := self.find(kind))]

    def need(self, kind: str) -> str:
        """Return the whole data set of a kind; raises LackingError where it is not there."""
        name = self.find(kind)
        if name is None:
            raise LackingError(f"{CALLED.get(kind, kind)} is not in the run")
        return name

    def benchmark(self) -> list[str]:
        """Return the domains of the AIQ benchmark (2.6.3) that are there, four at least, both kinds and no others."""
        names = self.present(*CALLED)
        recorded = [name for name in names if kind_of(self.domains[name]).startswith("cartpole")]
        if len(names) < 4 or not recorded or len(names) < len(self.domains):
            raise LackingError("the run is not of the AIQ benchmark (four of its domains at least, and no others)")
        return names

    def along(self, kind: str, key: str, default: float | None = None) -> list[tuple[float, str]]:
        """Return (value, name) of the domains of a kind that differ by one setting alone, smallest first."""
        places = []
        for name, settings in self.domains.items():
            value = settings.get(key, default)
            if kind_of(settings) == kind and varied(settings) <= {key} and isinstance(value, int | float):
                places.append((float(value), name))
        return sorted(places)

    def classes(self, kind: str, total: int) -> list[tuple[float, str]]:
        """Return (number of classes, name) of a data set's subsets and of the whole, smallest first."""
        places = []
        for name, settings in self.domains.items():
            if kind_of(settings) != kind:
                continue
            asked = settings.get("classes")
            count = asked.get("random") if isinstance(asked, Mapping) else asked
            count = len(count) if isinstance(count, list | tuple) else total if count is None else count
            places.append((float(count), name))
        return sorted(places)

    def levels(self) -> dict[int, str]:
        """Return level of novelty -> domain of CartPole3D."""
        return {int(s.get("novelty", 0)): n for n, s in self.domains.items() if s.get("source") == "cartpole3d"}

    def need_levels(self, *levels: int) -> list[str]:
        """Return the domains of some levels of CartPole3D, which must be there, and any level at all."""
        names = self.levels()
        lacking = [str(level) for level in levels if level not in names]
        if lacking:
            raise LackingError(f"levels {', '.join(lacking)} are not in the run")
        if not names:
            raise LackingError("no level of CartPole3D is in the run")
        return [names[level] for level in levels]

    # ---- numbers --------------------------------------------------------------------------------

    def numbers(self, what: str) -> Measured:
        """Return the numbers of a kind, such as ``complexity``, which must have been measured."""
        numbers = getattr(self, what)
        if numbers is None:
            raise LackingError(f"no {what.replace('_', ' ')} was measured")
        assert isinstance(numbers, Measured)
        return numbers

    def measured(self, what: str, places: list[tuple[float, str]], least: int, of: str) -> list[tuple[float, str]]:
        """Return the places that were measured, so many at least."""
        numbers = self.numbers(what)
        measured = [place for place in places if place[1] in numbers]
        if len({x for x, _ in measured}) < least:
            raise LackingError(f"{least} {of} are needed, {len(measured)} are in the run")
        return measured

    def pair(self, a: str, b: str) -> str:
        """Return the name of a pair, which must have been measured."""
        name = pair_name(a, b)
        if name not in self.numbers("dissimilarity"):
            raise LackingError(f"the pair of {a} and {b} was not measured")
        return name


def pair_name(a: str, b: str) -> str:
    """Return the name of an unordered pair."""
    return "+".join(sorted((a, b)))


CALLED = {
    "mnist": "MNIST", "fashion-mnist": "Fashion-MNIST", "cifar10": "CIFAR10", "cifar100": "CIFAR100",
    "cartpole-pictures": "CartPole as pictures", "cartpole3d-pictures": "CartPole3D as pictures",
}  # fmt: skip
"""Kind -> what people call it."""

_TORCHVISION = {"MNIST": "mnist", "FashionMNIST": "fashion-mnist", "CIFAR10": "cifar10", "CIFAR100": "cifar100"}


def kind_of(settings: Mapping[str, Any]) -> str:
    """Return which data set or world a domain's settings name."""
    source = settings.get("source")
    if source == "torchvision":
        return _TORCHVISION.get(str(settings.get("name")), "other")
    if source == "npz":
        labels = str(settings.get("labels") or settings.get("path"))
        return "cifar100" if "cifar100" in labels else "cifar10" if "cifar10" in labels else "other"
    if source == "recorded":
        world = "cartpole3d" if settings.get("environment") == "cartpole3d" else "cartpole"
        return f"{world}-pictures" if settings.get("view") == "image" else f"{world}-vectors"
    return str(source)


def varied(settings: Mapping[str, Any]) -> set[str]:
    """Return by what a domain departs from its data set: classes left out, noise added, samples repeated."""
    return {key for key in VARIANT if settings.get(key) not in (None, 0, 0.0, 1)}
