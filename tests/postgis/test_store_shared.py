"""The real Massachusetts files, stored; the figures were counted in the files or published with them."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import open_dataset
from groundframe.postgis.load.check import check_totals
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.reading import read_sources
from groundframe.postgis.load.totals import read_totals
from groundframe.schema.packs import load_pack


@pytest.mark.shared_data
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_massachusetts(database: Database, shared_data: Path) -> None:
    """Sources, towns and totals come out as the agencies counted them; adding again changes nothing."""
    pack, folder = load_pack("massachusetts"), shared_data / "massachusetts"
    report = load_dataset(database, pack, "real", read_sources(pack, folder))
    rows = {source.source: (source.rows, source.located) for source in report.sources}
    assert rows["massgis_towns"] == (351, 351)
    assert rows["massgis_schools"] == (2448, 2448)
    assert rows["mbta_bus_stops"] == (7102, 7102)
    assert rows["cambridge_police"] == (10335, 9110)
    assert rows["massdot_portal"] == (11929, 11929 - 363)
    assert rows["massdot_statewide"] == (10000, 10000 - 390)

    dataset = open_dataset(database, "real")
    crash, town = dataset.tables.entities["Crash"], dataset.tables.entities["Town"]
    by_town = (
        sa.select(sa.func.coalesce(town.c.name, ""), sa.func.count())
        .outerjoin_from(crash, town, town.c.key == crash.c.town_key)
        .where(crash.c.source == "massdot_portal")
        .group_by(town.c.name)
    )
    with database.connect() as connection:
        towns = {row[0]: row[1] for row in connection.execute(by_town)}
    assert sum(towns.values()) == 11929
    assert (towns["Milton"], towns["Somerville"], towns[""]) == (111, 84, 80)

    checks = {(check.area, check.year): check for check in check_totals(dataset, read_totals(pack, folder))}
    for year in (2012, 2013, 2014):
        check = checks["Boston", year]
        assert check.stated == check.official
        assert check.complete == ("massdot_portal",)
    assert all(check.known_area for check in checks.values())

    resaved = folder / "crashes" / "cambridge_police_2010_2016_resaved.csv"
    again = load_dataset(database, pack, "real", read_sources(pack, resaved), add=True)
    assert not again.changed
    assert again.data_version == report.data_version == dataset.data_version
    assert {(r.entity, r.already_loaded) for r in again.rows if r.already_loaded} == {("Crash", 10335)}
