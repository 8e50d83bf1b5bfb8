"""Official totals beside what is loaded."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import shapely

from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import open_dataset
from groundframe.postgis.load.check import TotalCheck, check_totals
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.rows import Row
from groundframe.postgis.load.totals import OfficialTotals
from groundframe.schema.model import Pack
from groundframe.schema.source import Coverage, Totals

TOTALS = Totals(name="t", title="T", files=("t.xls",), entity="Event", link="zone", area_column="Zone")


def test_check_totals(
    database: Database, toy_pack: Pack, in_memory: Callable[..., Any], row: Callable[..., Row]
) -> None:
    """Counted by link and by what is stated; comparable where a source is complete for area and year."""
    ledger = toy_pack.source("ledger").model_copy(
        update={
            "coverage": Coverage(
                area="Northfield", first=date(2020, 1, 1), last=date(2021, 6, 30), completeness="complete"
            )
        }
    )
    pack = toy_pack.model_copy(update={"sources": (ledger,)})
    rows = [
        row("Zone", "z:1", shapely.box(0, 0, 100, 100), name="Northfield"),
        row("Zone", "z:2", shapely.box(100, 0, 200, 100), name="Millville"),
        row("Event", "ledger:1", shapely.Point(50, 5), day=date(2020, 1, 1), stated_zone="NORTHFIELD"),
        row("Event", "ledger:2", shapely.Point(150, 5), day=date(2020, 12, 31), stated_zone="Northfield"),
        row("Event", "ledger:3", None, day=date(2020, 7, 1), stated_zone="Borough of Northfield"),
        row("Event", "diary:1", shapely.Point(50, 5), day=date(2021, 1, 1)),
        row("Event", "diary:2", shapely.Point(50, 5)),
        row("Event", "diary:3", shapely.Point(500, 5), day=date(2021, 1, 1)),
    ]
    load_dataset(database, pack, "toy", in_memory(rows))
    counts = {
        ("Northfield", 2019): 9,
        ("Northfield", 2020): 3,
        ("Northfield", 2021): 1,
        ("Old Mill", 2020): 0,
        ("Elsewhere", 2020): 4,
    }
    official = OfficialTotals("t.xls", TOTALS, counts)
    checks = check_totals(open_dataset(database, pack=pack), [official])
    assert checks == (
        TotalCheck("t.xls", "Elsewhere", 2020, 4, 0, 0, False, (), ()),
        TotalCheck("t.xls", "Northfield", 2020, 3, 2, 3, True, ("ledger",), ("ledger",)),
        TotalCheck("t.xls", "Northfield", 2021, 1, 1, 0, True, ("diary",), ()),
        TotalCheck("t.xls", "Old Mill", 2020, 0, 1, 0, True, ("ledger",), ()),
    )
    assert [check.difference for check in checks] == [-4, -1, 0, 1]
