"""GeoPackage and GeoParquet as their own readers see them: typed columns, geometries, the record."""

from __future__ import annotations

import io
import json
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyogrio
import pytest
import shapely

from groundframe.errors import OutputError
from groundframe.formats import arrow
from groundframe.formats.files import remove_unfinished, written_whole
from groundframe.formats.registry import FORMATS
from groundframe.formats.result import Column, Row

COLUMNS = (
    Column("key", "key", "text", "", "key"),
    Column("name", "name", "text", "", "label"),
    Column("speed_limit", "speed limit", "number", "mph", "field"),
    Column("crash_count", "crashes", "integer", "crashes", "measure"),
    Column("day", "day", "date", "", "field"),
    Column("at", "time of day", "time_of_day", "", "field"),
    Column("weather", "weather", "category_list", "", "field"),
    Column("hit_run", "hit and run", "boolean", "", "field"),
)
POINT = '{"type":"Point","coordinates":[-71.0589,42.3601]}'
POINTS = '{"type":"MultiPoint","coordinates":[[-70.5,42.5],[-72,41.5]]}'
SQUARE = '{"type":"Polygon","coordinates":[[[-71,42],[-70,42],[-70,43],[-71,43],[-71,42]]]}'
FULL = ("s:1", "Ärger = 1", 25, 7, date(2012, 12, 31), time(23, 5), ("Rain", "Fog"), True)
EMPTY = ("s:2", None, float("nan"), None, None, None, None, None)
RECORD: dict[str, Any] = {
    "warnings": ["Synthetic: 'invented' & <so on>"],
    "counts": {"matched": 7, "true_total": 2, "returned": 2},
    "rows": {"one": "road", "many": "roads"},
    "compared": 7,
    "grouped": False,
    "digest": "abc",
}


@dataclass
class Given:
    """A result that is simply there."""

    given: list[Row]
    columns: tuple[Column, ...] = COLUMNS
    id_index: int | None = 0
    about: dict[str, Any] = field(default_factory=lambda: dict(RECORD))

    def rows(self) -> Iterator[Row]:
        return iter(self.given)

    def record(self) -> dict[str, Any]:
        return self.about


def result(*geometries: str | None) -> Given:
    """Rows with these geometries: a full one, an empty one, and so on."""
    values = (FULL, EMPTY)
    return Given([(f"s:{n}", *values[n % 2][1:], shape) for n, shape in enumerate(geometries)])


def parquet(given: Given) -> pq.ParquetFile:
    out = io.BytesIO()
    FORMATS["parquet"].write(given, out)
    return pq.ParquetFile(io.BytesIO(out.getvalue()))


def gpkg(given: Given, folder: Path) -> Path:
    path = folder / "x.gpkg"
    with written_whole(path) as out:
        FORMATS["gpkg"].write(given, out)
    return path


def select(path: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(statement).fetchall()


def test_parquet_has_typed_columns() -> None:
    file = parquet(result(POINT, None))
    assert {field.name: field.type for field in file.schema_arrow} == {
        "key": pa.string(),
        "name": pa.string(),
        "speed_limit": pa.float64(),
        "crash_count": pa.int64(),
        "day": pa.date32(),
        "at": pa.time32("ms"),
        "weather": pa.list_(pa.field("element", pa.string())),
        "hit_run": pa.bool_(),
        "geometry": pa.binary(),
    }
    first, second = file.read().to_pylist()
    assert first["weather"] == ["Rain", "Fog"]
    assert (first["day"], first["at"]) == (date(2012, 12, 31), time(23, 5))
    assert shapely.from_wkb(first["geometry"]) == shapely.Point(-71.0589, 42.3601)
    assert {name: value for name, value in second.items() if value is not None} == {"key": "s:1"}


def test_parquet_says_what_geoparquet_asks_for() -> None:
    file = parquet(result(POINT, SQUARE, None, POINTS))
    geo = json.loads(file.metadata.metadata[b"geo"])
    assert geo == {
        "version": "1.1.0",
        "primary_column": "geometry",
        "columns": {
            "geometry": {
                "encoding": "WKB",
                "geometry_types": ["MultiPoint", "Point", "Polygon"],
                "orientation": "counterclockwise",
                "edges": "planar",
                "bbox": [-72.0, 41.5, -70.0, 43.0],
            }
        },
    }
    assert json.loads(file.metadata.metadata[b"groundframe"]) == RECORD


def test_parquet_without_rows_or_geometry() -> None:
    file = parquet(Given([]))
    assert file.metadata.num_rows == 0
    assert "bbox" not in json.loads(file.metadata.metadata[b"geo"])["columns"]["geometry"]
    groups = parquet(Given([(*FULL, None)], id_index=None))
    assert "geometry" not in groups.schema_arrow.names
    assert b"geo" not in groups.metadata.metadata
    assert json.loads(groups.metadata.metadata[b"groundframe"]) == RECORD


def test_gpkg_has_typed_columns(tmp_path: Path) -> None:
    path = gpkg(result(POINT, None), tmp_path)
    info = pyogrio.read_info(path)
    assert (info["crs"], info["geometry_type"], info["features"]) == ("EPSG:4326", "Point", 2)
    assert dict(zip(info["fields"], info["ogr_types"], strict=True)) == {
        "key": "OFTString",
        "name": "OFTString",
        "speed_limit": "OFTReal",
        "crash_count": "OFTInteger64",
        "day": "OFTDate",
        "at": "OFTString",
        "weather": "OFTString",
        "hit_run": "OFTInteger",
    }
    first, second = select(
        path, "SELECT key, name, speed_limit, crash_count, day, at, weather, hit_run FROM answer"
    )
    assert first == ("s:0", "Ärger = 1", 25.0, 7, "2012-12-31", "23:05", "Rain; Fog", 1)
    assert second == ("s:1", *[None] * 7)
    titles = dict(select(path, "SELECT column_name, name FROM gpkg_data_columns"))
    assert (titles["speed_limit"], titles["crash_count"]) == ("speed limit [mph]", "crashes")
    assert json.loads(info["layer_metadata"]["groundframe"]) == RECORD
    assert select(path, "SELECT data_type, description FROM gpkg_contents") == [("features", "2 of 7 roads")]


@pytest.mark.parametrize(
    ("shapes", "declared", "stored"),
    [
        ((SQUARE, None), "Polygon", ["Polygon"]),
        ((POINT, POINTS, None), "MultiPoint", ["MultiPoint", "MultiPoint"]),
        ((POINT, SQUARE), "Unknown", ["Point", "Polygon"]),
        ((None, None), "Unknown", []),
        ((), "Unknown", []),
    ],
)
def test_gpkg_layer_is_of_the_type_of_its_geometries(
    tmp_path: Path, shapes: tuple[str | None, ...], declared: str, stored: list[str]
) -> None:
    path = gpkg(result(*shapes), tmp_path)
    info = pyogrio.read_info(path, force_feature_count=True)
    assert info["geometry_type"] == declared
    assert info["features"] == len(shapes)
    found = pyogrio.raw.read(path)[2]
    assert [shapely.from_wkb(one).geom_type for one in found if one is not None] == stored


def test_gpkg_of_groups_is_a_table_without_a_map(tmp_path: Path) -> None:
    path = gpkg(Given([(*FULL, None), (*EMPTY, None)], id_index=None), tmp_path)
    info = pyogrio.read_info(path)
    assert (info["geometry_type"], info["features"]) == (None, 2)
    assert json.loads(info["layer_metadata"]["groundframe"]) == RECORD


def test_columns_may_be_called_as_they_like(tmp_path: Path) -> None:
    names = ("key", "KEY", "fid", "Geom", "geometry", 'x" ; --')
    columns = tuple(Column(name, "label", "text", "", "field") for name in names)
    given = Given([(*"abcdef", POINT)], columns)
    path = gpkg(given, tmp_path)
    assert list(pyogrio.read_info(path)["fields"]) == ["key", "KEY_2", "fid", "Geom", "geometry", 'x" ; --']
    assert parquet(given).schema_arrow.names == [*names, "geometry_2"]


def test_numbers_of_the_database_keep_their_worth(tmp_path: Path) -> None:
    columns = (Column("n", "n", "integer", "", "measure"), Column("x", "x", "number", "", "measure"))
    given = Given([(Decimal(12), Decimal("2.5"), None), (2**40, 3, None)], columns, id_index=None)
    assert parquet(given).read().to_pylist() == [{"n": 12, "x": 2.5}, {"n": 2**40, "x": 3.0}]
    assert select(gpkg(given, tmp_path), "SELECT n, x FROM answer") == [(12, 2.5), (2**40, 3.0)]


@pytest.mark.parametrize("name", ["gpkg", "parquet"])
def test_many_batches_are_one_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "ROWS", 2)
    given = result(POINT, None, POINTS, SQUARE, POINT)
    path = tmp_path / f"x.{name}"
    contents = set()
    for _ in range(2):
        with written_whole(path) as out:
            FORMATS[name].write(given, out)
        contents.add(path.read_bytes())
    assert len(contents) == 1
    keys = (
        pq.read_table(path)["key"].to_pylist()
        if name == "parquet"
        else [key for (key,) in select(path, "SELECT key FROM answer ORDER BY fid")]
    )
    assert keys == [f"s:{n}" for n in range(5)]


def test_settings_of_gdal_are_put_back(tmp_path: Path) -> None:
    pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": "2001-01-01T00:00:00Z"})
    try:
        gpkg(result(POINT), tmp_path)
        assert pyogrio.get_gdal_config_option("OGR_CURRENT_DATE") == "2001-01-01T00:00:00Z"
    finally:
        pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": None})
    gpkg(result(POINT), tmp_path)
    assert pyogrio.get_gdal_config_option("OGR_CURRENT_DATE") is None


@contextmanager
def longest_file(size: int) -> Iterator[None]:
    """No file grows beyond this size, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "table"])
def test_no_room_for_all_of_it_leaves_nothing(name: str, tmp_path: Path) -> None:
    about = {**RECORD, "rules": {"in_words": []}, "repairs": [], "filler": "x" * 9_000}
    given = Given([(f"s:{n}", *FULL[1:], POINT) for n in range(300)], about=about)
    path = tmp_path / "x"
    with written_whole(path) as out:
        FORMATS[name].write(given, out)
    whole = path.stat().st_size
    path.unlink()
    # The last page of a GeoPackage holds the index, which is made when it is closed.
    for size in (0, 1, whole // 3, whole // 2, whole - 8192, whole - 1):
        with longest_file(size), pytest.raises(OutputError) as caught, written_whole(path) as out:
            FORMATS[name].write(given, out)
        assert f"'{path}' cannot be written: " in str(caught.value)
        assert not list(tmp_path.iterdir()), size


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".groundframe-x").mkdir()
    (tmp_path / ".groundframe-x" / "rows.arrow").write_bytes(b"x")
    (tmp_path / ".groundframe-y").write_bytes(b"x")
    (tmp_path / "answer.csv").write_bytes(b"x")
    remove_unfinished(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["answer.csv"]
