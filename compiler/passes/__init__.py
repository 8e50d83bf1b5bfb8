"""Rewrite passes over the graph, one pure function per module."""
