"""The jobs of a suite of domains, from domains and trials to the intelligence space and the AIQ."""
