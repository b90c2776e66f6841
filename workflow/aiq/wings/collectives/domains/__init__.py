"""Lambda* as a family of domains."""
