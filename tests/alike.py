"""Records, trees and arrays by type and content, for tests that compare them: NaN equals NaN, 1 is not True."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def described(value: Any) -> str:
    """Return types and values of everything that a value holds; two values are alike where these words are equal."""
    if is_dataclass(value):
        return f"{type(value).__name__}({[described(getattr(value, field.name)) for field in fields(value)]})"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{value.tolist()}"
    if isinstance(value, Mapping):
        return str(sorted((key, described(item)) for key, item in value.items()))
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}{[described(item) for item in value]}"
    return f"{type(value).__name__} {value!r}"
