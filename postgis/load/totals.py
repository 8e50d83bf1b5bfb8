"""Official totals by area and year, to compare a load with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import python_calamine

from groundframe.errors import LoadError
from groundframe.postgis.load.detect import totals_for
from groundframe.postgis.load.files import find_files, local_root, shown
from groundframe.postgis.load.mapping import apply_steps, cell_text, compile_steps
from groundframe.schema.model import Pack
from groundframe.schema.source import Totals

__all__ = ["OfficialTotals", "read_totals"]

_YEARS = range(1900, 2200)


@dataclass(frozen=True, slots=True)
class OfficialTotals:
    """One workbook of official totals.

    Parameters
    ----------
    file : str
        Its path within the folder.
    totals : Totals
        What the pack says of it: which entity was counted, and the link to the areas.
    counts : dict
        ``(name of the area, year)`` to the count; cells without a number are left out.
    """

    file: str
    totals: Totals
    counts: dict[tuple[str, int], int]


def read_totals(pack: Pack, folder: Path) -> tuple[OfficialTotals, ...]:
    """Read the workbooks of official totals in a folder, in the order of their names.

    Parameters
    ----------
    pack : Pack
        Its ``totals`` say what the workbooks are.
    folder : Path
        A local folder, or one workbook.

    Raises
    ------
    LoadError
        When a workbook cannot be read or has no row of column heads.
    """
    root = local_root(folder)
    found = ((path, totals_for(pack, path)) for path in find_files(root) if not path.is_symlink())
    return tuple(_read(pack, totals, path, shown(path, root)) for path, totals in found if totals is not None)


def _read(pack: Pack, totals: Totals, path: Path, name: str) -> OfficialTotals:
    try:
        book = python_calamine.CalamineWorkbook.from_path(path)
        rows = [row for sheet in book.sheet_names for row in book.get_sheet_by_name(sheet).to_python()]
    except python_calamine.CalamineError as error:
        raise LoadError(f"{name}: is not a whole workbook ({str(error).splitlines()[0]}).") from None
    # Above the heads are title rows, as many as the agency liked.
    head = next((place for place, row in enumerate(rows) if totals.area_column in map(cell_text, row)), None)
    if head is None:
        raise LoadError(f"{name}: has no column '{totals.area_column}'.", f"It should hold: {totals.title}.")
    heads = [cell_text(cell) for cell in rows[head]]
    area_place = heads.index(totals.area_column)
    years = {place: int(text) for place, text in enumerate(heads) if text.isdecimal() and int(text) in _YEARS}
    if not years:
        raise LoadError(f"{name}: has no column headed by a year.")
    steps = compile_steps(totals.steps, pack)
    counts: dict[tuple[str, int], int] = {}
    for row in rows[head + 1 :]:
        cell = cell_text(row[area_place])
        if not cell or cell in totals.leave_out:
            continue
        for area in apply_steps([cell], steps):
            counts.update(_counts(area, row, years))
    return OfficialTotals(name, totals, counts)


def _counts(area: str, row: Sequence[Any], years: dict[int, int]) -> dict[tuple[str, int], int]:
    texts = {year: cell_text(row[place]) for place, year in years.items()}
    return {(area, year): int(text) for year, text in texts.items() if text.isdecimal()}
