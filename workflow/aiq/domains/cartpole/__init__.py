"""The cart-pole in two dimensions: its worlds, its pictures, and the regulator that balances it."""
