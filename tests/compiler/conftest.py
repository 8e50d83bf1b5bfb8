"""A small world in a real PostGIS: every value in it is written by hand, links included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from datetime import time as clock
from typing import Any

import pyproj
import pytest
import shapely
import sqlalchemy as sa
from geoalchemy2.shape import from_shape
from shapely.geometry.base import BaseGeometry

from groundframe.compiler import PASSES, compile_frame
from groundframe.compiler.lowering import Traits
from groundframe.compiler.plan import Plan
from groundframe.frames.model import Frame
from groundframe.postgis.connect import Database
from groundframe.postgis.execute import Tally, execute
from groundframe.postgis.reader import let_read
from groundframe.postgis.rewrites import POSTGIS
from groundframe.postgis.tables import make_tables
from groundframe.schema.model import Pack
from groundframe.schema.packs import load_pack

SCHEMA = "gf_world"
ORIGIN = (200_000.0, 900_000.0)


@dataclass
class Answered:
    """An answer held in memory."""

    plan: Plan
    rows: list[dict[str, Any]]
    tally: Tally

    @property
    def keys(self) -> list[str]:
        return [row["key"] for row in self.rows]

    def column(self, name: str) -> list[Any]:
        return [row[name] for row in self.rows]

    def by_key(self, name: str) -> dict[str, Any]:
        return {row["key"]: row[name] for row in self.rows}


@dataclass
class World:
    """Rows in tables, and a way to ask about them: as the reader, like every answer."""

    owner: Database
    database: Database
    pack: Pack
    schema: str = SCHEMA
    rows: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)

    def verify(self, connection: sa.Connection) -> None:
        """Nothing replaces this dataset."""

    def fill(self, rows: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
        """Replace all rows; ``geometry`` is relative to the world's origin."""
        tables = make_tables(self.pack, self.schema)
        with self.owner.begin() as connection:
            connection.execute(sa.schema.DropSchema(self.schema, cascade=True, if_exists=True))
            connection.execute(sa.schema.CreateSchema(self.schema))
            tables.dataset.metadata.create_all(connection)
            let_read(connection, self.schema)
            self.rows = {}
            for name, table in tables.entities.items():
                self.rows[name] = {}
                for key, given in rows.get(name, {}).items():
                    row = dict(given)
                    shape = row.pop("geometry", None)
                    if shape is not None:
                        shape = shapely.transform(shape, lambda xy: xy + ORIGIN)
                    self.rows[name][key] = {**row, "geometry": shape}
                    values: dict[str, Any] = {
                        "key": key,
                        "source": key.split(":")[0],
                        "row_digest": key,
                        **row,
                    }
                    if shape is not None:
                        values["geom"] = from_shape(shape, srid=self.pack.srid)
                        values["geom_wgs"] = from_shape(shapely.Point(-71, 42), srid=4326)
                    connection.execute(table.insert().values(values))

    def place(self, entity: str, key: str) -> BaseGeometry | None:
        """Where a feature is on the plane."""
        shape: BaseGeometry | None = self.rows[entity][key]["geometry"]
        return shape

    def degrees(self, x: float, y: float) -> tuple[float, float]:
        """WGS 84 degrees of a place of the world."""
        pipeline = pyproj.Transformer.from_pipeline(self.pack.pipeline)
        place = pipeline.transform(
            x + ORIGIN[0], y + ORIGIN[1], direction=pyproj.enums.TransformDirection.INVERSE
        )
        return (float(place[0]), float(place[1]))

    def area(self, polygon: Any) -> dict[str, Any]:
        """A polygon of the world as GeoJSON in degrees."""
        ring = [self.degrees(x, y) for x, y in polygon.exterior.coords]
        return {"type": "Polygon", "coordinates": [ring]}

    def ask(
        self,
        frame: Mapping[str, Any],
        *,
        passes: Any = PASSES,
        traits: Traits = POSTGIS,
        row_limit: int | None = 10_000,
    ) -> Answered:
        """Compile and run a checked frame."""
        plan = compile_frame(Frame.model_validate(frame), self.pack, passes=passes)
        names = [column.name for column in plan.columns]
        with execute(self, plan, row_limit=row_limit, traits=traits) as execution:
            rows = [dict(zip([*names, "geometry"], row, strict=True)) for row in execution]
            return Answered(plan, rows, execution.tally)


@pytest.fixture(scope="session")
def pack() -> Pack:
    return load_pack("massachusetts")


@pytest.fixture(scope="session")
def world_databases(make_database: Callable[..., str]) -> Iterator[tuple[Database, Database]]:
    """One database for all worlds, as its owner and as the reader."""
    url = make_database()
    with Database(url) as owner, Database(url, reading=True) as reader:
        yield owner, reader


@pytest.fixture(scope="session")
def make_world(world_databases: tuple[Database, Database], pack: Pack) -> Callable[..., World]:
    """Make a world to fill, in a database schema of its own."""

    def make(schema: str, like: Pack = pack) -> World:
        return World(*world_databases, like, schema)

    return make


def box(x: float, y: float, width: float, height: float) -> BaseGeometry:
    """A rectangle by its lower left corner."""
    return shapely.box(x, y, x + width, y + height)


def point(x: float, y: float) -> BaseGeometry:
    return shapely.Point(x, y)


FATAL, INJURY, DAMAGE, UNKNOWN = (
    "Fatal injury",
    "Non-fatal injury",
    "Property damage only (none injured)",
    "Unknown",
)
PEDESTRIAN, CYCLIST, CURB = "Collision with pedestrian", "Collision with cyclist", "Collision with curb"


def crash(
    place: tuple[float, float] | None,
    town: str | None,
    severity: str | None,
    day: str | None,
    time: str | None,
    event: str | None = CURB,
    **more: Any,
) -> dict[str, Any]:
    return {
        "geometry": None if place is None else point(*place),
        "town_key": town,
        "town_basis": None if town is None else "covered" if place else "stated",
        "severity": severity,
        "date": None if day is None else date.fromisoformat(day),
        "time_of_day": None if time is None else clock.fromisoformat(time),
        "first_harmful_event": event,
        **more,
    }


# Towns A and B share the border x = 1000; C lies apart. Five schools (one not on the map), two roads, eleven
# crashes: c:10 on the border (it belongs to A), c:09 and c:11 not on the map.
STANDARD: dict[str, dict[str, dict[str, Any]]] = {
    "Town": {
        "t:a": {"geometry": box(0, 0, 1000, 1000), "name": "Alton", "population": 1000, "county": "North"},
        "t:b": {"geometry": box(1000, 0, 1000, 1000), "name": "Bree", "population": 3000, "county": "North"},
        "t:c": {"geometry": box(5000, 0, 1000, 1000), "name": "Corve", "population": None, "county": "South"},
    },
    "School": {
        "s:1": {"geometry": point(500, 500), "name": "One", "type": "Private", "town_key": "t:a"},
        "s:2": {"geometry": point(900, 500), "name": "Two", "type": "Charter", "town_key": "t:a"},
        "s:3": {"geometry": point(1100, 500), "name": "Three", "type": "Private", "town_key": "t:b"},
        "s:4": {"geometry": point(5500, 500), "name": "Four", "type": None, "town_key": "t:c"},
        "s:5": {"geometry": None, "name": "Five", "type": "Private", "town_key": "t:a"},
    },
    "Road": {
        "r:1": {
            "geometry": shapely.LineString([(0, 600), (1000, 600)]),
            "name": "High Street",
            "speed_limit": 30.0,
            "sidewalk": "none",
            "town_key": "t:a",
        },
        "r:2": {
            "geometry": shapely.LineString([(1000, 500), (2000, 500)]),
            "name": "50%_Lane",
            "speed_limit": None,
            "sidewalk": "both",
            "town_key": "t:b",
        },
    },
    "Crash": {
        "c:01": crash(
            (500, 600), "t:a", FATAL, "2023-01-01", "23:30", PEDESTRIAN, road_key="r:1", persons_killed=2
        ),
        "c:02": crash(
            (510, 600), "t:a", INJURY, "2023-01-02", "00:00", CYCLIST, road_key="r:1", persons_killed=0
        ),
        "c:03": crash((700, 500), "t:a", DAMAGE, "2023-12-31", "01:59", persons_killed=0),
        "c:04": crash((900, 400), "t:a", DAMAGE, "2024-01-01", "02:00", "Not reported"),
        "c:05": crash((1100, 500), "t:b", UNKNOWN, "2024-02-29", "22:00", PEDESTRIAN, road_key="r:2"),
        "c:06": crash((1100, 600), "t:b", None, "2024-03-01", None, None, persons_killed=1),
        "c:07": crash((1500, 500), "t:b", FATAL, None, "12:00", PEDESTRIAN, road_key="r:2", persons_killed=1),
        "c:08": crash((1900, 900), "t:b", INJURY, "2024-07-05", "08:15", CURB),
        "c:09": crash(None, "t:a", FATAL, "2024-07-05", "23:59:59", PEDESTRIAN),
        "c:10": crash((1000, 500), "t:a", INJURY, "2024-07-06", "21:59", PEDESTRIAN),
        "c:11": crash(None, None, DAMAGE, "2024-07-07", "23:00", PEDESTRIAN),
    },
}


@pytest.fixture(scope="session")
def world(world_databases: tuple[Database, Database], pack: Pack) -> World:
    """The standard world."""
    made = World(*world_databases, pack)
    made.fill(STANDARD)
    return made
