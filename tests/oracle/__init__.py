"""A slow reference implementation of the rules, to compare the fast one with."""
