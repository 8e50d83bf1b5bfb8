"""A small dataset in memory: the names that the validator's cases speak of."""

from __future__ import annotations

import math
from collections.abc import Collection
from datetime import date

import pytest

from groundframe.frames.names import NamedFeature
from groundframe.schema.model import Pack
from groundframe.schema.packs import load_pack

TOWNS = (
    "Amherst", "Bedford", "Boston", "Boxford", "Brookline", "Cambridge", "Great Barrington", "Hadley",
    "Hawley",
    "Holland", "Lenox", "Manchester-by-the-Sea", "Medford", "Mount Washington", "Natick", "Northampton",
    "Oxford",
    "Quincy", "Springfield", "Tolland", "Worcester",
)  # fmt: skip
SCHOOLS = (
    ("s1", "Jacob Hiatt Magnet School", "Worcester"),
    ("s2", "Abraham Lincoln School", "Medford"),
    ("s3", "Abraham Lincoln School", "Boston"),
    ("s4", "Memorial School", "Natick"),
    ("s5", "Memorial School", "Bedford"),
    ("s6", "Memorial School", "Bedford"),
    ("s7", "Lincoln School", "Brookline"),
    ("s8", "Saint Mary School", "Boston"),
    ("s9", "Crocker Farm Elementary", "Amherst"),
)
ROADS = (
    ("r1", "Massachusetts Ave", "Cambridge"),
    ("r2", "Massachusetts Ave", "Cambridge"),
    ("r3", "Massachusetts Ave", "Boston"),
    ("r4", "Hampshire St", "Cambridge"),
    ("r5", "Prospect St", "Cambridge"),
    ("r6", "Route 9", "Amherst"),
    ("r7", "Central Square", "Quincy"),
)
NODES = (
    ("i1", "Massachusetts Ave & Prospect St", "Cambridge", -71.1031, 42.3651),
    ("i2", "Cambridge St & Hampshire St", "Cambridge", -71.1000, 42.3733),
    ("i3", "Main St & School St", "Amherst", -72.52, 42.37),
    ("i4", "Main St & School St", "Amherst", -72.50, 42.37),
    ("i5", "Main St & School St", "Quincy", -71.00, 42.25),
    ("i6", "Main St & School St", "Quincy", -71.0003, 42.2502),
    ("i7", "Hampshire St", "Cambridge", -71.0990, 42.3730),
)
STOPS = (
    ("b1", "Harvard Sq @ Garden St", "Cambridge"),
    ("b2", "Quincy Center", "Quincy"),
    ("b3", "Quincy Center", "Quincy"),
    ("b4", "South Station", "Boston"),
    ("b5", "Central Square", "Worcester"),
    ("b6", "Elm Park", "Worcester"),
    ("b7", "Elm Park", "Worcester"),
)
PARTS = (
    ("n1", "Cambridgeport", "Cambridge"),
    ("n2", "Lenox", "Boston"),
)

TEXTS = {
    ("Town", "county"): ["Berkshire", "Hampden", "Middlesex", "Norfolk", "Suffolk", "Worcester"],
    ("School", "district"): ["Boston", "Quincy"],
    ("BusStop", "street"): ["GARDEN ST", "Garden Street", "Main Street"],
}


class Names:
    """The names of a list of features, as the database layer gives those of a dataset."""

    def __init__(self, features: list[NamedFeature], pack: Pack, loaded: frozenset[str]) -> None:
        self._features = sorted(features, key=lambda feature: feature.key)
        self._pack = pack
        self._loaded = loaded

    def distinct_names(self, entity: str, field: str = "") -> list[str]:
        if field:
            return TEXTS.get((entity, field), [])
        return sorted({feature.name for feature in self._features if feature.entity == entity})

    def features(self, entity: str, names: Collection[str]) -> list[NamedFeature]:
        return [feature for feature in self._features if feature.entity == entity and feature.name in names]

    def keys_exist(self, entity: str, keys: Collection[str]) -> frozenset[str]:
        return frozenset(feature.key for feature in self._features if feature.entity == entity) & frozenset(
            keys
        )

    def nearest(self, entity: str, longitude: float, latitude: float) -> tuple[NamedFeature, float] | None:
        """As the crow flies on a sphere, which is near enough for a few streets."""
        found = [
            (111_195 * math.hypot((x - longitude) * math.cos(math.radians(latitude)), y - latitude), one)
            for one in self._features
            if one.entity == entity and (x := one.longitude) is not None and (y := one.latitude) is not None
        ]
        return min(((one, metres) for metres, one in found), key=lambda pair: pair[1], default=None)

    def oldest_date(self, entity: str) -> date | None:
        return date(2013, 1, 1) if self._pack.entity(entity).date_field else None

    def newest_date(self, entity: str) -> date | None:
        return date(2025, 6, 30) if self._pack.entity(entity).date_field else None

    def has_rows(self, entity: str) -> bool:
        return bool(self.sources(entity))

    def sources(self, entity: str) -> frozenset[str]:
        if self._pack.entity(entity).derived is not None:
            return frozenset({"derived"})
        return frozenset(one.name for one in self._pack.sources if one.entity == entity) & self._loaded


@pytest.fixture(scope="session")
def pack() -> Pack:
    return load_pack("massachusetts")


def features() -> list[NamedFeature]:
    found = [
        NamedFeature("Town", f"t{number:02}", name, "", -72.0, 42.3) for number, name in enumerate(TOWNS)
    ]
    found += [NamedFeature("School", key, name, town, -71.5, 42.3) for key, name, town in SCHOOLS]
    found += [NamedFeature("Road", key, name, town, -71.1, 42.37) for key, name, town in ROADS]
    found += [NamedFeature("Neighborhood", key, name, town, -71.1, 42.36) for key, name, town in PARTS]
    found += [NamedFeature("Intersection", key, name, town, x, y) for key, name, town, x, y in NODES]
    return found + [NamedFeature("BusStop", key, name, town, -71.1, 42.37) for key, name, town in STOPS]


@pytest.fixture(scope="session")
def names(pack: Pack) -> Names:
    """A dataset in which every field is provided."""
    return Names(features(), pack, frozenset(source.name for source in pack.sources))


@pytest.fixture(scope="session")
def sparse(pack: Pack) -> Names:
    """A dataset of real sources that lacks crosswalks and much about roads and crashes."""
    loaded = ("massgis_towns", "massgis_schools", "mbta_bus_stops", "cambridge_roads", "cambridge_police")
    return Names(features(), pack, frozenset(loaded))
