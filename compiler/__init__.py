"""Compilation of checked frames into typed graphs of spatial operations."""
