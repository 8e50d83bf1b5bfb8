"""Interpreters under test: questions in plain words, and the frames that they mean."""
