"""Recorded traces of the published machine and agents, reproduced by the compiled and by the plain code."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from aiq.wings.algorithmic.equations import learning, machine
from aiq.wings.algorithmic.equations.agents import HLQ, Freq, QLearning
from aiq.wings.algorithmic.equations.programs import pack
from benchmarks import plain_algorithmic as reference

DATA = Path(__file__).parents[2] / "data" / "algorithmic"
with gzip.open(DATA / "bf_traces.jsonl.gz", "rt") as lines:
    TRACES = [json.loads(line) for line in lines]
AGENT_TRACES = json.loads((DATA / "agent_traces.json").read_text())


def compiled_trace(trace):
    settings = machine.MachineSettings(trace["num_symbols"], trace["obs_cells"], bool(trace["reverse_output"]))
    state, programs, stream = machine.new_machine(settings), pack([trace["program"]]), np.zeros(4, np.uint64)
    for action, *_ in trace["trace_action_reward_obs_steps"]:
        steps = machine.cycle(state, programs.codes, programs.jumps, action, stream)
        reward = machine.reward_value(machine.reward_symbol(state), settings.symbols)
        cells = [int(cell) for k, cell in enumerate(state.output) if k != state.reward_cell]
        yield [action, round(reward, 9), cells, steps]


def plain_trace(trace):
    stream = reference.Stream(0, 0, 0, 0)
    state = reference.Machine(
        trace["program"], trace["num_symbols"], trace["obs_cells"], bool(trace["reverse_output"]), stream
    )
    for action, *_ in trace["trace_action_reward_obs_steps"]:
        state.cycle(action)
        yield [action, round(state.reward, 9), state.observation, state.steps]


@pytest.mark.parametrize("replay", [compiled_trace, plain_trace])
def test_every_recorded_machine_trace_is_reproduced_exactly(replay):
    assert len(TRACES) == 336
    for trace in TRACES:
        assert list(replay(trace)) == trace["trace_action_reward_obs_steps"], trace["program"]


def test_traces_end_exactly_where_the_program_fails():
    failed = [trace for trace in TRACES if trace["trace_action_reward_obs_steps"][-1][3] == machine.STEP_LIMIT]
    assert failed
    assert all(len(trace["trace_action_reward_obs_steps"]) <= 40 for trace in failed)


def agent_of(trace):
    parameters = trace["params"]
    if trace["agent"] == "Freq":
        return Freq(parameters[0], legacy=True)
    if trace["agent"] == "Q_l":
        return QLearning(*parameters, legacy=True)
    return HLQ(*parameters[1:], legacy=True)


def compiled_agent(agent, steps):
    tables, parameters = learning.new_tables(5, 5), agent.parameters()
    learning.clear(tables, parameters)
    state = action = 0
    for seen, reward, greedy, chosen in steps:
        learning.learn(agent.kind, tables, parameters, state, action, reward, seen, greedy, chosen)
        state, action = seen, chosen
    return [np.reshape(table, (5, 5)) for table in (tables.values, tables.traces, tables.visits)]


def plain_agent(agent, steps):
    learner = reference.Learner(agent, 5, 5)
    state = action = 0
    for seen, reward, greedy, chosen in steps:
        learner.learn(state, action, reward, seen, greedy, chosen)
        state, action = seen, chosen
    return [np.array(table) for table in (learner.values, learner.traces, learner.visits)]


@pytest.mark.parametrize("replay", [compiled_agent, plain_agent])
@pytest.mark.parametrize("trace", AGENT_TRACES, ids=lambda trace: trace["agent"])
def test_recorded_agents_are_reproduced_by_forcing_their_draws(trace, replay):
    values, traces, visits = replay(agent_of(trace), trace["steps"])
    if trace["agent"] == "Freq":
        np.testing.assert_allclose(values[0], trace["final_mean_reward"], atol=1e-6)
        np.testing.assert_allclose(visits[0], trace["final_counts"], atol=1e-6)
        return
    np.testing.assert_allclose(values, trace["final_Q"], atol=1e-6)
    np.testing.assert_allclose(traces, trace["final_E"], atol=1e-6)
    if trace["agent"] == "HLQ_l":
        np.testing.assert_allclose(visits, trace["final_V"], atol=1e-6)


@pytest.mark.parametrize("trace", AGENT_TRACES, ids=lambda trace: trace["agent"])
def test_recorded_greedy_actions_are_greedy_when_they_are_drawn(trace):
    agent = agent_of(trace)
    learner = reference.Learner(agent, 5, 5)
    state = action = 0
    for seen, reward, greedy, chosen in trace["steps"]:
        if trace["agent"] == "Freq":  # learns before it draws
            learner.learn(state, action, reward, seen, greedy, chosen)
        row = learner.values[0 if trace["agent"] == "Freq" else seen]
        assert row[greedy] == pytest.approx(max(row), abs=1e-6)
        if trace["agent"] != "Freq":
            learner.learn(state, action, reward, seen, greedy, chosen)
        state, action = seen, chosen
