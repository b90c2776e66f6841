"""All claims by name: their words from ``claims.yaml``, in its order, their checks from the modules beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from papers.claims import agents, complexities, control, dissimilarities, earlier, recorded
from papers.claims.base import Check, Claim, Statement

MODULES = (agents, complexities, control, dissimilarities, earlier, recorded)
CHECKS: Mapping[str, tuple[Check, ...]] = {name: found for one in MODULES for name, found in one.CHECKS.items()}


def _claim(name: str, words: dict[str, Any]) -> Claim:
    pairs = zip(words.pop("statements"), CHECKS[name], strict=True)
    return Claim(name, statements=tuple(Statement(says, assumed, check) for (says, assumed), check in pairs), **words)


CLAIMS: Mapping[str, Claim] = {
    name: _claim(name, words)
    for name, words in yaml.safe_load(Path(__file__).with_name("claims.yaml").read_text(encoding="utf-8")).items()
}
"""Name -> claim."""
