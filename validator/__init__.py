"""Validation of frames: rules, repairs and the three outcomes."""
