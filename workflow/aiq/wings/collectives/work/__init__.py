"""The jobs of the measure of collectives: episodes in Lambda* and what they reduce to."""
