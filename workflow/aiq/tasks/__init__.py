"""One function for every rule: read, compute, write. The only place where stages meet."""
