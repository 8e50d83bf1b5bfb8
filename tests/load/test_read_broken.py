"""Files that must be refused, each with what is wrong and where."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pyogrio
import pytest
import shapely

from groundframe.errors import LoadError
from groundframe.postgis.load.reading import read_sources
from groundframe.postgis.load.totals import read_totals
from groundframe.schema.model import Pack

Read = Callable[[Path], object]
Write = Callable[..., Path]

POLICE = "cambridge_police_2010_2016.csv"
SQUARE = [[-71.12, 42.36], [-71.11, 42.36], [-71.11, 42.37], [-71.12, 42.37], [-71.12, 42.36]]


def refused(read: Read, path: Path, *parts: str) -> None:
    with pytest.raises(LoadError, match=".*".join(re.escape(part) for part in parts)):
        read(path)


def test_missing_column(read: Read, police: Write, tmp_path: Path) -> None:
    path = police({})
    path.write_text(path.read_text().replace("Steet Name", "Street Name"))
    refused(
        read, tmp_path, f"{POLICE}: has no column 'Steet Name'", "cambridge_police", "Is it 'Street Name'?"
    )


def test_missing_column_in_a_file_of_another_name(read: Read, police: Write) -> None:
    path = police({}, name="export.csv")
    assert read(path)
    path.write_text(path.read_text().replace("Latitude", "Breite"))
    refused(read, path, "export.csv: has no column 'Latitude'")


def test_column_given_twice(read: Read, police: Write) -> None:
    path = police({})
    path.write_text(path.read_text().replace("Street Number", "Latitude"))
    refused(read, path, "has the column 'Latitude' 2 times")


def test_dates_that_are_mostly_none(read: Read, police: Write, tmp_path: Path) -> None:
    path = police({"Date Time": "2010.04.10"}, {"Date Time": "2010.04.11"}, {})
    refused(read, path, "2 of 3 values of date cannot be read (such as '2010.04.1")
    police({"Date Time": "2010.04.10"}, {}, {})
    assert read(tmp_path)


def test_ids_that_several_rows_bear(pack: Pack, police: Write, tmp_path: Path) -> None:
    police({"Crash Number": "7"}, {"Crash Number": "7", "Object 2": "Bicycle"}, {})
    found = read_sources(pack, tmp_path)
    assert len(list(found.rows("Crash"))) == 3
    (note,) = found.reports[0].notes
    assert note.startswith("1 value of Crash Number stands in several rows, 2 in all (7)")


def test_exchanged_coordinates(read: Read, police: Write) -> None:
    path = police(*({"Latitude": "-71.1097", "Longitude": "42.3736"} for _ in range(3)), {})
    refused(
        read, path, "3 of 4 coordinates in 'Longitude', 'Latitude'", "row 1 (42.3736, -71.1097)", "exchanged"
    )


def test_absurd_coordinates(read: Read, police: Write) -> None:
    path = police({"Latitude": "51.5", "Longitude": "-0.1"}, {"Latitude": "9e99", "Longitude": "9e99"}, {})
    refused(read, path, "2 of 3 coordinates", "outside the bounds", "row 1 (-0.1, 51.5)", "reference system")


def test_truncated_csv(read: Read, police: Write) -> None:
    path = police({}, {}, {})
    path.write_bytes(path.read_bytes()[:-40])
    refused(read, path, "row 3 has", "cells where the header has 12", "truncated")


def test_unclosed_quote(read: Read, police: Write) -> None:
    path = police({"Location": "x"}, {}, {})
    path.write_text(path.read_text().replace('"x"', '"x'))
    refused(read, path, "cells where the header has 12")


@pytest.mark.parametrize("name", [POLICE, "TRANS_Centerlines.geojson", "TOWNS_POLYM.shp"])
def test_empty_file(read: Read, tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    refused(read, tmp_path, f"{name}: the file is empty")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (POLICE, "is binary"),
        ("TRANS_Centerlines.geojson", "is not GeoJSON"),
        ("TOWNS_POLYM.shp", "is not a shapefile"),
        ("boston_crosswalk_centers.parquet", "is not a whole Parquet file"),
    ],
)
def test_binary_file(read: Read, tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / name).write_bytes(bytes(range(256)) * 8)
    refused(read, tmp_path, f"{name}: {message}")


@pytest.mark.parametrize(("mark", "called"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_other_separators(read: Read, police: Write, mark: str, called: str) -> None:
    path = police({}, {})
    path.write_text(path.read_text().replace(",", mark))
    refused(
        read, path, f"{POLICE}: its columns are separated by {called}, not by commas. Save it with commas"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf_16(read: Read, police: Write, encoding: str) -> None:
    path = police({}, {})
    path.write_bytes(("\ufeff" * (encoding == "utf-16-be") + path.read_text()).encode(encoding))
    refused(read, path, f"{POLICE}: is text in UTF-16. Save it as UTF-8.")


def test_header_without_rows(read: Read, police: Write) -> None:
    refused(read, police(), "has column names but no rows")


def test_other_encoding(read: Read, police: Write) -> None:
    path = police({}, {"Steet Name": "Café"})
    path.write_bytes(path.read_text("utf-8").encode("latin-1"))
    line = "Café".encode("latin-1")
    byte = path.read_bytes().splitlines()[2].index(line) + 4
    refused(
        read,
        path,
        f"in line 3, at its byte {byte}, there are bytes that are not UTF-8. Save it as 'CSV UTF-8",
    )


@pytest.mark.parametrize("name", [POLICE, "export.csv"])
@pytest.mark.parametrize("start", [b"PK\x03\x04\x14\x00", b"\xd0\xcf\x11\xe0\xa1\xb1"])
def test_workbook_by_another_name(read: Read, tmp_path: Path, name: str, start: bytes) -> None:
    (tmp_path / name).write_bytes(start + bytes(range(256)))
    refused(read, tmp_path / name, f"{name}: is a workbook, whatever its name says", "CSV UTF-8")


def test_no_features(read: Read, tmp_path: Path) -> None:
    (tmp_path / "TRANS_Centerlines.geojson").write_text('{"type": "FeatureCollection", "features": []}')
    refused(read, tmp_path, "TRANS_Centerlines.geojson: has no features")


def _town(path: Path, crs: str | None, ring: list[list[float]]) -> None:
    pyogrio.raw.write(
        path,
        shapely.to_wkb(np.array([shapely.Polygon(ring)])),
        [
            np.array([1], "int32"),
            np.array(["QUINCY"], object),
            np.array([25021], "int32"),
            np.array([9], "int64"),
        ],
        ["TOWN_ID", "TOWN", "FIPS_STCO", "POP2010"],
        geometry_type="Polygon",
        crs=crs,
        driver="ESRI Shapefile",
    )


def test_shapefile_in_its_own_reference_system(
    read: Callable[..., tuple[list[object], object]], tmp_path: Path
) -> None:
    _town(tmp_path / "TOWNS_POLYM.shp", "EPSG:4326", SQUARE)
    rows, _ = read(tmp_path)
    assert len(rows) == 1


def test_wrong_reference_system(read: Read, tmp_path: Path) -> None:
    metres = [[230000.0, 900000.0], [231000.0, 900000.0], [231000.0, 901000.0], [230000.0, 900000.0]]
    _town(tmp_path / "TOWNS_POLYM.shp", "EPSG:32619", metres)
    refused(read, tmp_path, "TOWNS_POLYM.shp: 1 of 1 coordinates in its geometry", "reference system")


def test_missing_reference_system(read: Read, tmp_path: Path) -> None:
    _town(tmp_path / "TOWNS_POLYM.shp", "EPSG:26986", SQUARE)
    (tmp_path / "TOWNS_POLYM.prj").unlink()
    refused(read, tmp_path, "TOWNS_POLYM.shp: does not say which reference system", ".prj")


def test_contradicted_reference_system(read: Read, geojson: Write) -> None:
    line = {"type": "LineString", "coordinates": [[230000, 900000], [230100, 900000]]}
    path = geojson("TRANS_Centerlines.geojson", (line, {"ID": "1", "Street": "Main St"}))
    crs = '{"crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::26986"}}, '
    path.write_text(crs + path.read_text()[1:])
    refused(read, path, "is in EPSG:26986, while its source is in EPSG:4326")


@pytest.mark.parametrize("part", [".shp", ".dbf"])
def test_truncated_shapefile(read: Read, tmp_path: Path, part: str) -> None:
    _town(tmp_path / "TOWNS_POLYM.shp", "EPSG:4326", SQUARE)
    path = tmp_path / f"TOWNS_POLYM{part}"
    path.write_bytes(path.read_bytes()[:-8])
    refused(read, tmp_path, f"TOWNS_POLYM{part}: is truncated")


@pytest.mark.parametrize("part", [".dbf", ".shx"])
def test_incomplete_shapefile(read: Read, tmp_path: Path, part: str) -> None:
    _town(tmp_path / "TOWNS_POLYM.shp", "EPSG:4326", SQUARE)
    (tmp_path / f"TOWNS_POLYM{part}").unlink()
    refused(read, tmp_path, f"its {part} file is missing")


def test_truncated_geojson(read: Read, geojson: Write) -> None:
    point = {"type": "LineString", "coordinates": SQUARE}
    path = geojson(
        "TRANS_Centerlines.geojson", *((point, {"ID": str(n), "Street": "A St"}) for n in range(9))
    )
    path.write_bytes(path.read_bytes()[:-60])
    refused(read, path, "TRANS_Centerlines.geojson: cannot be read")


def test_truncated_parquet(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "boston_crosswalk_centers.parquet"
    table = pyarrow.table({"crosswalk_id": [1, 2], "geometry": ["POINT (-71.1 42.3)", "POINT (-71.2 42.3)"]})
    pyarrow.parquet.write_table(table, path)
    assert read(path)
    path.write_bytes(path.read_bytes()[:-20])
    refused(read, path, "is not a whole Parquet file")


def test_wrong_kind_of_geometry(read: Read, geojson: Write) -> None:
    point = {"type": "Point", "coordinates": [-71.1, 42.37]}
    path = geojson("TRANS_Centerlines.geojson", (point, {"ID": "1", "Street": "Main St"}))
    refused(read, path, "1 of 1 rows cannot be loaded", "a Point where a line belongs", "row 1")


VRT = "<OGRVRTDataSource><OGRVRTLayer><SrcDataSource>/x</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"


@pytest.mark.parametrize("name", ["TRANS_Centerlines.geojson", "TOWNS_POLYM.shp", POLICE])
def test_virtual_dataset_under_another_name(read: Read, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(VRT)
    refused(read, tmp_path, name)


def test_virtual_dataset_is_not_opened(
    read: Callable[..., tuple[object, list[object]]], police: Write, tmp_path: Path
) -> None:
    police({})
    (tmp_path / "towns.vrt").write_text(VRT)
    _, reports = read(tmp_path)
    assert [report.notes for report in reports if report.file == "towns.vrt"] == [  # type: ignore[attr-defined]
        ["not read: no source of the pack recognises its name or its columns"]
    ]
    refused(read, tmp_path / "towns.vrt", "'towns.vrt' is no file of a source", "massgis_towns")


@pytest.mark.parametrize(
    "text", ["https://example.org/stops.txt", "/vsicurl/https://example.org/x.csv", "/vsizip/a.zip"]
)
def test_addresses(pack: Pack, text: str) -> None:
    with pytest.raises(LoadError, match="is not a local file or folder"):
        read_sources(pack, Path(text))


def test_missing_folder(read: Read, tmp_path: Path) -> None:
    refused(read, tmp_path / "nowhere", "There is no file or folder")


def test_folder_without_sources(read: Read, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing, here\n")
    refused(read, tmp_path, "has no file of a source of the pack 'massachusetts'", "cambridge_police")


def test_links_out_of_the_folder(read: Read, police: Write, tmp_path: Path) -> None:
    outside = police({})
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / POLICE).symlink_to(outside)
    refused(read, folder, f"'{POLICE}' is a link that leads out of the folder")
    (folder / POLICE).unlink()
    (folder / "more").symlink_to(tmp_path, target_is_directory=True)
    refused(read, folder, "'more' is a link that leads out of the folder")


def test_linked_part_of_a_shapefile(read: Read, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    _town(folder / "TOWNS_POLYM.shp", "EPSG:4326", SQUARE)
    shutil.move(folder / "TOWNS_POLYM.dbf", tmp_path / "secret.dbf")
    (folder / "TOWNS_POLYM.dbf").symlink_to(tmp_path / "secret.dbf")
    refused(read, folder, "TOWNS_POLYM.dbf' is a link that leads out")
    refused(read, folder / "TOWNS_POLYM.shp", "TOWNS_POLYM.dbf' is a link that leads out")


def test_links_inside_are_not_read_twice(
    read: Callable[..., tuple[list[object], list[object]]], police: Write, tmp_path: Path
) -> None:
    (tmp_path / "cambridge_police_copy.csv").symlink_to(police({}))
    rows, reports = read(tmp_path)
    assert (len(rows), len(reports)) == (1, 2)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(read: Read, police: Write) -> None:
    path = police({})
    path.chmod(0)
    refused(read, path, "cannot be read")


def test_broken_totals(pack: Pack, tmp_path: Path) -> None:
    (tmp_path / "massdot_totals_by_town_and_year_x.xls").write_text("no workbook")
    with pytest.raises(LoadError, match=r"_x\.xls: is not a whole workbook"):
        read_totals(pack, tmp_path)
