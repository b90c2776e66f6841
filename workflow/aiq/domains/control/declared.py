"""What every control domain that settings describe has in common: its declared facts, and how they are told."""

from __future__ import annotations

from aiq.domains.base import DataSheet
from aiq.domains.control.base import ControlDomain, check_bounds
from aiq.domains.control.settings import Control
from aiq.errors import DomainError


class DeclaredDomain(ControlDomain):
    """A control domain whose rewards, foreign actions and name come from its settings.

    Attributes:
        settings: source and parameters.
    """

    def __init__(
        self,
        name: str,
        settings: Control,
        *,
        observations: int,
        actions: int,
        bounds: tuple[float, float],
        horizon: int,
        sheet: DataSheet,
    ) -> None:
        """Take the facts.

        Raises:
            DomainError: bounds that do not rise, or an idle action that the domain does not have.
        """
        check_bounds(name, bounds)
        if settings.idle is not None and settings.idle >= actions:
            raise DomainError(
                f"domain {name}: noop is {settings.idle}; the domain's actions are the integers 0 to {actions - 1}"
            )
        self.name = name
        self.settings = settings
        self.observations = observations
        self.actions = actions
        self.bounds = bounds
        self.horizon = horizon
        self.training_reward = settings.training_reward
        self.foreign = settings.foreign_actions
        self.noop = settings.idle
        self.sheet = sheet
