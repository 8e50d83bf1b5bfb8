"""A small folder of source files of the Massachusetts pack, written by the tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from groundframe.postgis.load.reading import SourceRows, read_sources
from groundframe.postgis.load.report import FileReport
from groundframe.postgis.load.rows import Row
from groundframe.schema.model import Pack
from groundframe.schema.packs import load_pack

POLICE = (
    "Crash Number",
    "Date Time",
    "Day Of Week",
    "Object 1",
    "Object 2",
    "Street Number",
    "Steet Name",
    "Cross Street",
    "Location",
    "Latitude",
    "Longitude",
    "Coordinates",
)
STATEWIDE = (
    "CRASH_NUMB",
    "CITY_TOWN_NAME",
    "CRASH_DATE",
    "CRASH_TIME",
    "MANR_COLL_DESCR",
    "AMBNT_LIGHT_DESCR",
    "WEATH_COND_DESCR",
    "ROAD_SURF_COND_DESCR",
    "X",
    "Y",
    "LAT",
    "LON",
    "CRASH_SEVERITY_DESCR",
)


@pytest.fixture(scope="session")
def pack() -> Pack:
    return load_pack("massachusetts")


@pytest.fixture
def read(pack: Pack) -> Callable[[Path], tuple[list[Row], list[FileReport]]]:
    """Read a folder or file to its end: every row, and the reports."""

    def read_all(folder: Path) -> tuple[list[Row], list[FileReport]]:
        found: SourceRows = read_sources(pack, folder)
        rows = [row for entity in found.entities() for row in found.rows(entity)]
        return rows, found.reports

    return read_all


@pytest.fixture
def police(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of police crashes: each row says what differs from an ordinary one."""

    def write(
        *rows: Mapping[str, str], name: str = "cambridge_police_2010_2016.csv", header: Sequence[str] = POLICE
    ) -> Path:
        ordinary = {
            "Date Time": "04/10/2010 09:39:00 AM",
            "Object 1": "Auto",
            "Object 2": "Auto",
            "Steet Name": "OXFORD AVE",
            "Latitude": "42.3736",
            "Longitude": "-71.1097",
        }
        lines = [",".join(header)]
        for number, row in enumerate(rows, start=1):
            cells = {"Crash Number": str(number), **ordinary, **row}
            lines.append(",".join(f'"{cells.get(column, "")}"' for column in header))
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


@pytest.fixture
def statewide(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of statewide crashes: each row says what differs from an ordinary one."""

    def write(*rows: Mapping[str, str]) -> Path:
        ordinary = {
            "CITY_TOWN_NAME": "STOUGHTON",
            "CRASH_DATE": "12/13/2017",
            "CRASH_TIME": "3:26 PM",
            "CRASH_SEVERITY_DESCR": "Property damage only ",
            # The pair of the first row of the agency's own file.
            "X": "235497.1166",
            "Y": "873269.0176",
            "LAT": "42.10903326",
            "LON": "-71.07080502",
        }
        lines = [",".join(STATEWIDE)]
        for number, row in enumerate(rows, start=1):
            cells = {"CRASH_NUMB": str(number), **ordinary, **row}
            lines.append(",".join(cells.get(column, "") for column in STATEWIDE))
        path = tmp_path / "massdot_statewide_2017_sample.csv"
        path.write_text("\r\n".join(lines) + "\r\n", encoding="utf-8")
        return path

    return write


@pytest.fixture
def geojson(tmp_path: Path) -> Callable[..., Path]:
    """Write features as GeoJSON: (geometry, properties) each."""

    def write(name: str, *features: tuple[Mapping[str, Any] | None, Mapping[str, Any]]) -> Path:
        body = {
            "type": "FeatureCollection",
            "features": [
                {"type": "Feature", "properties": properties, "geometry": geometry}
                for geometry, properties in features
            ],
        }
        path = tmp_path / name
        path.write_text(json.dumps(body), encoding="utf-8")
        return path

    return write
