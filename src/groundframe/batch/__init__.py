"""Batches: many frames, one file each, a manifest of what became of them, and no work done twice."""
