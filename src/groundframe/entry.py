"""Where the ``groundframe`` command begins: an interruption is one, too, while something is imported."""

from __future__ import annotations

import signal
from types import FrameType

__all__ = ["main", "was_interrupted"]

_SEEN: list[int] = []


def main() -> int:
    """Run the command line and give its exit code; see :func:`groundframe.cli.main.main`."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupt)
        from groundframe.cli.main import main as run
    except KeyboardInterrupt:
        return 130
    return run()


def was_interrupted() -> bool:
    """Whether the command was interrupted; a library may make an error of its own of it."""
    return bool(_SEEN)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _SEEN.append(number)
    signal.default_int_handler(number, frame)
