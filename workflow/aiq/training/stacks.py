"""Which dense policies of a chunk are computed in one batched product."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from aiq.records.trial import Architecture

CALL_COST = 3_000_000
"""Cost of one more stack a step, in multiplications of a batched product done meanwhile (about 60 microseconds)."""

PARTS = (1, 2, 3, 4, 6, 8)
"""Numbers of stacks tried for the policies of one depth."""


@dataclass(frozen=True, slots=True)
class Stack:
    """Members of one depth (positions in the chunk) and the widths to which their hidden layers are padded."""

    members: tuple[int, ...]
    widths: tuple[int, ...]


def stacks(architectures: Sequence[Architecture], outputs: int, batch: int) -> list[Stack]:
    """Divide a chunk into stacks of equal depth, deepest first, and of similar width where that pays.

    Padding to the widest member costs multiplications, a further stack costs the calls of a step; the division of
    each depth's members, sorted by width (equal ones by position), is the cheapest of some even ones.

    Args:
        architectures: of the dense family.
        outputs: number of classes.
        batch: samples a step.
    """
    found: list[Stack] = []
    for depth in sorted({len(a.widths) for a in architectures}, reverse=True):
        members = [i for i, a in enumerate(architectures) if len(a.widths) == depth]
        members.sort(key=lambda i: (-sum(architectures[i].widths), architectures[i].widths, i))
        choices = [_parts(members, architectures, parts) for parts in PARTS if parts <= len(members)]
        found += min(choices, key=lambda choice: sum(_cost(stack, outputs, batch) for stack in choice))
    return found


def _parts(members: list[int], architectures: Sequence[Architecture], parts: int) -> list[Stack]:
    """Cut sorted members into even parts and pad each to its widest."""
    bounds = [len(members) * part // parts for part in range(parts + 1)]
    result = []
    for low, high in itertools.pairwise(bounds):
        part = members[low:high]
        widths = tuple(max(layer) for layer in zip(*(architectures[i].widths for i in part), strict=True))
        result.append(Stack(tuple(part), widths))
    return result


def _cost(stack: Stack, outputs: int, batch: int) -> int:
    """Return the multiplications of a step above the first layer, forward and backward, with the cost of calls."""
    nodes = (*stack.widths, outputs)
    products = sum(before * after for before, after in itertools.pairwise(nodes))
    return CALL_COST + 3 * batch * len(stack.members) * products
