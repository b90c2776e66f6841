"""What a suite will cost: measured on a part of its work, or from the cost model alone."""
