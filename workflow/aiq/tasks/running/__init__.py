"""A whole run by one command: what it names is checked, Snakemake is called, and after an accident it goes on."""
