"""Agents that meet novelties in CartPole3D, and the protocol that examines them (3.4 of the 2025 paper).

The paper compares systems of five teams that nobody can download together. Here are own, plain agents *of the kind* of
those systems, written from their descriptions; none is copied, and none stands for a team's result. ``protocol`` plays
trials in which novelty begins at an episode that no agent is told; ``summary`` reduces them.
"""

from aiq.wing import Measure

MEASURE = Measure(name="novelty", package="aiq.wings.novelty", agents="aiq.wings.novelty.scoring:addition")
