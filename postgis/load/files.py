"""The files of a load: found in one folder, never followed out of it."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from groundframe.errors import LoadError

__all__ = ["digest_of", "find_files", "local_root", "shown"]

_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:/")
# Parts of a shapefile; its .shp stands for them all.
_PARTS = (".shx", ".dbf", ".prj", ".cpg", ".sbn", ".sbx", ".qix", ".qpj", ".shp.xml")
_DATA_PARTS = (".shp", ".dbf")


def local_root(path: Path) -> Path:
    """The folder or file to load as a real local path.

    Raises
    ------
    LoadError
        When it is a URL or a virtual path, or does not exist.
    """
    text = str(path)
    if _URL.match(text) or text.startswith("/vsi"):
        raise LoadError(
            f"'{text}' is not a local file or folder.", "Download it first; only local files are read."
        )
    if not path.exists():
        raise LoadError(f"There is no file or folder '{path}'.")
    return path.resolve()


def find_files(root: Path) -> tuple[Path, ...]:
    """Every data file of a folder, sorted; a file stands for itself.

    Raises
    ------
    LoadError
        When something in the folder is a link that leads out of it.
    """
    if root.is_file():
        _refuse_linked_parts(root)
        return (root,)
    return tuple(sorted(path for path in _walk(root) if not _is_part(path)))


def shown(path: Path, root: Path) -> str:
    """How messages and reports name a file: its path within the folder."""
    return path.name if path == root else path.relative_to(root).as_posix()


def digest_of(path: Path) -> str:
    """SHA-256 of a file's bytes; of a shapefile, of its geometry and then its attributes."""
    digest = hashlib.sha256()
    parts = [path.with_suffix(suffix) for suffix in _DATA_PARTS] if path.suffix.lower() == ".shp" else [path]
    for part in parts:
        if part.is_file():
            with part.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()


def _walk(root: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(root, followlinks=False):
        for name in sorted((*names, *files)):
            path = Path(folder, name)
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                raise LoadError(
                    f"'{shown(path, root)}' is a link that leads out of the folder.",
                    "Put the file itself there, or remove the link.",
                )
            if path.is_file():
                yield path


def _is_part(path: Path) -> bool:
    name = path.name.lower()
    stem = next((name[: -len(part)] for part in _PARTS if name.endswith(part)), None)
    return stem is not None and any(
        path.with_name(path.name[: len(stem)] + end).is_file() for end in (".shp", ".SHP")
    )


def _refuse_linked_parts(path: Path) -> None:
    """A part of a shapefile given alone may not be a link either."""
    for part in path.parent.glob(f"{path.stem}.*") if path.suffix.lower() == ".shp" else ():
        if part.is_symlink() and not part.resolve().is_relative_to(path.parent):
            raise LoadError(
                f"'{part.name}' is a link that leads out of the folder.", "Put the file itself there."
            )
