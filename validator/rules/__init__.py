"""Validation rules, one module each."""
