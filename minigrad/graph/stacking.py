"""Stacking of repeated work (stub)."""
MANY = 8
def stacked(program):
    return program
