"""Frames drawn at random, answered by the engine and by the oracle, and compared.

:mod:`drawing` draws them, :mod:`ground` makes a small state in which every rule is decided somewhere,
:mod:`trial` compares the two answers, and :mod:`aspects` says what a frame and its answer put to the test.
"""
