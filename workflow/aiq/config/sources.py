"""The sources of domains: the settings of every family, told apart by the key ``source``."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from aiq.domains.control.settings import Control
from aiq.domains.labelled.settings import Labelled
from aiq.domains.registry import CONTROL_FAMILIES, FAMILIES

if TYPE_CHECKING:
    Source = Labelled | Control
else:
    # Type checkers know what all families have in common; pydantic checks the settings of the family itself.
    ALL = [family.settings for family in (*FAMILIES.values(), *CONTROL_FAMILIES.values())]
    Source = Annotated[reduce(or_, ALL), Field(discriminator="source")]
