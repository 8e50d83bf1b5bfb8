"""Evaluation: golden frames, the independent oracle, benchmarks."""
