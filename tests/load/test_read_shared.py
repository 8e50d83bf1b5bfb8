"""The real Massachusetts files, read to their end; the figures are from their README and counted by hand."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any

import pyogrio
import pytest
import shapely

from groundframe.postgis.load.reading import read_sources
from groundframe.postgis.load.report import FileReport
from groundframe.postgis.load.rows import Row, row_digest
from groundframe.postgis.load.totals import read_totals
from groundframe.schema.model import Pack
from groundframe.schema.packs import load_pack

pytestmark = pytest.mark.shared_data


@dataclass(frozen=True)
class State:
    rows: Mapping[str, list[Row]]
    reports: Mapping[str, FileReport]

    def of(self, source: str) -> list[Row]:
        return [row for rows in self.rows.values() for row in rows if row.source == source]


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "massachusetts"


@pytest.fixture(scope="module")
def state(folder: Path) -> State:
    found = read_sources(load_pack("massachusetts"), folder)
    rows = {entity: list(found.rows(entity)) for entity in found.entities()}
    return State(rows, {report.file: report for report in found.reports})


def test_every_row_is_accounted_for(state: State) -> None:
    for report in state.reports.values():
        total = report.left_out + report.rows_rejected() + report.collected + report.loaded
        assert report.rows_read == total, report.file
    assert {report.file for report in state.reports.values() if report.source is None} == {
        "bus_stops/mbta_gtfs/agency.txt",
        "bus_stops/mbta_gtfs/feed_info.txt",
        "bus_stops/mbta_gtfs/routes.txt",
        "crashes/massdot_totals_by_town_and_year_1990_2014.xls",
    }


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("massgis_towns", 351),
        ("massgis_schools", 2448),
        ("mbta_bus_stops", 7102),
        ("cambridge_roads", 2643),
        ("boston_roads_sample", 233),
        ("cambridge_crosswalks", 2539),
        ("boston_crosswalks", 9460),
        ("massdot_portal", 11929),
        ("massdot_statewide", 10000),
        ("massdot_boston_2025", 2947),
        ("cambridge_neighborhoods", 13),
        ("cambridge_boundary", 1),
        ("cambridge_speed_studies", 662),
    ],
)
def test_rows_of_each_source(state: State, source: str, rows: int) -> None:
    assert len(state.of(source)) == rows


def test_keys_are_unique_but_for_equal_rows(state: State) -> None:
    digests: dict[str, set[str]] = {}
    for rows in state.rows.values():
        for row in rows:
            digests.setdefault(row.key, set()).add(row_digest(row))
    assert all(len(found) == 1 for found in digests.values())


def test_the_resaved_copy_is_the_same(folder: Path) -> None:
    def digests(name: str) -> Counter[str]:
        found = read_sources(load_pack("massachusetts"), folder / "crashes" / name)
        return Counter(row_digest(row) for row in found.rows("Crash"))

    original = digests("cambridge_police_2010_2016.csv")
    assert original.total() == 10335
    assert digests("cambridge_police_2010_2016_resaved.csv") == original


def test_police_crashes(state: State, folder: Path) -> None:
    rows = {row.key: row for row in state.of("cambridge_police")}
    assert len(rows) == 10335
    assert sum(row.geometry is not None for row in rows.values()) == 9110
    assert sum(row.values["time_of_day"] == time(0, 0) for row in rows.values()) == 275
    with (folder / "crashes/cambridge_police_2010_2016.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    objects = [{line["Object 1"], line["Object 2"]} for line in lines]
    found = Counter(row.values.get("non_motorist_types") for row in rows.values())
    # From 2015 on the department recorded vehicles only: that is unknown, not none.
    recorded = [line["Date Time"][6:10] < "2015" for line in lines]
    assert found[None] == sum(pair == {""} or not then for pair, then in zip(objects, recorded, strict=True))
    assert sum(count for kinds, count in found.items() if _has(kinds, "Pedestrian")) == sum(
        "Pedestrian" in pair for pair in objects
    )
    assert sum(count for kinds, count in found.items() if _has(kinds, "Cyclist")) == sum(
        "Bicycle" in pair for pair in objects
    )


def _has(kinds: Any, kind: str) -> bool:
    return isinstance(kinds, tuple) and kind in kinds


def test_portal_crashes(state: State) -> None:
    rows = state.of("massdot_portal")
    assert sum(row.geometry is None for row in rows) == 363
    assert sum(_has(row.values["non_motorist_types"], "Pedestrian") for row in rows) == 543
    assert {row.values["stated_town"] for row in rows} == {"Boston"}
    # 125, 131 and 120 rows say 00:00 AM.
    assert sum(row.values["time_of_day"] == time(0, 0) for row in rows) == 376
    first = next(row for row in rows if row.key == "massdot_portal:2858373")
    assert first.values == {
        "severity": "Property damage only (none injured)",
        "date": date(2012, 1, 1),
        "time_of_day": time(0, 0),
        "non_motorist_types": (),
        "most_harmful_events": ("Collision with curb",),
        "manner_of_collision": "Single vehicle crash",
        "light": "Dark - roadway not lighted",
        "weather": ("Not reported",),
        "surface": "Dry",
        "persons_injured": 0,
        "persons_killed": 0,
        "crash_number": "2858373",
        "stated_town": "Boston",
        "stated_street": "Morton Street",
    }


def test_where_portal_crashes_lie(state: State) -> None:
    places = [row.geometry for row in state.of("massdot_portal") if row.geometry is not None]
    towns = state.of("massgis_towns")
    tree = shapely.STRtree([row.geometry for row in towns if row.geometry is not None])
    points, owners = tree.query(places, predicate="covered_by")
    found = Counter(towns[owner].values["name"] for owner in owners)
    assert (found["Milton"], found["Somerville"]) == (111, 84)
    assert len(places) - len(set(points.tolist())) == 80


def test_statewide_crashes(state: State) -> None:
    rows = state.of("massdot_statewide")
    assert sum(row.geometry is None for row in rows) == 390
    severities = Counter(row.values["severity"] for row in rows)
    # The file writes the first with a space behind it, and Not Reported for a part of the unknown.
    assert severities["Property damage only (none injured)"] == 6918
    assert severities["Unknown"] == 634
    disagreement = state.reports["crashes/massdot_statewide_2017_sample.csv"].disagreement
    assert disagreement is not None
    assert disagreement.count == 146
    assert disagreement.max_m == pytest.approx(6493.5)
    towns = {row.values["name"] for row in state.of("massgis_towns")}
    assert {row.values["stated_town"] for row in rows} <= towns


def test_crashes_of_2025(state: State) -> None:
    rows = state.of("massdot_boston_2025")
    limits = Counter(row.values.get("speed_limit") for row in rows)
    # 540 blank, three of -2 and two of -1; 24 mph is odd and stays.
    assert (limits[None], limits[24.0], limits[25.0]) == (545, 16, 1327)
    first = next(row for row in rows if row.key == "massdot_boston_2025:5479553")
    assert (first.values["date"], first.values["time_of_day"]) == (date(2025, 1, 1), time(12, 37))
    assert Counter(row.values["junction_type"] for row in rows)["Traffic circle"] == 81
    # Front to Rear and Rear-end are one manner.
    assert Counter(row.values["manner_of_collision"] for row in rows)["Front to Rear"] == 784 + 120


def test_values_outside_the_vocabulary_are_counted_by_year(state: State) -> None:
    strays = state.reports["crashes/massdot_boston_2012.csv"].as_dict()["unknown_values"]
    assert strays["manner_of_collision"] == {
        "Not collision between two vehicles in traffic": {"count": 1, "years": {"2012": 1}}
    }
    assert strays["most_harmful_events"]["Collision with fence"] == {"count": 13, "years": {"2012": 13}}


def test_towns(state: State, folder: Path) -> None:
    by_key = {row.key: row for row in state.of("massgis_towns")}
    rows = {str(row.values["name"]): row for row in by_key.values()}
    assert len(rows) == 351
    assert rows["Manchester-by-the-Sea"].values["county"] == "Essex"
    assert rows["Boston"].values["population"] == 617594
    assert Counter(row.values["county"] for row in rows.values())["Worcester"] == 60
    assert state.reports["towns/TOWNS_POLYM.shp"].repaired == {
        "made valid (ring self-intersection)": ["Quincy", "Yarmouth", "Tisbury"]
    }
    # The agency's own areas in square metres; snapping to the grid moves no town by more.
    info, _, _, columns = pyogrio.raw.read(folder / "towns/TOWNS_POLYM.shp", read_geometry=False)
    areas = dict(zip(info["fields"], columns, strict=True))
    for key, area in zip(areas["TOWN_ID"], areas["SHAPE_AREA"], strict=True):
        geometry = by_key[f"massgis_towns:{key}"].geometry
        assert geometry is not None
        assert geometry.is_valid
        assert geometry.area == pytest.approx(area, rel=1e-6)


def test_schools(state: State) -> None:
    rows = state.of("massgis_schools")
    sites = [row for row in rows if row.key.startswith("massgis_schools:00460001#")]
    assert len(sites) == 5 == len({row.key for row in sites})
    names = {str(row.values["name"]) for row in rows}
    assert "The May Center School for Brain Injury and Neurobehavioral Disorders – Norwood" in names  # noqa: RUF001
    assert Counter(row.values["type"] for row in rows)["Special Education"] == 103 + 61
    assert sum("grades" not in row.values for row in rows) == 16


def test_boston_roads(state: State) -> None:
    rows = state.of("boston_roads_sample")
    names = {"Boston Pl", "Boston St", "Dorchester Ave", "Dorchester St", "Preble St", "Southampton St"}
    assert {row.values["name"] for row in rows} == names
    assert Counter(row.values["speed_limit"] for row in rows) == {
        30.0: 152,
        25.0: 67,
        15.0: 6,
        10.0: 5,
        20.0: 3,
    }
    # Without an inventory record the widths of zero say nothing; with one they say that there is none.
    sidewalks = Counter(row.values.get("sidewalk") for row in rows)
    assert (sidewalks[None], sidewalks["none"]) == (66, 32)
    assert (sidewalks["left_only"], sidewalks["right_only"]) == (3, 8)


def test_crosswalks_of_several_centres(state: State) -> None:
    boston = state.of("boston_crosswalks")
    kinds = Counter(row.geometry.geom_type for row in boston if row.geometry is not None)
    assert set(kinds) == {"Point", "MultiPoint"}
    report = state.reports["crosswalks/boston_crosswalk_centers.parquet"]
    assert (report.rows_read, report.collected) == (14893, 5433)


def test_official_totals(folder: Path) -> None:
    (official,) = read_totals(load_pack("massachusetts"), folder)
    assert official.file == "crashes/massdot_totals_by_town_and_year_1990_2014.xls"
    assert [official.counts["Boston", year] for year in (2012, 2013, 2014)] == [3955, 3951, 4023]
    assert official.counts["Manchester-by-the-Sea", 1990] == 98
    # The workbook's own grand total of 2014.
    assert sum(count for (_, year), count in official.counts.items() if year == 2014) == 130233


def test_mapped_fields_are_the_provided_ones(pack: Pack) -> None:
    for source in pack.sources:
        if source.read is not None:
            fields = {field.name: field for field in pack.entity(source.entity).fields}
            implied = {
                name for name, field in fields.items() if field.computed or field.values_from == "sources"
            }
            assert set(source.provides) - implied == set(source.read.fields) - implied, source.name
