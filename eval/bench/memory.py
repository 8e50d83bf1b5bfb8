"""How much memory this process has needed at most, while something ran."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["PeakMemory", "peak_memory"]

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class PeakMemory:
    """Megabytes by which the process grew at most; None where the system does not tell."""

    megabytes: float | None = None


@contextmanager
def peak_memory() -> Iterator[PeakMemory]:
    """Watch the peak while the body runs; Linux tells it."""
    found = PeakMemory()
    # The highest mark is set back to what is used now.
    with suppress(OSError):
        _RESET.write_text("5")
    before = _kilobytes("VmRSS")
    yield found
    after = _kilobytes("VmHWM")
    if before is not None and after is not None:
        found.megabytes = max(0.0, (after - before) / 1024)


def _kilobytes(name: str) -> int | None:
    with suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    return None
