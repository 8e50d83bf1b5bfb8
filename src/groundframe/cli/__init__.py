"""The command line."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code; see :func:`groundframe.cli.main.main`."""
    try:
        from groundframe.cli.main import main as run
    except KeyboardInterrupt:
        return 130
    return run(arguments)
