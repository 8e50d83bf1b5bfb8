"""Faults planted in the compiler one at a time, to see that the comparison with the oracle finds each.

A developers' tool: a fault that survives shows what the drawn frames do not reach.
"""
