"""Recorded traces of the published machine and agents, reproduced by the compiled code."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from aiq.wings.algorithmic.equations import agents, machine, pack
from aiq.wings.algorithmic.equations.agents import HLQ, Freq, QLearning

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
