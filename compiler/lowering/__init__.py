"""Lowering of the graph to engine-neutral SQL expressions."""
