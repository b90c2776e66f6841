"""What the families of domains have in common whose environments are those of another measure."""
