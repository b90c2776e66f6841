"""Measures beside the quotient of 2025, each a vertical slice in a folder of its own. The core names none of them."""
