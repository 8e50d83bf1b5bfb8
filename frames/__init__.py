"""Semantic frames: what a planner wants to know."""
