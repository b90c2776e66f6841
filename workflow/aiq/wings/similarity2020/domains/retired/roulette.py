"""Roulette as a Gymnasium environment."""

from __future__ import annotations

from aiq.errors import InputError
from aiq.wings.similarity2020.domains.retired.tabled import TabledEnv, Transition, checked_count


class RouletteEnv(TabledEnv):
    r"""A roulette wheel: every bet loses in the mean, who knows that leaves at once.

    ## Description

    The wheel that OpenAI Gym had under the id Roulette-v0 until 2021: `spots` numbers from 0 on. A bet on 0 wins if
    the wheel shows 0. A bet on another number wins if the wheel shows a number of the same parity other than 0.

    ## Action Space

    `Discrete(spots + 1)`

    | Action | Done |
    |--------|------|
    | 0 | bet on 0 |
    | 1 ... spots - 1 | bet on the parity of the action |
    | spots | leave the table |

    ## Observation Space

    `Discrete(1)`: always 0.

    ## Rewards

    `spots - 1` (36) where a bet on 0 wins, 1 where a bet on a parity wins, -1 where a bet loses, 0 for leaving. With 37
    spots every bet has the mean -1/37 but one on 0, which has 0. The best return is 0.

    ## Starting State

    The only one.

    ## Episode End

    Termination: action `spots`. Truncation: after 100 steps.

    ## Arguments

    | Parameter | Type | Default | Description |
    |-----------|------|---------|-------------|
    | `spots` | int | `37` | numbers on the wheel, at least 3 and odd, so that both parities are equally likely |

    ## Version History

    * v0: first version; the dynamics of OpenAI Gym's Roulette-v0.
    """

    def __init__(self, spots: int = 37, render_mode: str | None = None) -> None:
        """Build the table.

        Raises:
            InputError: an argument out of range, in one sentence.
        """
        numbers = checked_count("spots", spots, 3)
        if numbers % 2 == 0:
            raise InputError(f"spots is {spots}, it must be odd: 0 and as many odd as even numbers")
        if render_mode is not None:
            raise InputError(f"render_mode is {render_mode!r}; Roulette has nothing to draw, leave it out")
        super().__init__({0: {action: _outcomes(action, numbers) for action in range(numbers + 1)}})
        self.render_mode: str | None = None


def _outcomes(action: int, spots: int) -> list[Transition]:
    if action == spots:
        return [(1.0, 0, 0.0, True)]
    wins = 1 if action == 0 else (spots - 1) // 2
    paid = float(spots - 1) if action == 0 else 1.0
    return [(wins / spots, 0, paid, False), (1 - wins / spots, 0, -1.0, False)]
