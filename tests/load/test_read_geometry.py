"""Geometry and keys of the rows that files become."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pyproj
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry.base import BaseGeometry

from groundframe.postgis.load.canonical import Canonicaliser, Draft, Rejection
from groundframe.postgis.load.plane import DEGREES, plane_of
from groundframe.postgis.load.reading import read_sources
from groundframe.postgis.load.report import FileReport
from groundframe.postgis.load.rows import Row, row_digest
from groundframe.postgis.load.settle import Settled, settle
from groundframe.schema.model import Pack
from groundframe.schema.packs import load_pack

Read = Callable[[Path], tuple[list[Row], list[FileReport]]]
Write = Callable[..., Path]
WEST, SOUTH, EAST, NORTH = load_pack("massachusetts").bounds


@given(st.floats(WEST, EAST), st.floats(SOUTH, NORTH))
def test_projection_is_that_of_the_epsg_registry(longitude: float, latitude: float) -> None:
    plane = plane_of(load_pack("massachusetts"))
    degrees = np.round([[longitude, latitude]], 7)
    reference = pyproj.Transformer.from_crs("EPSG:4269", "EPSG:26986", always_xy=True)
    assert plane.project(degrees, DEGREES)[0] == pytest.approx(reference.transform(*degrees[0]), abs=1e-6)


def test_projection_against_the_agency(pack: Pack) -> None:
    # The two pairs of one crash in a file of the agency.
    place = plane_of(pack).project(np.array([[-71.07080502, 42.10903326]]), DEGREES)
    assert place[0] == pytest.approx([235497.1166, 873269.0176], abs=0.2)


def test_web_mercator(pack: Pack) -> None:
    place = plane_of(pack)
    mercator = pyproj.Transformer.from_crs("EPSG:4326", "EPSG:3857", always_xy=True).transform(-71.1, 42.3)
    expected = place.project(np.array([[-71.1, 42.3]]), DEGREES)
    assert place.project(np.array([mercator]), "EPSG:3857") == pytest.approx(expected, abs=0.01)


def one(geometry: BaseGeometry | None, *kinds: str) -> Settled:
    geometries = np.array([None], dtype=object)
    geometries[0] = geometry
    return settle(geometries, kinds, plane_of(load_pack("massachusetts")))[0]


def at(wkt: str) -> BaseGeometry:
    """WKT with coordinates near the middle of the plane."""
    return shapely.transform(shapely.from_wkt(wkt), lambda xy: xy + np.array([230000, 900000]))


@pytest.mark.parametrize(
    ("wkt", "kinds", "problem"),
    [
        ("POINT EMPTY", ("point",), "empty geometry"),
        ("LINESTRING (0 0, 0 0)", ("line",), "zero-length line"),
        ("LINESTRING (0 0, 0.0001 0)", ("line",), "zero-length line"),
        ("MULTILINESTRING ((0 0, 0 0), (5 5, 5 5))", ("line",), "zero-length line"),
        ("POLYGON ((0 0, 5 0, 0 0))", ("polygon",), "polygon without area"),
        ("POLYGON ((0 0, 0.0001 0, 0 0.0001, 0 0))", ("polygon",), "polygon without area"),
        ("POINT (0 0)", ("line", "polygon"), "a Point where a line or polygon belongs"),
        ("LINESTRING (0 0, 5 0, 900000 0)", ("line",), "coordinates outside the bounds of the pack"),
        ("POINT (-9e5 0)", ("point",), "coordinates outside the bounds of the pack"),
    ],
)
def test_geometry_that_is_refused(wkt: str, kinds: tuple[str, ...], problem: str) -> None:
    assert one(at(wkt), *kinds) == Settled(None, problem)


def test_coordinates_that_are_not_numbers(read: Read, tmp_path: Path) -> None:
    with np.errstate(invalid="ignore"):
        line = shapely.LineString([(0, 0), (float("nan"), 1)])
    assert one(line, "line").problem == "coordinates that are not numbers"
    texts = ["POINT (-71.1 42.3)", "POINT (-71.1 42.4)", "POINT (NaN 42)", "here"]
    table = pyarrow.table({"crosswalk_id": [1, 2, 3, 4], "geometry": texts})
    pyarrow.parquet.write_table(table, tmp_path / "boston_crosswalk_centers.parquet")
    rows, (report,) = read(tmp_path)
    assert [row.geometry is None for row in rows] == [False, False, True, True]
    assert {reason: finding.examples[0]["row"] for reason, finding in report.coordinates_refused.items()} == {
        "coordinates that are not numbers": 3,
        "text that is not WKT": 4,
    }


@pytest.mark.parametrize(
    ("wkt", "kinds", "expected", "repair"),
    [
        ("POINT (0.0004 0.0006)", ("point",), "POINT (0 0.0009765625)", ""),
        ("POINT Z (1 2 3)", ("point",), "POINT (1 2)", ""),
        ("MULTIPOINT (1 1, 0 0, 1 1.0001)", ("point",), "MULTIPOINT (0 0, 1 1)", ""),
        ("LINESTRING (5 0, 5 0.0001, 0 0)", ("line",), "LINESTRING (5 0, 0 0)", ""),
        ("MULTILINESTRING ((5 0, 0 0))", ("line",), "LINESTRING (5 0, 0 0)", ""),
        (
            "MULTILINESTRING ((5 0, 0 0), (7 7, 7 7))",
            ("line",),
            "LINESTRING (5 0, 0 0)",
            "zero-length parts left out",
        ),
        (
            "GEOMETRYCOLLECTION (POINT (1 1), LINESTRING (0 0, 5 0))",
            ("point", "line"),
            "LINESTRING (0 0, 5 0)",
            "parts of another kind or empty parts left out",
        ),
        (
            "POLYGON ((0 0, 4 4, 4 0, 0 4, 0 0))",
            ("polygon",),
            "MULTIPOLYGON (((0 0, 0 4, 2 2, 0 0)), ((4 0, 2 2, 4 4, 4 0)))",
            "made valid (self-intersection)",
        ),
    ],
)
def test_geometry_that_is_settled(wkt: str, kinds: tuple[str, ...], expected: str, repair: str) -> None:
    settled = one(at(wkt), *kinds)
    assert settled.geometry is not None
    assert (settled.problem, settled.repair) == ("", repair)
    assert settled.geometry.is_valid
    assert shapely.get_precision(settled.geometry) == 0
    if "polygon" in kinds:
        assert settled.geometry.equals(at(expected))
    else:
        assert settled.geometry == at(expected)


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), min_size=3, max_size=9))
def test_polygons_come_out_valid_and_on_the_grid(ring: list[tuple[float, float]]) -> None:
    settled = one(at(shapely.Polygon(ring).wkt), "polygon")
    if settled.geometry is None:
        assert shapely.make_valid(shapely.Polygon(ring), method="structure").area < 1
    else:
        assert settled.geometry.is_valid
        assert (shapely.get_coordinates(settled.geometry) * 1024 % 1 == 0).all()


def test_order_of_rings_does_not_matter() -> None:
    ring = [(0, 0), (0, 5), (5, 5), (5, 0)]
    turned = [at(shapely.Polygon(ring[start:] + ring[:start]).wkt) for start in range(4)]
    found = {shapely.to_wkb(one(polygon, "polygon").geometry) for polygon in turned}
    assert len(found) == 1


def test_one_absurd_coordinate_costs_only_itself(read: Read, police: Write) -> None:
    rows, (report,) = read(
        police({}, {}, {"Latitude": "0", "Longitude": "0"}, {"Latitude": "x"}, {"Latitude": ""})
    )
    assert [row.geometry is None for row in rows] == [False, False, True, True, True]
    assert report.without_coordinates == 3
    assert {reason: finding.examples for reason, finding in report.coordinates_refused.items()} == {
        "coordinates outside the bounds of the pack": [{"row": 3, "name": "3"}],
        "coordinates that are not numbers": [{"row": 4, "name": "4"}],
        "one coordinate without the other": [{"row": 5, "name": "5"}],
    }


def test_pairs_of_coordinates(read: Read, statewide: Write) -> None:
    ordinary = (235497.1166, 873269.0176)
    rows, (report,) = read(
        statewide(
            {},
            # About 111 m to the north in the second pair.
            {"LAT": "42.11003326"},
            # About 44 m.
            {"LAT": "42.10943326"},
            {"X": "", "Y": ""},
            {"X": "0", "Y": "0"},
            {"X": "", "Y": "", "LAT": "", "LON": ""},
        )
    )
    for row in rows[:5]:
        assert row.geometry is not None
        assert shapely.get_coordinates(row.geometry)[0] == pytest.approx(ordinary, abs=0.2)
    assert rows[5].geometry is None
    assert report.disagreement is not None
    found = report.disagreement.as_dict()
    assert found["count"] == 2
    assert found["examples"][0]["row"] == 2
    assert found["examples"][0]["metres"] == pytest.approx(111, abs=0.5)
    assert found["examples"][1]["row"] == 5


def test_a_pair_that_cannot_be_used_is_said(read: Read, statewide: Write) -> None:
    rows, (report,) = read(statewide({}, {"X": "nan"}, {"X": "east"}, {"Y": ""}))
    assert all(row.geometry is not None for row in rows)
    said = [
        "not numbers in 2 rows (first in row 2), which lie",
        "the other in 1 row (first in row 4), which lies",
    ]
    notes = [note for note in report.notes if "pair of coordinates" in note]
    assert [part in note for part, note in zip(said, notes, strict=True)] == [True, True]


def digests(rows: list[Row]) -> set[tuple[str, str]]:
    return {(row.key, row_digest(row)) for row in rows}


def test_keys_do_not_depend_on_the_order_of_rows(read: Read, geojson: Write) -> None:
    def line(step: int) -> dict[str, Any]:
        return {"type": "LineString", "coordinates": [[-71.1, 42.37], [-71.1 + step / 1000, 42.37]]}

    features = [
        (line(step), {"ID": name, "Street": "A St"})
        for step, name in enumerate(["a", "b", "b", None, None], 1)
    ]
    name = "TRANS_Centerlines.geojson"
    rows, _ = read(geojson(name, *features))
    prefixes = sorted(row.key.partition("#")[0] for row in rows)
    source = "cambridge_roads"
    assert prefixes == [f"{source}:", f"{source}:", f"{source}:a", f"{source}:b", f"{source}:b"]
    assert len({row.key for row in rows}) == 5
    for seed in range(3):
        random.Random(seed).shuffle(features)
        assert digests(read(geojson(name, *features))[0]) == digests(rows)


def test_length_is_measured(read: Read, geojson: Write) -> None:
    line = {"type": "LineString", "coordinates": [[-71.1, 42.37], [-71.1, 42.38]]}
    rows, _ = read(geojson("TRANS_Centerlines.geojson", (line, {"ID": "1", "Street": "A St"})))
    # A hundredth of a degree of latitude by the ellipsoid; the plane's scale there is within 4e-5 of it.
    ellipsoid = pyproj.Geod(ellps="GRS80").line_length([-71.1, -71.1], [42.37, 42.38])
    assert rows[0].values["length"] == pytest.approx(ellipsoid, rel=1e-4)
    assert rows[0].values["length"] == round(float(str(rows[0].values["length"])), 3)


def test_several_rows_of_one_feature(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "boston_crosswalk_centers.parquet"
    points: dict[int, list[str | None]] = {
        7: ["-71.10 42.30", "-71.11 42.30"],
        8: ["-71.12 42.30"],
        9: ["-71.13 42.30", None],
    }
    cells = [(key, place and f"POINT ({place})") for key, places in points.items() for place in places]
    for order in (cells, cells[::-1]):
        columns = {"crosswalk_id": [key for key, _ in order], "geometry": [text for _, text in order]}
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        rows, (report,) = read(path)
        found = {row.key: row.geometry for row in rows}
        assert {key: shapely.get_num_geometries(geometry) for key, geometry in found.items()} == {
            "boston_crosswalks:7": 2,
            "boston_crosswalks:8": 1,
            "boston_crosswalks:9": 1,
        }
        assert (report.rows_read, report.collected, report.loaded) == (5, 2, 3)
        if order is cells:
            first = digests(rows)
    assert digests(rows) == first


def test_row_filter(read: Read, tmp_path: Path) -> None:
    heads = "stop_id,stop_name,stop_lat,stop_lon,location_type,municipality,on_street,vehicle_type"
    places = [
        "1,A,42.3,-71.1,0,Boston,B St,3",
        "2,A,42.3,-71.1,,Boston,,3",
        "3,A,42.3,-71.1,1,Boston,,3",
        "4,A,,,0,,,0",
    ]
    (tmp_path / "stops.txt").write_text("\n".join([heads, *places]))
    rows, (report,) = read(tmp_path)
    assert [row.key for row in rows] == ["mbta_bus_stops:1", "mbta_bus_stops:2"]
    assert (report.rows_read, report.left_out, report.loaded) == (4, 2, 2)


def test_repaired_features_are_named(read: Read, geojson: Write) -> None:
    bow = {
        "type": "Polygon",
        "coordinates": [[[-71.1, 42.3], [-71.0, 42.4], [-71.0, 42.3], [-71.1, 42.4], [-71.1, 42.3]]],
    }
    _, (report,) = read(
        geojson("BOUNDARY_CDDNeighborhoods.geojson", (bow, {"N_HOOD": "1", "NAME": "The Bow"}))
    )
    assert report.repaired == {"made valid (self-intersection)": ["The Bow"]}


def test_a_road_without_geometry_is_rejected(pack: Pack) -> None:
    roads = Canonicaliser(pack, "Road", "cambridge_roads")
    assert roads.row("1", {"name": "A St"}) == Rejection("no geometry", 0, "A St")
    assert roads.report.rejected["no geometry"].count == 1
    assert roads.report.loaded == 0


def test_the_same_row_however_it_is_handed_over(pack: Pack) -> None:
    stops = Canonicaliser(pack, "BusStop", "mbta_bus_stops")
    place = shapely.Point(plane_of(pack).project(np.array([[-71.1, 42.3]]), DEGREES)[0])
    alone = stops.row("5", {"name": "A", "street": None}, (-71.1, 42.3))
    drafts = [Draft("4", {}), Draft("5", {"name": " A "}, place), Draft("6", {}, (-71.2, 42.3))]
    assert list(stops.rows(drafts))[1] == alone


def test_progress_and_reports(pack: Pack, police: Write) -> None:
    said: list[tuple[str, int, int]] = []
    path = police({}, {})
    found = read_sources(pack, path, progress=lambda *news: said.append(news))
    assert found.entities() == ("Crash",)
    for _ in range(2):
        assert len(list(found.rows("Crash"))) == 2
        assert [report.loaded for report in found.reports] == [2]
    assert said == [(path.name, 2, 2)] * 2
    assert list(found.rows("Town")) == []


def test_what_is_no_geometry_costs_the_feature_its_place(read: Read, geojson: Write, tmp_path: Path) -> None:
    line = {"type": "LineString", "coordinates": [[-71.1, 42.37], [-71.11, 42.371]]}
    point = {"type": "LineString", "coordinates": [[-71.1, 42.37]]}
    shapes = [point, *[line] * 30]
    geojson(
        "TRANS_Centerlines.geojson",
        *((shape, {"ID": str(n), "Street": "A St"}) for n, shape in enumerate(shapes, 1)),
    )
    rows, reports = read(tmp_path)
    assert len(rows) == 30  # a road is nowhere else than where it runs
    assert {reason: found.count for reason, found in reports[0].rejected.items()} == {"no geometry": 1}
    assert "1 feature has a geometry that is none (row 1), and is read without it" in reports[0].notes
