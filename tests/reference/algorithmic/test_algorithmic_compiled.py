"""The compiled code computes what the plain reference computes from the same random stream, and recorded traces."""

import gzip
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.wings.algorithmic import equations as streams
from aiq.wings.algorithmic.equations import agents, machine, pack, trials
from aiq.wings.algorithmic.equations import context_tree as ct
from aiq.wings.algorithmic.equations.agents import HLQ, Freq, QLearning, Random, Sarsa
from aiq.wings.algorithmic.equations.machine import sample_programs
from aiq.wings.algorithmic.settings import BLOCK
from benchmarks import plain_algorithmic as reference

MACHINES = [
    machine.MachineSettings(),
    machine.MachineSettings(2),
    machine.MachineSettings(4, 2),
    machine.MachineSettings(5, 1, True),
]
AGENTS = [
    Random(),
    Freq(0.1),
    QLearning(0.0, 0.5, 0.5, 0.05, 0.6),
    QLearning(10.0, 0.0, 0.3, 0.1, 0.9, legacy=True),
    HLQ(0.0, 0.95, 0.05, 0.7, legacy=True),
    HLQ(5.0, 0.5, 0.05, 0.9),
    Sarsa(0.0, 0.8, 0.2, 0.1, 0.9),
]


def compiled_stream(*key):
    state = np.empty(4, np.uint64)
    streams.start(state, np.uint64(key[0]), *key[1:])
    return state


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**40), st.integers(0, 2**40), st.integers(2, 2**32 - 1))
@settings(deadline=None, max_examples=200)
def test_streams_agree(root, first, second, bound):
    plain, state = reference.Stream(root, first, second, 3), compiled_stream(root, first, second, 3)
    assert [int(word) for word in state] == plain.state
    for _ in range(5):
        assert int(streams.draw(state)) == plain.draw()
        assert streams.below(state, bound) == plain.below(bound)
        assert streams.unit(state) == plain.unit()


def test_stream_is_the_published_generator():
    # First outputs of xoshiro256++ from the state 1, 2, 3, 4 (the generator's reference test vector).
    state = np.array([1, 2, 3, 4], np.uint64)
    expected = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    assert [int(streams.draw(state)) for _ in expected] == expected


def test_streams_of_different_names_differ():
    starts = {tuple(compiled_stream(9, a, b, c)) for a in range(10) for b in range(10) for c in range(4)}
    assert len(starts) == 400


def run_both(program, setting, key, cycles):
    stream, plain_stream = compiled_stream(*key), reference.Stream(*key)
    state, packed = machine.new_machine(setting), pack([program])
    arguments = (setting.symbols, setting.observation_cells, setting.observation_first, plain_stream)
    plain = reference.Machine(program, *arguments)
    for k in range(cycles):
        action = (k * k + key[1]) % setting.symbols
        steps = machine.cycle(state, packed.codes, packed.jumps, action, stream)
        alive = plain.cycle(action)
        assert steps == plain.steps
        assert list(state.output) == plain.output
        if not alive:
            break
    assert [int(word) for word in stream] == plain_stream.state
    return steps


def test_machines_agree_on_thousands_of_random_programs():
    failed = 0
    for number in range(3000):
        source = reference.Stream(7, number, 0, 0)
        program = reference.simplify(reference.draw_program(source), number % 2 == 0)
        failed += run_both(program, MACHINES[number % len(MACHINES)], (11, number, 1, 2), 8) == machine.STEP_LIMIT
    assert failed > 30


@pytest.mark.parametrize("program", ["+[>+]#", "+[<+]#", ">>+[>>+>]#", "+[<+<]#"])
def test_machines_agree_far_from_the_start_of_the_tape(program):
    setting = machine.MachineSettings(3)
    state, packed, stream = machine.new_machine(setting), pack([program]), compiled_stream(1, 1, 1, 1)
    plain = reference.Machine(program, 3, 1, False, reference.Stream(1, 1, 1, 1))
    for _ in range(450):
        machine.cycle(state, packed.codes, packed.jumps, 1, stream)
        plain.cycle(1)
    assert state.registers[0] == plain.pointer
    assert list(state.tape) == plain.tape
    machine.reset(state)
    assert set(state.tape) == {setting.middle}


@pytest.mark.parametrize("simplification", ["one-pass", "fixed-point"])
def test_sampled_block_equals_the_plain_sampler(simplification):
    shard = sample_programs(5, 2, 3, simplification=simplification)
    stream = reference.Stream(int(streams.base(5, "programs")), 2, 0, 0)
    accepted, counts = [], {"without io": 0, "failed": 0, "passive": 0}
    while len(accepted) < BLOCK:
        program = reference.simplify(reference.draw_program(stream), simplification == "fixed-point")
        verdict = reference.classify(program, 5, 1, False, stream)
        if isinstance(verdict, str):
            counts[verdict] += 1
        else:
            accepted.append((verdict, program))
    assert [(program.stratum, program.code) for program in shard.programs] == accepted
    assert (shard.without_io, shard.failed, shard.passive) == tuple(counts.values())


@pytest.mark.parametrize("agent", AGENTS, ids=repr)
@pytest.mark.parametrize("setting", MACHINES[1:], ids=repr)
def test_trials_equal_the_plain_trials_bit_by_bit(agent, setting):
    codes = [program.code for program in sample_programs(1, 0, 1).programs[:12]]
    packed, state = pack(codes), machine.new_machine(setting)
    tables = agents.new_tables(setting.observations, setting.symbols)
    arguments = (setting.symbols, setting.observation_cells, setting.observation_first)
    for number, code in enumerate(codes):
        begin, end = packed.offsets[number : number + 2]
        sign = -1 if number % 2 else 1
        own, acting = (compiled_stream(1, number, 0, k) for k in (0, 1))
        instructions, jumps = packed.codes[begin:end], packed.jumps[begin:end]
        how = (agent.kind, agent.parameters(), 60, 0.99, float(sign), own, acting)
        total = trials.run_trial(state, tables, instructions, jumps, *how)
        plain_machine = reference.Machine(code, *arguments, reference.Stream(1, number, 0, 0))
        plain = reference.run_trial(agent, plain_machine, 60, 0.99, sign, reference.Stream(1, number, 0, 1))
        assert total == plain or (np.isnan(total) and np.isnan(plain))


# ---- recorded traces of the published machine and agents


DATA = Path(__file__).parents[2] / "data" / "algorithmic"
with gzip.open(DATA / "bf_traces.jsonl.gz", "rt") as lines:
    TRACES = [json.loads(line) for line in lines]
AGENT_TRACES = json.loads((DATA / "agent_traces.json").read_text())


def replayed(trace):
    settings = machine.MachineSettings(trace["num_symbols"], trace["obs_cells"], bool(trace["reverse_output"]))
    state, programs, stream = machine.new_machine(settings), pack([trace["program"]]), np.zeros(4, np.uint64)
    for action, *_ in trace["trace_action_reward_obs_steps"]:
        steps = machine.cycle(state, programs.codes, programs.jumps, action, stream)
        reward = machine.reward_value(machine.reward_symbol(state), settings.symbols)
        cells = [int(cell) for k, cell in enumerate(state.output) if k != state.reward_cell]
        yield [action, round(reward, 9), cells, steps]


def test_every_recorded_machine_trace_is_reproduced_exactly():
    recorded = [trace["trace_action_reward_obs_steps"] for trace in TRACES]
    assert len(recorded) == 336
    assert any(steps[-1][3] == machine.STEP_LIMIT for steps in recorded)  # the program failed
    for trace, steps in zip(TRACES, recorded, strict=True):
        assert list(replayed(trace)) == steps, trace["program"]


def agent_of(trace):
    parameters = trace["params"]
    if trace["agent"] == "Freq":
        return Freq(parameters[0], legacy=True)
    if trace["agent"] == "Q_l":
        return QLearning(*parameters, legacy=True)
    return HLQ(*parameters[1:], legacy=True)


@pytest.mark.parametrize("trace", AGENT_TRACES, ids=lambda trace: trace["agent"])
def test_recorded_agents_are_reproduced_by_forcing_their_draws(trace):
    """A greedy action has the highest value when it is drawn; Freq learns before, the others after."""
    agent, freq = agent_of(trace), trace["agent"] == "Freq"
    tables, parameters = agents.new_tables(5, 5), agent.parameters()
    agents.clear(tables, parameters)
    values, traces, visits = (np.reshape(table, (5, 5)) for table in (tables.values, tables.traces, tables.visits))
    state = action = 0
    for seen, reward, greedy, chosen in trace["steps"]:
        row = values[0 if freq else seen]
        if not freq:
            assert row[greedy] == pytest.approx(row.max(), abs=1e-6)
        agents.learn(agent.kind, tables, parameters, state, action, reward, seen, greedy, chosen)
        if freq:
            assert row[greedy] == pytest.approx(row.max(), abs=1e-6)
        state, action = seen, chosen
    if freq:
        np.testing.assert_allclose(values[0], trace["final_mean_reward"], atol=1e-6)
        np.testing.assert_allclose(visits[0], trace["final_counts"], atol=1e-6)
        return
    np.testing.assert_allclose(values, trace["final_Q"], atol=1e-6)
    np.testing.assert_allclose(traces, trace["final_E"], atol=1e-6)
    if trace["agent"] == "HLQ_l":
        np.testing.assert_allclose(visits, trace["final_V"], atol=1e-6)


# ---- context tree weighting beside the sum over all suffix trees, and undo beside never having been there


def suffix_trees(depth):
    """Yield the leaves of every suffix tree of at most this depth, and its number of nodes above the depth."""
    yield [()], 1 if depth else 0
    if depth:
        for (zeros, a), (ones, b) in itertools.product(list(suffix_trees(depth - 1)), repeat=2):
            yield [(0, *leaf) for leaf in zeros] + [(1, *leaf) for leaf in ones], 1 + a + b


def kt(bits):
    counts, probability = [0, 0], 1.0
    for bit in bits:
        probability *= (counts[bit] + 0.5) / (sum(counts) + 1)
        counts[bit] += 1
    return probability


def brute_force(bits, depth):
    past = [0] * depth + list(bits)
    total, weights = 0.0, 0.0
    for leaves, nodes in suffix_trees(depth):
        seen = {leaf: [] for leaf in leaves}
        for k, bit in enumerate(bits):
            context = tuple(past[depth + k - 1 - level] for level in range(depth))
            seen[next(leaf for leaf in leaves if context[: len(leaf)] == leaf)].append(bit)
        total += 2.0**-nodes * math.prod(kt(part) for part in seen.values())
        weights += 2.0**-nodes
    assert weights == pytest.approx(1)
    return total


def predict(trees):
    """The probability that the next bit is 1."""
    return ct._mixture(trees, trees.depths[0], ct._descend(trees, 0))


def forest(depth, bits=4096, simulated=16):
    return ct.new_forest(np.array([depth]), bits, simulated, 4096)


@given(st.integers(0, 3), st.lists(st.integers(0, 1), min_size=1, max_size=24))
@settings(deadline=None, max_examples=60)
def test_probabilities_equal_the_sum_over_all_suffix_trees(depth, bits):
    trees = forest(depth)
    product = 1.0
    for k, bit in enumerate(bits):
        one = predict(trees)
        assert one == pytest.approx(brute_force([*bits[:k], 1], depth) / brute_force(bits[:k], depth), rel=1e-9)
        given_bit = ct.learn_bit(trees, 0, bit)
        assert given_bit == pytest.approx(one if bit else 1 - one, rel=1e-9)
        product *= given_bit
    assert product == pytest.approx(brute_force(bits, depth), rel=1e-9)


@given(st.integers(0, 6), st.lists(st.integers(0, 1), max_size=40), st.lists(st.floats(0, 1), min_size=1, max_size=16))
@settings(deadline=None, max_examples=60)
def test_undo_leaves_no_trace_of_what_was_imagined(depth, bits, chances):
    trees = forest(depth)
    for bit in bits:
        ct.learn_bit(trees, 0, bit)
    used = int(trees.registers[0])
    before = [trees.nodes[:used].copy(), trees.odds[:used].copy(), trees.registers.copy()]
    for chance in chances:
        ct.imagine_bit(trees, 0, chance)
    ct.undo_bits(trees, len(chances))
    for saved, now in zip(before, (trees.nodes[:used], trees.odds[:used], trees.registers), strict=True):
        np.testing.assert_array_equal(saved, now)
    never = forest(depth)
    for bit in bits:
        ct.learn_bit(never, 0, bit)
    assert predict(trees) == predict(never)


def test_imagined_bits_follow_the_prediction():
    trees = forest(3)
    for k in range(40):
        ct.learn_bit(trees, 0, int(k % 4 != 0))
    one = predict(trees)
    chances = (np.arange(1000) + 0.5) / 1000
    drawn = []
    for chance in chances:
        drawn.append(ct.imagine_bit(trees, 0, chance))
        ct.undo_bits(trees, 1)
    assert np.mean(drawn) == pytest.approx(one, abs=1e-3)


def test_a_forest_that_grows_predicts_as_one_that_was_large():
    small, large = ct.new_forest(np.array([8]), 400, 1, 16), ct.new_forest(np.array([8]), 400, 1, 8192)
    rng = np.random.default_rng(1)
    for bit in rng.integers(2, size=300):
        small = ct.grown(small, 9)
        assert ct.learn_bit(small, 0, int(bit)) == ct.learn_bit(large, 0, int(bit))
    assert small.odds.size > 16
