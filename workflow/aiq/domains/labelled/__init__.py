"""Families of labelled domains, one per file, and what is done to every one: its split, its variants, its sheet."""
