"""Names of files that every file system takes, told apart even where case does not count."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

__all__ = ["file_stems", "numbered_stem"]

_LONGEST = 60
_HASH = 12
_ODD = re.compile(r"[^a-z0-9_]+")
_PLAIN = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9_-]{{0,{_LONGEST - 1}}}")
_HASHED = re.compile(rf"-[0-9a-f]{{{_HASH}}}$")
# What Windows keeps for devices, and the files of a batch itself.
_RESERVED = {
    *("con", "prn", "aux", "nul", "batch", "choices", "manifest", "timings"),
    *(f"{device}{number}" for device in ("com", "lpt") for number in range(10)),
}


def numbered_stem(line: int, text: str) -> str:
    """The name of the answer to the frame of a line, without its suffix; `text` tells a reader which it is.

    Examples
    --------
    >>> (
    ...     numbered_stem(7, "Schools in Quincy, by crashes?"),
    ...     numbered_stem(12345, "../Ä"),
    ...     numbered_stem(1, "?"),
    ... )
    ('00007-schools-in-quincy-by-crashes', '12345-a', '00001')
    """
    return f"{line:05d}-{_slug(text)}".rstrip("-")


def file_stems(names: Sequence[str]) -> list[str]:
    """The names of the answers to the frames of files of these names (all without suffix).

    A name that cannot stay as it is gets a digest of itself, so that no two become one.

    Examples
    --------
    >>> file_stems(["Boston_schools", "Straße 7", "a", "A"])
    ['Boston_schools', 'strae-7-7ac64854f722', 'a-ca978112ca1b', 'a-559aead08264']
    """
    alike = Counter(name.casefold() for name in names)
    return [name if alike[name.casefold()] == 1 and _may_stay(name) else _hashed(name) for name in names]


def _may_stay(name: str) -> bool:
    plain = _PLAIN.fullmatch(name) is not None and not _HASHED.search(name)
    return plain and name.casefold() not in _RESERVED


def _hashed(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{_slug(name) or 'frame'}-{digest[:_HASH]}"


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _ODD.sub("-", plain).strip("-_")[:_LONGEST].rstrip("-_")
