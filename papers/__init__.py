"""The papers that aiq follows: experiments of their figures, claims as checks. In a checkout, not in the wheel."""
