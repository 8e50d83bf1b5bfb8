"""Rows are read ahead in order; what goes wrong meanwhile is met by who asks for them."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import shapely

from groundframe.errors import LoadError
from groundframe.postgis.load.ahead import ReadAhead
from groundframe.postgis.load.encode import Encoder
from groundframe.postgis.load.rows import Row
from groundframe.schema.packs import load_pack

PACK = load_pack("massachusetts")
STOPS, SCHOOLS, TOWNS = (PACK.entity(name) for name in ("BusStop", "School", "Town"))


def rows(entity: str, count: int) -> list[Row]:
    place = shapely.Point(200_000, 900_000)
    return [Row(entity, "somewhere", f"somewhere:{number}", {"name": "A"}, place) for number in range(count)]


def test_batches_are_those_of_the_encoder() -> None:
    given = {"BusStop": rows("BusStop", 4_321), "School": rows("School", 7), "Town": []}
    with ReadAhead(PACK, [STOPS, SCHOOLS, TOWNS], given.__getitem__) as ahead:
        for entity in (STOPS, SCHOOLS, TOWNS):
            expected = list(Encoder(PACK, entity).batches(given[entity.name]))
            assert list(ahead.batches(entity)) == expected
            assert sum(count for count, _ in expected) == len(given[entity.name])


def test_a_broken_file_is_met_where_its_rows_are_asked_for() -> None:
    asked: list[str] = []

    def given(entity: str) -> Iterator[Row]:
        asked.append(entity)
        yield from rows(entity, 3)
        if entity == "School":
            raise LoadError("The file ends in the middle.")

    with ReadAhead(PACK, [STOPS, SCHOOLS, TOWNS], given) as ahead:
        assert [count for count, _ in ahead.batches(STOPS)] == [3]
        for entity in (SCHOOLS, TOWNS):
            with pytest.raises(LoadError, match="ends in the middle"):
                list(ahead.batches(entity))
    assert asked == ["BusStop", "School"]


def test_who_leaves_early_leaves_no_thread() -> None:
    before = threading.active_count()

    def endless(entity: str) -> Iterator[Row]:
        while True:
            yield from rows(entity, 1)

    with ReadAhead(PACK, [STOPS], endless) as ahead:
        assert next(iter(ahead.batches(STOPS)))[0] > 0
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_no_room_for_what_is_ready_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full here")
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda: full.open("r+b"))
    with (
        ReadAhead(PACK, [STOPS], lambda entity: rows(entity, 5)) as ahead,
        pytest.raises(LoadError, match=r"temporary file .No space left on device.*TMPDIR"),
    ):
        list(ahead.batches(STOPS))
