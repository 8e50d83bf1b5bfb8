"""The command line."""

from groundframe.cli.main import main

__all__ = ["main"]
