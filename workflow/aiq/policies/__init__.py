"""Pools of architectures, the networks they describe, and their sizes."""
