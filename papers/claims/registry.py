"""All claims by name, in the order of ``claims.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import yaml

from papers.claims.base import Claim, Statement


def _statement(says: str, assumed: str, check: Sequence[Any]) -> Statement:
    name, *given = check
    return Statement(says, assumed, partial(resolve_name(f"papers.claims.{name}"), **dict(*given)))


CLAIMS: Mapping[str, Claim] = {
    name: Claim(name, **{**words, "statements": tuple(_statement(**statement) for statement in words["statements"])})
    for name, words in yaml.safe_load(Path(__file__).with_name("claims.yaml").read_text(encoding="utf-8")).items()
}
"""Name -> claim."""
