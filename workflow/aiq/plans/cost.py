"""What the work of a suite will cost, from its configuration alone: seconds and megabytes of every unit.

The model is a line in the steps, networks, parameters and floating-point operations of a training, with the
constants of a calibration. It decides how work is cut into jobs and what the jobs ask for; no result depends on it.
On a GPU the built-in constants, which are those of a CPU, count too much: save a calibration there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from math import ceil, prod

from aiq.config.base import Calibration
from aiq.config.suite import Configuration
from aiq.config.training import Learning, Network, Pool, Reinforcement
from aiq.domains.control.answered import Answered
from aiq.domains.control.settings import Control
from aiq.domains.family import Sizes
from aiq.domains.labelled.settings import Labelled, RandomClasses
from aiq.plans.layout import parted

START = 30.0  # seconds of a job whose numba functions have to be compiled
MEGABYTES = 500.0
SAFETY = 4.0  # a job may last so many times longer than the model says
LEAST_MINUTES = 10
MARGIN = 1.3  # a job may need so many times more memory than the model says
LEAST_MEGABYTES = 1000
NESTED = 300  # megabytes of the two processes of Snakemake in which a cluster job runs, at 200 domains
LOOPS = 150  # megabytes of numba, which compiles loops of convolutional networks
COPIES = 4  # of the data: as read, as kept, as padded to a common shape, as a table
OPTIMISER = 9  # arrays as large as the weights: weights, gradients, two moments, gathered, final, three in a checkpoint
REPLAYS = 2  # of what agents remember: in use, and in a checkpoint while it is written
SLAB = 512  # samples evaluated at once
PLAYING = 8  # worlds that play at the same time in an evaluation, where a world holds much memory
EPISODE = 200  # steps of an episode, as the configuration does not tell them
LEARNER_SECONDS = 60.0  # that a learner made elsewhere may take for a training
OUTSIDE_STEP = 0.01  # seconds that an agent made elsewhere may take for a step


@dataclass(frozen=True, slots=True)
class Work:
    """What some units cost together, and what a job of them asks for at its first attempt."""

    seconds: float
    megabytes: float

    @property
    def minutes(self) -> int:
        """Minutes that the job asks for."""
        return max(LEAST_MINUTES, ceil(SAFETY * self.seconds / 60))

    @property
    def mem_mb(self) -> int:
        """Megabytes that the job asks for, in hundreds."""
        return max(LEAST_MEGABYTES, 100 * ceil((MARGIN * self.megabytes + NESTED) / 100))

    @property
    def request(self) -> tuple[int, int]:
        """Megabytes and minutes."""
        return self.mem_mb, self.minutes


def sizes(settings: Labelled | Control, whole: Sizes | None = None) -> Sizes:
    """Return what a domain will hold: ``whole``, or what the settings tell of the source, after limits and variants."""
    if isinstance(settings, Answered):
        data = sizes(settings.labelled, whole)
        return Sizes(0, 0, data.classes, (data.inputs,), data.certain)
    if isinstance(settings, Control):
        return settings.holds
    whole, asked = whole or settings.holds, settings.classes
    if isinstance(asked, RandomClasses):
        asked = asked.random
    wanted = whole.classes if asked is None else len(asked) if isinstance(asked, list) else int(asked)
    classes = min(wanted, whole.classes)
    splits = []
    for samples, limit in ((whole.train, settings.limit), (whole.test, settings.limit_test)):
        kept = round(samples * (classes / whole.classes))
        splits.append((kept if limit is None else min(kept, limit)) * settings.duplicate)
    shape = whole.shape
    if len(shape) == 3:
        side = settings.size
        shape = (1 if settings.grey else shape[0], *((side, side) if side else shape[1:]))
    return Sizes(splits[0], splits[1], classes, shape, whole.certain)


@dataclass(frozen=True, slots=True)
class Population:
    """Networks that train together: how many, their layers, parameters and the operations of a sample in one pass."""

    networks: int
    layers: float
    parameters: float
    operations: float
    convolutional: bool


class Costs:
    """The cost model of a suite.

    ``occupied``: whether inputs of the suite's interface that are zero in a whole domain are left out, as training
    leaves them out, and worlds step as quickly as they do. What jobs ask for counts both: a domain's data are read with
    such inputs, and cuts stay as they were.
    """

    def __init__(self, configuration: Configuration, calibration: Calibration, occupied: bool = False) -> None:
        self.configuration, self.calibration, self._occupied = configuration, calibration, occupied

    @cached_property
    def sizes(self) -> dict[str, Sizes]:
        """What every domain will hold."""
        return {name: sizes(settings) for name, settings in self.configuration.domains.items()}

    def chunk(self, domain: str) -> Work:
        """Cost of one chunk of the pool on a domain."""
        return self._chunk(self.sizes[domain])

    def pair(self, a: str, b: str) -> Work:
        """Cost of one chunk of repetitions of a pair, at all proportions."""
        a, b = parted(a)[0], parted(b)[0]
        alike = self._label_space(a) == self._label_space(b)
        return self._pair(self.sizes[a], self.sizes[b], alike)

    def alone(self, domain: str, part: str) -> Work:
        """Cost of one chunk of a domain's ``ends`` or ``controls``."""
        return self._alone(self.sizes[domain], part)

    def agent(self, domain: str, name: str) -> Work:
        """Cost of one repetition of an agent on a domain."""
        c, size = self.configuration, self.sizes[domain]
        network = next((agent for agent in c.agents.networks if agent.name == name), None)
        if network is None:  # made elsewhere: it plays, nothing is trained
            if not c.control:
                return Work(LEARNER_SECONDS + self.calibration.unit, self.calibration.megabytes + 4 * size.megabytes)
            player = next(agent for agent in c.agents.outside if agent.name == name)
            return self._played(size, player.episodes, OUTSIDE_STEP)
        return self._trained(network, c.agent_training, size)

    def baseline(self, domain: str) -> Work:
        """Cost of one repetition of the baseline on a control domain; 0 where there is none."""
        settings = self.configuration.baseline
        if settings is None:
            return Work(0.0, 0.0)
        return self._trained(settings.network, settings.training, self.sizes[domain])

    def _trained(self, network: Network, rule: Learning, size: Sizes) -> Work:
        population = of_network(network, 1, size.shape, size.classes)
        seconds = self._training(population, rule, size.train, size.test)
        return self._work(seconds * self.calibration.factors.agents, size.megabytes, population, size, rule)

    def baseline_play(self, domain: str) -> Work:
        """Cost of the episodes of one trained baseline on a control domain; 0 where there is none."""
        settings = self.configuration.baseline
        if settings is None:
            return Work(0.0, 0.0)
        step = self.calibration.control_step + self.calibration.control_agent
        return self._played(self.sizes[domain], settings.episodes, step)

    def _played(self, size: Sizes, episodes: int, step: float) -> Work:
        k = self.calibration
        return Work(episodes * EPISODE * step + k.unit, k.megabytes + PLAYING * size.world)

    @cache
    def _chunk(self, size: Sizes) -> Work:
        c = self.configuration
        if c.pool.learners is not None:
            seconds = LEARNER_SECONDS * c.pool.policies_per_chunk
            return Work(seconds, self.calibration.megabytes + 4 * size.megabytes)
        if c.pool.interface == "suite":
            size = replace(size, classes=self.interface.classes, shape=self.interface.shape)
        population = of_pool(c.pool, size.shape, size.classes)
        seconds = self._training(population, c.training, size.train, size.test)
        return self._work(seconds * self.calibration.factors.trials, size.megabytes, population, size, c.training)

    @cache
    def _pair(self, a: Sizes, b: Sizes, alike: bool) -> Work:
        settings = self.configuration.dissimilarity
        joint = self._joint(a, b, alike)
        networks = len(settings.trained_points) * settings.repetitions_per_chunk
        population = of_network(settings.network, networks, joint.shape, joint.classes)
        seconds = self._training(population, settings.training, settings.samples or joint.train, joint.test)
        seconds += self._scoring(population, joint.test)
        both = (a.train + a.test + b.train + b.test) * joint.inputs * max(a.item_bytes, b.item_bytes) / 1e6
        return self._work(seconds * self.calibration.factors.mixtures, both, population, joint, settings.training)

    def _joint(self, a: Sizes, b: Sizes, alike: bool) -> Sizes:
        test, world = a.test + b.test, a.world + b.world
        if self.configuration.dissimilarity.ends == "domain":
            return replace(self.interface, test=test, world=world, shape=self._trained_on(a, b))
        shared = alike or self.configuration.dissimilarity.labels == "shared"
        classes = max(a.classes, b.classes) if shared else a.classes + b.classes
        alike = len(a.shape) == len(b.shape)  # else a picture and a vector meet as vectors
        shape = tuple(map(max, a.shape, b.shape)) if alike else (max(a.inputs, b.inputs),)
        return Sizes(min(a.train, b.train), test, classes, shape, world=world)

    @cached_property
    def interface(self) -> Sizes:
        """What every mixture holds where ends are domains': the suite's shape, outputs and samples."""
        settings, all_sizes = self.configuration.dissimilarity, list(self.sizes.values())
        spaces: dict[str, int] = {}
        for name, size in self.sizes.items():
            space = "" if self.configuration.control else self._label_space(name)
            spaces[space] = max(spaces.get(space, 0), size.classes)
        most = sorted(spaces.values(), reverse=True)
        outputs = most[0] if settings.labels == "shared" else sum(most[:2])
        pictures = [size.shape for size in all_sizes if len(size.shape) == 3]
        shape = tuple(max(sides) for sides in zip(*pictures, strict=True)) if pictures else (0,)
        if len(pictures) < len(all_sizes):
            shape = (max(prod(shape), *(size.inputs for size in all_sizes if len(size.shape) == 1)),)
        return Sizes(settings.samples or min(size.train for size in all_sizes), 0, outputs, shape)

    def _trained_on(self, *all_sizes: Sizes) -> tuple[int, ...]:
        whole = self.interface.shape
        if not self._occupied or self.configuration.dissimilarity.network.family == "convolutional":
            return whole
        inputs = [size.inputs for size in all_sizes]
        alike = len({len(size.shape) for size in all_sizes}) == 1  # else the vector stands behind the picture
        return (min(prod(whole), max(inputs) if alike else sum(inputs)),)

    @cache
    def _alone(self, size: Sizes, part: str) -> Work:
        settings = self.configuration.dissimilarity
        joint = replace(self.interface, test=size.test, world=2 * size.world, shape=self._trained_on(size))
        if part == "ends":
            population = of_network(settings.network, settings.ends_together, joint.shape, joint.classes)
            seconds = self._training(population, settings.training, joint.train, joint.test)
        else:
            networks = len(settings.shares) * self.configuration.controls_together
            population = of_network(settings.network, networks, joint.shape, joint.classes)
            seconds = self._controls(joint)
        seconds += self._scoring(population, joint.test)
        data = (size.train + size.test) * joint.inputs * size.item_bytes / 1e6
        return self._work(seconds * self.calibration.factors.mixtures, data, population, joint, settings.training)

    def _controls(self, joint: Sizes) -> float:
        """Return the seconds of a chunk of controls, one a share."""
        settings = self.configuration.dissimilarity
        population = of_network(settings.network, self.configuration.controls_together, joint.shape, joint.classes)
        rule = settings.training
        if isinstance(rule, Reinforcement):
            cut = (rule.model_copy(update={"steps": max(1, round(share * rule.steps))}) for share in settings.shares)
            return sum(self._acting(population, shorter) for shorter in cut)
        batches = (max(1, round(share * rule.batch_size)) for share in settings.shares)
        rules = [rule.model_copy(update={"batch_size": batch}) for batch in batches]
        samples = [max(1, round(share * joint.train)) for share in settings.shares]
        return sum(self._training(population, own, n, joint.test) for own, n in zip(rules, samples, strict=True))

    def _scoring(self, population: Population, test: int) -> float:
        """Return the seconds allowed for accuracies among a domain's own outputs: those of scoring once more."""
        return 0.0 if self.configuration.control else self._look(population, test)

    def _training(self, population: Population, settings: Learning, samples: int, test: int) -> float:
        """Return the seconds of one training, evaluation on the test split included."""
        if isinstance(settings, Reinforcement):
            return self._acting(population, settings)
        fit, held_out = float(samples), 0.0
        if settings.convergence is not None:
            held_out = samples * settings.convergence.validation
            fit = samples - held_out
        steps = max(1, ceil(fit / settings.batch_size))
        passes = settings.epochs * (steps * self._step(population, fit / steps) + self._look(population, held_out))
        return passes + self._look(population, test)

    def _step(self, population: Population, batch: float) -> float:
        k = self.calibration
        update = k.parameter * population.parameters
        if population.convolutional:
            forward = k.convolution_operation * 3 * batch * population.operations
            return population.networks * k.convolution_step + update + forward
        return k.step + k.layer * population.layers + update + k.operation * 3 * batch * population.operations

    def _look(self, population: Population, samples: float) -> float:
        k = self.calibration
        rate = k.convolution_operation if population.convolutional else k.operation
        return rate * samples * population.operations

    def _acting(self, population: Population, settings: Reinforcement) -> float:
        """Return the seconds of deep Q-learning of a population: acting, learning, evaluating."""
        k = self.calibration
        pace = max(size.pace for size in self.sizes.values()) if self._occupied else 1.0
        acted = pace * (k.control_step + k.control_agent * population.networks)
        learned = self._step(population, settings.batch_size) * 4 / 3 / settings.train_every
        looked = settings.evaluation
        episodes = settings.steps / looked.every * looked.episodes + looked.final_episodes
        played = EPISODE * episodes / max(1, looked.episodes) * acted  # episodes of one evaluation run side by side
        return settings.steps * (acted + learned) + played

    def _work(self, seconds: float, data: float, population: Population, size: Sizes, rule: Learning) -> Work:
        k = self.calibration
        seen = SLAB * 4 * (size.inputs + population.layers * 64) / 1e6
        networks = OPTIMISER * 4 * population.parameters / 1e6
        worlds = size.world * (population.networks + PLAYING)
        kept = REPLAYS * _replay(rule, size) * population.networks
        loops = LOOPS if population.convolutional and self.configuration.device == "cpu" else 0.0
        return Work(seconds + k.unit, self.base + loops + COPIES * data + networks + seen + worlds + kept)

    @property
    def base(self) -> float:
        """The megabytes of a training process besides its data and networks, the libraries of a GPU included."""
        k = self.calibration
        return k.megabytes + (0.0 if self.configuration.device == "cpu" else k.cuda_megabytes)

    def _label_space(self, name: str) -> str:
        settings = self.configuration.domains[name]  # one output serves all numbers
        return "number" if getattr(settings, "numeric", False) else str(getattr(settings, "label_space", name))


def _replay(rule: Learning, size: Sizes) -> float:
    """Return the megabytes that one agent remembers: see ``training.q_networks.Replay``; 0 on labelled data."""
    if not isinstance(rule, Reinforcement):
        return 0.0
    numbers = 2 * 4 * ceil((size.inputs + 3) / 4)
    return 4e-6 * (min(rule.replay, rule.steps) + 1) * numbers


def of_pool(pool: Pool, shape: tuple[int, ...], outputs: int) -> Population:
    """Return a chunk of the pool with networks of mean depth and width."""
    depths = range(pool.layers[0], pool.layers[1] + 1)
    width = sum(pool.width) / 2
    made = [_layers(pool, [width] * depth, shape, outputs) for depth in depths]
    layers, parameters, operations = (pool.policies_per_chunk * sum(x) / len(made) for x in zip(*made, strict=True))
    return Population(pool.policies_per_chunk, layers, parameters, operations, pool.family == "convolutional")


def of_network(network: Network, count: int, shape: tuple[int, ...], outputs: int) -> Population:
    """Return some copies of a network."""
    widths = [float(network.width)] * network.layers
    layers, parameters, operations = _layers(network, widths, shape, outputs)
    return Population(count, count * layers, count * parameters, count * operations, network.family == "convolutional")


def _layers(
    made: Network | Pool, widths: list[float], shape: tuple[int, ...], outputs: int
) -> tuple[float, float, float]:
    """Return layers, parameters, and operations of one sample's forward pass, of one network."""
    if made.family == "dense" or len(shape) != 3:
        nodes = [float(prod(shape)), *widths, float(outputs)]
        weights = sum(before * after for before, after in pairwise(nodes))
        return len(nodes) - 1, weights + sum(nodes[1:]), 2 * weights
    channels, height, width = (float(n) for n in shape)
    parameters = operations = 0.0
    for filters in widths:
        weights = 9 * channels * filters
        parameters += weights + filters
        operations += 2 * weights * height * width / (1 if made.reduction == "pooling" else 9)
        channels = filters
        height, width = (side // 2 if made.reduction == "pooling" else (side - 1) // 3 + 1 for side in (height, width))
    head = channels * height * width * made.dense_nodes + made.dense_nodes * outputs
    return len(widths) + 2, parameters + head, operations + 2 * head
