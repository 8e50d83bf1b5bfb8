"""A small pack of its own and rows for it, so that nothing here depends on a jurisdiction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import pytest
import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.postgis.connect import Database
from groundframe.postgis.load.rows import CanonicalValue, Row
from groundframe.schema.model import Pack

GRID = 1 / 1024

PACK = Pack.model_validate(
    {
        "name": "toyland",
        "title": "Toyland",
        "version": "1.2.0",
        "srid": 26986,
        "pipeline": "+proj=pipeline +step +proj=unitconvert +xy_in=deg +xy_out=rad"
        " +step +proj=lcc +lat_0=41 +lon_0=-71.5 +lat_1=42.6833333333333 +lat_2=41.7166666666667"
        " +x_0=200000 +y_0=750000 +ellps=GRS80",
        "timezone": "America/New_York",
        "bounds": [-73.6, 41.1, -69.8, 42.95],
        "name_affixes": ["Borough of", "borough"],
        "name_abbreviations": {"ln": "lane"},
        "name_aliases": {"Zone": [["Old Mill", "Millville"]]},
        "digest": "d" * 64,
        "entities": [
            # Before what it depends on, to see that the order does not matter.
            {
                "name": "Event",
                "table": "event",
                "label": "event",
                "plural": "events",
                "geometry": ["point"],
                "roles": ["primary"],
                "date_field": "day",
                "time_field": "clock",
                "fields": [
                    {"name": "day", "type": "date", "label": "day"},
                    {"name": "clock", "type": "time_of_day", "label": "clock"},
                    {
                        "name": "limit",
                        "type": "number",
                        "label": "limit",
                        "carries": {"link": "way", "field": "limit"},
                    },
                    {
                        "name": "paving",
                        "type": "category",
                        "label": "paving",
                        "values": [{"value": "stone"}, {"value": "none"}, {"value": "Unknown"}],
                        "unknown_values": ["Unknown"],
                        "carries": {"link": "way", "field": "paving"},
                    },
                    {"name": "tags", "type": "category_list", "label": "tags", "unknown_values": ["Unknown"]},
                    {"name": "flag", "type": "boolean", "label": "flag"},
                    {"name": "source", "type": "category", "label": "source", "values_from": "sources"},
                    {"name": "stated_zone", "type": "text", "label": "zone", "internal": True},
                    {"name": "stated_way", "type": "text", "label": "way", "internal": True},
                ],
                "links": [
                    {"name": "zone", "to": "Zone", "rule": "covering", "stated_field": "stated_zone"},
                    {
                        "name": "way",
                        "to": "Way",
                        "rule": "nearest",
                        "max_distance_m": 15.0,
                        "stated_field": "stated_way",
                    },
                ],
            },
            {
                "name": "Node",
                "table": "node",
                "label": "node",
                "plural": "nodes",
                "geometry": ["point"],
                "roles": ["primary"],
                "name_field": "title",
                "derived": {
                    "from_entity": "Way",
                    "rule": "network_nodes",
                    "name_field": "name",
                    "count_field": "ends",
                },
                "fields": [
                    {"name": "title", "type": "text", "label": "title"},
                    {"name": "ends", "type": "integer", "label": "ends"},
                ],
                "links": [{"name": "zone", "to": "Zone", "rule": "covering"}],
            },
            {
                "name": "Way",
                "table": "way",
                "label": "way",
                "plural": "ways",
                "geometry": ["line"],
                "roles": ["primary"],
                "name_field": "name",
                "fields": [
                    {"name": "name", "type": "text", "label": "name"},
                    {"name": "limit", "type": "number", "label": "limit", "minimum": 1},
                    {
                        "name": "paving",
                        "type": "category",
                        "label": "paving",
                        "values": [{"value": "stone"}, {"value": "none"}, {"value": "Unknown"}],
                        "unknown_values": ["Unknown"],
                    },
                ],
                "links": [{"name": "zone", "to": "Zone", "rule": "covering"}],
            },
            {
                "name": "Plot",
                "table": "plot",
                "label": "plot",
                "plural": "plots",
                "geometry": ["point", "polygon"],
                "roles": ["primary"],
                "fields": [],
                "links": [{"name": "zone", "to": "Zone", "rule": "covering"}],
            },
            {
                "name": "Zone",
                "table": "zone",
                "label": "zone",
                "plural": "zones",
                "geometry": ["polygon"],
                "roles": ["primary"],
                "name_field": "name",
                "fields": [{"name": "name", "type": "text", "label": "name"}],
            },
        ],
        "sources": [
            {
                "name": "ledger",
                "title": "The ledger",
                "entity": "Event",
                "provides": ["day", "clock", "limit"],
                "coverage": {"area": "all", "completeness": "sample"},
            },
            {
                "name": "dream",
                "title": "A dream",
                "entity": "Event",
                "provides": ["day"],
                "coverage": {"area": "all", "completeness": "complete"},
                "synthetic": True,
            },
        ],
    }
)


@dataclass
class Rows:
    """Rows held in memory."""

    given: Iterable[Row]
    reports: tuple[()] = ()
    by_entity: dict[str, list[Row]] = field(init=False)

    def __post_init__(self) -> None:
        self.by_entity = defaultdict(list)
        for item in self.given:
            self.by_entity[item.entity].append(item)

    def rows(self, entity: str) -> Iterator[Row]:
        yield from self.by_entity[entity]


def make_row(entity: str, key: str, geometry: BaseGeometry | None = None, **values: CanonicalValue) -> Row:
    """A row whose key is ``<source>:<id>``, its geometry on the grid, 200 km from the origin of the plane."""
    if geometry is not None:
        geometry = shapely.transform(geometry, lambda xy: ((xy + 200_000) / GRID).round() * GRID)
    return Row(entity, key.partition(":")[0], key, values, geometry)


@pytest.fixture(scope="session")
def toy_pack() -> Pack:
    """A pack with every kind of field and link."""
    return PACK


@pytest.fixture(scope="session")
def row() -> Callable[..., Row]:
    """Make a row."""
    return make_row


@pytest.fixture(scope="session")
def in_memory() -> Callable[..., Rows]:
    """Make a source of rows."""
    return Rows


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The worker's database, emptied of datasets after the test."""
    with Database(database_url, acquire_timeout=2) as found:
        yield found
        with found.begin() as connection:
            for (schema,) in connection.exec_driver_sql(
                "SELECT nspname FROM pg_namespace WHERE nspname ~ '^gf(_|new_|old_)'"
            ).all():
                connection.exec_driver_sql(f'DROP SCHEMA "{schema}" CASCADE')
