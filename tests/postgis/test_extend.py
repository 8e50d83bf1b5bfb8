"""Rows added to the tables that there are give what a load of everything at once gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from importlib import import_module
from random import Random
from typing import Any

import pytest
import shapely
import sqlalchemy as sa

from groundframe.errors import DatasetError, LoadError
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import Dataset, open_dataset
from groundframe.postgis.load.counted import counted_tables
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.rows import Row
from groundframe.postgis.load.summary import LoadReport
from groundframe.postgis.load.synthetic import generate
from groundframe.postgis.load.texts import make_texts
from groundframe.schema.model import Entity, Pack, Proximity
from groundframe.schema.packs import load_pack
from groundframe.schema.source import Reading

Make = Callable[..., Row]
Load = Callable[..., LoadReport]


@pytest.fixture
def near_pack(toy_pack: Pack) -> Pack:
    """Toyland with neighbours: some whose rows may be added to, and some of which others depend."""
    between = [("Plot", "Event"), ("Way", "Event")]
    return toy_pack.model_copy(
        update={"proximity": tuple(Proximity(between=b, within_m=60) for b in between)}
    )


@pytest.fixture
def load(database: Database, near_pack: Pack, in_memory: Callable[..., Any]) -> Load:
    def loaded(name: str, rows: list[Row], *, add: bool = False, pack: Pack = near_pack) -> LoadReport:
        return load_dataset(database, pack, name, in_memory(rows), add=add)

    return loaded


def fetched(dataset: Dataset, table: str) -> list[dict[str, Any]]:
    with dataset.database.connect() as connection:
        found = connection.execute(sa.text(f"SELECT * FROM {dataset.schema}.{table}"))
        return [row._asdict() for row in found]


def image(dataset: Dataset) -> dict[str, Any]:
    """All that a dataset holds, with keys in the place of numbers."""
    found: dict[str, Any] = {"version": dataset.data_version, "facts": dataset.facts}
    found |= {part: dataset.report[part] for part in ("sources", "links", "overlaps", "synthetic")}
    rows = {one.name: fetched(dataset, one.table) for one in dataset.pack.entities}
    keys = {name: {row["id"]: row["key"] for row in listed} for name, listed in rows.items()}
    for one in dataset.pack.entities:
        narrow = fetched(dataset, f"narrow_{one.table}")
        found[f"{one.name} in order"] = [
            keys[one.name][row["id"]] for row in sorted(narrow, key=lambda row: row["key_order"])
        ]
        for row in narrow:
            row.pop("key_order")
            row["key"] = keys[one.name][row.pop("id")]
            for link in one.links:
                row[f"{link.name}_id"] = keys[link.to].get(row[f"{link.name}_id"])
        for row in rows[one.name]:
            row.pop("id")
        found[one.name] = sorted(rows[one.name], key=lambda row: row["key"])
        found[f"narrow {one.name}"] = sorted(narrow, key=lambda row: row["key"])
    for near in dataset.physical.pairs:
        pairs = fetched(dataset, near.table)
        assert all(set(pair) == {"a", "b", "m", *near.held} for pair in pairs)
        found[near.table] = sorted(
            (keys[near.a][pair.pop("a")], keys[near.b][pair.pop("b")], *pair.values()) for pair in pairs
        )
    for counted in counted_tables(dataset.physical):
        listed = fetched(dataset, counted.source)
        if counted.flagged is not None:
            number, table, flag = counted.flagged
            meets = {row["id"] for row in fetched(dataset, table) if row[flag]}
            listed = [row for row in listed if row[number] in meets]
        rows_of = Counter(row[counted.column] for row in listed)
        rows_of.pop(None, None)
        assert {row["id"]: row["n"] for row in fetched(dataset, counted.table)} == rows_of, counted.table
        found[counted.table] = sorted(rows_of.values())
    for name, beside in dataset.physical.entities.items():
        if beside.written is not None:
            texts = fetched(dataset, beside.texts)
            assert {row["id"]: row["key"] for row in texts} == keys[name]
            found[beside.texts] = sorted((row["key"], row["text"]) for row in texts)
        sums: Counter[tuple[Any, ...]] = Counter()
        for row in fetched(dataset, beside.sums):
            sums[row["kind"], row["metre"], row["source_code"], row["split_code"]] += row["n"]
        assert sums.total() >= len(rows[name])
        found[beside.sums] = sums
        for table, parts in beside.groupings.items():
            groups: Counter[tuple[Any, ...]] = Counter()
            for row in fetched(dataset, table):
                groups[tuple(row[f"{part}_part"] for part in parts)] += row["n"]
            assert groups == Counter(
                tuple(row[f"{part}_part"] for part in parts) for row in fetched(dataset, beside.table)
            )
            found[table] = groups
    return found


def drawn(row: Make, random: Random) -> list[Row]:
    """Toyland with every kind of row, somewhere."""

    def place() -> shapely.Point:
        return shapely.Point(random.randint(0, 400) / 2, random.randint(0, 400) / 2)

    found = [
        row("Zone", f"z:{n}", shapely.box(x, 0, x + 100, 200), name=name)
        for n, (x, name) in enumerate([(0, "Northfield"), (100, "Old Mill")])
    ]
    found += [
        row("Way", f"w:{n}", shapely.LineString([place(), place()]), name=random.choice(["A St", "B Ln"]))
        for n in range(8)
    ]
    found += [row("Plot", f"p:{n}", place()) for n in range(20)]
    for n in random.sample(range(1000), 60):
        where = place() if random.random() < 0.9 else None
        source = random.choice(["ledger", "dream"])
        said = {"stated_zone": random.choice(["Millville", "Northfield", "Nowhere"]), "stated_way": "B Ln"}
        found.append(row("Event", f"{source}:{n}", where, **said))
    return found


@pytest.mark.parametrize("seed", range(2))
def test_added_rows_are_as_loaded_with_the_others(
    load: Load, row: Make, database: Database, near_pack: Pack, seed: int
) -> None:
    random = Random(seed)
    rows = drawn(row, random)
    whole = load("whole", rows)
    later = [one for one in rows if one.entity in ("Event", "Plot") and random.random() < 0.3]
    load("grown", [one for one in rows if one not in later])
    before = open_dataset(database, "grown", pack=near_pack)
    added = load("grown", [*later, *random.sample(rows, 10)], add=True)
    grown = open_dataset(database, "grown", pack=near_pack)
    assert grown.oid == before.oid
    assert added.data_version == whole.data_version
    assert image(grown) == image(open_dataset(database, "whole", pack=near_pack))


def test_what_others_depend_on_has_all_made_anew(
    load: Load, row: Make, database: Database, near_pack: Pack
) -> None:
    rows = drawn(row, Random(9))
    load("whole", rows)
    later = [one for one in rows if one.key in ("z:1", "w:3")]
    load("grown", [one for one in rows if one not in later])
    for one in later:
        before = open_dataset(database, "grown", pack=near_pack)
        load("grown", [one], add=True)
        grown = open_dataset(database, "grown", pack=near_pack)
        assert grown.oid != before.oid
    assert image(grown) == image(open_dataset(database, "whole", pack=near_pack))


def test_keys_without_room_between_them_are_numbered_anew(
    load: Load, row: Make, database: Database, near_pack: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows come between the same two keys until no number is left."""
    monkeypatch.setattr("groundframe.postgis.load.narrow.KEYS_APART", 4)
    keys = ["ledger:a", "ledger:b", *(f"ledger:a{n:02}" for n in range(4))]
    rows = [row("Event", key, None) for key in keys]
    load("grown", rows[:2])
    oids = []
    for one in rows[2:]:
        load("grown", [one], add=True)
        oids.append(open_dataset(database, "grown", pack=near_pack).oid)
    assert 1 < len(set(oids)) < len(oids)
    assert image(open_dataset(database, "grown", pack=near_pack))["Event in order"] == sorted(keys)


def test_who_reads_keeps_the_rows_that_there_were(
    load: Load, row: Make, database: Database, near_pack: Pack
) -> None:
    """A snapshot stays as it is; one that is taken later is told of the new rows."""
    rows = drawn(row, Random(4))
    load("grown", rows[:-1])
    opened = open_dataset(database, "grown", pack=near_pack)
    count = sa.select(sa.func.count()).select_from(opened.tables.entities["Event"])
    with database.connect() as reader:
        reader.execution_options(isolation_level="REPEATABLE READ")
        assert reader.scalar(count) == 59
        load("grown", rows[-1:], add=True)
        assert reader.scalar(count) == 59
        opened.verify(reader)
    with database.connect() as reader:
        assert reader.scalar(count) == 60
        with pytest.raises(DatasetError, match="loaded anew in the meantime"):
            opened.verify(reader)


def test_an_addition_that_fails_leaves_all_as_it_was(
    load: Load, row: Make, database: Database, near_pack: Pack
) -> None:
    rows = drawn(row, Random(5))
    load("grown", rows)
    before = image(open_dataset(database, "grown", pack=near_pack))

    def killed(what: str, done: int) -> None:
        if what == "arranging":
            raise KeyboardInterrupt

    class More:
        reports = ()

        def rows(self, entity: str) -> Iterator[Row]:
            yield from [row("Event", "ledger:new", shapely.Point(3, 3))] if entity == "Event" else []

    with pytest.raises(KeyboardInterrupt):
        load_dataset(database, near_pack, "grown", More(), add=True, progress=killed)
    assert image(open_dataset(database, "grown", pack=near_pack)) == before
    load_dataset(database, near_pack, "grown", More(), add=True)


@dataclass
class Part:
    """Some rows of a state."""

    state: Any
    wanted: Callable[[Row], bool]
    reports: tuple[()] = ()

    def rows(self, entity: str) -> Iterator[Row]:
        return filter(self.wanted, self.state.rows(entity))


def test_a_month_of_a_state(database: Database) -> None:
    """The same for the pack with its concepts, its indexes and its answers."""
    pack = load_pack("massachusetts")

    def state() -> Any:
        found = generate(pack, seed=3, size="small", crashes=600)
        found.sizes.update(Road=300, BusStop=20, Crosswalk=20, School=30)
        return found

    def late(row: Row) -> bool:
        day = row.values.get("date")
        return row.entity == "Crash" and isinstance(day, date) and (day.year, day.month) == (2024, 5)

    load_dataset(database, pack, "whole", state())
    load_dataset(database, pack, "grown", Part(state(), lambda row: not late(row)))
    before = open_dataset(database, "grown")
    report = load_dataset(database, pack, "grown", Part(state(), late), add=True)
    whole, grown = (open_dataset(database, name) for name in ("whole", "grown"))
    assert [one.new > 0 for one in report.rows if one.entity == "Crash"] == [True]
    assert grown.oid == before.oid
    assert image(grown) == image(whole)
    assert grown.physical.entities["Crash"].written
    with database.connect() as connection:
        indexes = sa.text("SELECT schemaname, replace(indexdef, schemaname, '') FROM pg_indexes")
        by_schema: dict[str, set[str]] = {}
        for schema, definition in connection.execute(indexes):
            by_schema.setdefault(schema, set()).add(definition)
    assert by_schema[whole.schema] <= by_schema[grown.schema]


def test_texts_that_would_be_written_otherwise_go(
    load: Load, row: Make, database: Database, near_pack: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New ones are not put beside them, and answers are written anew."""
    bounded = near_pack.model_copy(update={"entities": tuple(map(_bounded, near_pack.entities))})
    load("grown", [row("Event", "ledger:a", None)], pack=bounded)
    assert open_dataset(database, "grown", pack=bounded).physical.entities["Event"].written
    made = import_module(make_texts.__module__)
    now = made.written(bounded, bounded.entity("Event"))
    monkeypatch.setattr(made, "written", lambda pack, entity: replace(now, digest="of another version"))
    load("grown", [row("Event", "ledger:b", None)], add=True, pack=bounded)
    grown = open_dataset(database, "grown", pack=bounded)
    assert grown.physical.entities["Event"].written is None
    with database.connect() as connection:
        assert "narrow_event_texts" not in sa.inspect(connection).get_table_names(grown.schema)


def _bounded(entity: Entity) -> Entity:
    """The entity with ends for its numbers, so that each has one spelling."""
    fields = [
        field.model_copy(update={"minimum": 0, "maximum": 200}) if field.type == "number" else field
        for field in entity.fields
    ]
    return entity.model_copy(update={"fields": tuple(fields)})


def test_what_is_not_added_to(load: Load, row: Make, near_pack: Pack) -> None:
    """A key with other content, and rows whose files would be read otherwise today."""
    rows = drawn(row, Random(6))
    load("grown", rows)
    event = next(one for one in rows if one.entity == "Event")
    moved = [row("Event", event.key, shapely.Point(1, 1), stated_way="elsewhere")]
    with pytest.raises(LoadError, match=f"holds event '{event.key}' with other content"):
        load("grown", moved, add=True)
    reading = {"driver": "csv", "files": ["*.csv"], "fields": {}}
    read = near_pack.sources[0].model_copy(update={"read": Reading.model_validate(reading)})
    changed = near_pack.model_copy(update={"sources": (read, *near_pack.sources[1:]), "digest": "e" * 64})
    with pytest.raises(LoadError, match="rows of 'ledger', whose files the pack reads otherwise"):
        load("grown", [row("Event", "ledger:new", None)], add=True, pack=changed)
