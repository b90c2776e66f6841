"""Print the page that lists every figure and table (docs/reference/figures.md)."""

from __future__ import annotations

from aiq.plans.page import page

if __name__ == "__main__":
    print(page(), end="")
