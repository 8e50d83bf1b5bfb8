"""The names in a dataset, as the validator asks for them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
import shapely

from groundframe.frames.names import NamedFeature, NameIndex
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import open_dataset
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.rows import Row
from groundframe.postgis.names import DatasetNames
from groundframe.schema.model import Pack


@pytest.fixture
def names(
    database: Database, toy_pack: Pack, in_memory: Callable[..., Any], row: Callable[..., Row]
) -> NameIndex:
    """The names of a small dataset."""
    rows = [
        row("Zone", "z:1", shapely.box(0, 0, 100, 100), name="Northfield"),
        row("Zone", "z:2", None, name='Émile\'s %_\\ "Field"'),
        row("Way", "w:2", shapely.LineString([(0, 0), (50, 50), (60, 90)]), name="Mill Lane"),
        row("Way", "w:1", shapely.LineString([(500, 0), (600, 0)]), name="Mill Lane"),
        row("Way", "w:3", shapely.LineString([(0, 10), (10, 0)])),
        row("Event", "ledger:1", shapely.Point(5, 5), day=date(2020, 2, 29)),
        row("Event", "diary:1", None, day=date(2021, 1, 1)),
    ]
    load_dataset(database, toy_pack, "toy", in_memory(rows))
    return DatasetNames(open_dataset(database, pack=toy_pack))


def test_distinct_names(names: NameIndex) -> None:
    """Each once, by code point; nothing for features without names."""
    assert names.distinct_names("Way") == ("Mill Lane",)
    assert names.distinct_names("Zone") == ("Northfield", 'Émile\'s %_\\ "Field"')
    assert names.distinct_names("Event") == ()


def test_features(names: NameIndex, row: Callable[..., Row]) -> None:
    """Namesakes are told apart by key, place and what they are linked to."""
    first, second = names.features("Way", ["Mill Lane", "Nowhere"])
    assert (first.key, first.town, second.key, second.town) == ("w:1", "", "w:2", "Northfield")
    assert first.longitude == pytest.approx(-71.4935, abs=1e-3)
    assert first.latitude is not None
    assert names.features("Zone", ['Émile\'s %_\\ "Field"']) == (
        NamedFeature("Zone", "z:2", 'Émile\'s %_\\ "Field"'),
    )
    assert names.features("Zone", ["Northfiel_", "North%", "northfield", "'; drop table zone; --"]) == ()
    assert names.features("Zone", []) == ()
    assert names.features("Event", ["ledger:1"]) == ()


def test_keys_dates_and_rows(names: NameIndex) -> None:
    """Keys that exist, newest dates, sources, and what is empty."""
    assert names.keys_exist("Way", ["w:1", "w:9", "z:1"]) == {"w:1"}
    assert names.keys_exist("Way", []) == frozenset()
    assert names.newest_date("Event") == date(2021, 1, 1)
    assert names.newest_date("Zone") is None
    assert names.has_rows("Way")
    assert not names.has_rows("Plot")
    assert names.sources("Event") == {"ledger", "diary"}
    assert names.sources("Plot") == frozenset()
