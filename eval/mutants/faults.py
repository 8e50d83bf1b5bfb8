"""The faults: what is replaced by what, and where."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getfile
from pathlib import Path

from groundframe.errors import GroundframeError
from groundframe.schema.packs import read_yaml

__all__ = ["PACKAGE", "Fault", "FaultError", "all_faults", "faulty_source"]

PACKAGE = Path(getfile(GroundframeError)).resolve().parent
"""The package's own files."""

_FILE = Path(__file__).with_name("faults.yaml")


class FaultError(GroundframeError):
    """A fault that cannot be planted."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Parameters
    ----------
    title : str
        What goes wrong, in a few words.
    file : str
        Path below the package.
    before, after : str
        What stands there, exactly once, and what is put in its place.
    """

    title: str
    file: str
    before: str
    after: str


def all_faults() -> tuple[Fault, ...]:
    """Every fault, in the order of the file."""
    return tuple(Fault(**one) for one in read_yaml(_FILE))


def faulty_source(fault: Fault) -> str:
    """The text of the file with the fault in it.

    Raises
    ------
    FaultError
        When the text to replace is not there exactly once.
    """
    source = (PACKAGE / fault.file).read_text(encoding="utf-8")
    found = source.count(fault.before)
    if found != 1:
        raise FaultError(
            f"The fault '{fault.title}' cannot be planted: its text is {found} times in {fault.file}.",
            f"Bring {_FILE.name} up to date with the code.",
        )
    return source.replace(fault.before, fault.after)
