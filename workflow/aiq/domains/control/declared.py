"""What every control domain that settings describe has in common: its declared facts, and how they are told."""

from __future__ import annotations

from typing import Any

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
        self.space = settings.space


def describe_control(domain: ControlDomain) -> dict[str, Any]:
    """Return all that is known of a control domain, ready for JSON and the same for the same settings."""
    sheet = domain.sheet
    return {
        "name": domain.name,
        "kind": "control",
        "observations": domain.observations,
        "actions": domain.actions,
        "bounds": [float(bound) for bound in domain.bounds],
        "horizon": domain.horizon,
        "training_reward": domain.training_reward,
        "foreign_actions": domain.foreign,
        "noop": domain.noop,
        "sheet": {
            "description": sheet.description,
            "source": sheet.source,
            "licence": sheet.licence,
            "value_range": list(sheet.value_range),
            "class_names": list(sheet.class_names),
            "notes": list(sheet.notes),
            "checksums": dict(sheet.checksums),
        },
    }
