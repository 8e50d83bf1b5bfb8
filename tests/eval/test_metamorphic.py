"""What must hold between answers, whatever the right answer is: no oracle is asked here."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, Phase, assume, given, note, settings
from hypothesis import strategies as st
from pyproj import Transformer

from groundframe.answer import Answer
from groundframe.compiler.compile import compile_frame
from groundframe.compiler.lowering import NEUTRAL, Traits
from groundframe.compiler.passes import PASSES, Pass
from groundframe.eval.random_frames.conditions import draw_attribute
from groundframe.eval.random_frames.ground import Ground
from groundframe.eval.subject import Subject
from groundframe.formats import geojson
from groundframe.frames.model import Frame
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import open_dataset
from groundframe.postgis.execute import Tally, execute
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.rows import Row
from groundframe.postgis.rewrites import POSTGIS
from groundframe.query import Query
from groundframe.schema.packs import load_pack
from groundframe.validator.outcomes import Checked

PACK = load_pack("massachusetts")
Data = dict[str, Any]
CONDITIONS = ("attribute_constraints", "temporal_constraints")
MEASURED = ("key", "group", "measure", "split", "rank", "distance")


def tried(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )


def checked(subject: Subject, data: Mapping[str, Any]) -> Frame:
    outcome = subject.check(data)
    assume(isinstance(outcome, Checked))
    assert isinstance(outcome, Checked)
    return outcome.frame


def answered(subject: Subject, data: Mapping[str, Any]) -> tuple[list[Data], Tally]:
    """Keys and numbers of the rows, and the counts beside them."""
    with subject.execution(checked(subject, data)) as execution:
        kept = [(number, one.name) for number, one in enumerate(execution.columns) if one.kind in MEASURED]
        rows = [{name: row[number] for number, name in kept} for row in execution]
        return rows, execution.tally


def keys(subject: Subject, data: Mapping[str, Any]) -> list[str]:
    return [row["key"] for row in answered(subject, data)[0]]


def as_data(frame: Frame) -> Data:
    return frame.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def plain(frame: Frame) -> Data:
    """The frame without ranking, numbers, nearest_to and negation."""
    data = as_data(frame)
    for part in ("ranking", "having", "group_by", "measures"):
        data.pop(part, None)
    for one in data.get("spatial_constraints", ()):
        one.pop("negate", None)
        if one["relation"] == "nearest_to":
            one.update(relation="within_distance", distance_m=1000.0)
            one.pop("k")
    return data


def primary_of(data: Data) -> Data:
    return next(target for target in data["targets"] if target["role"] == "primary")


def on_primary(data: Data, part: str, *conditions: Data) -> Data:
    """The frame with these conditions on the primary instead of those it had."""
    others = [one for one in data.get(part, ()) if one["target_role"] != "primary"]
    return {**data, part: [*others, *({**one, "target_role": "primary"} for one in conditions)]}


def fewer(data: Data) -> Iterator[Data]:
    """The frame without one condition, or without one target or reference that nothing hangs from."""
    for part in CONDITIONS:
        for number in range(len(data.get(part, ()))):
            yield {**data, part: [*data[part][:number], *data[part][number + 1 :]]}
    spatial = data.get("spatial_constraints", [])
    ends = [(one["target_role"], one["reference_role"]) for one in spatial]
    for part in ("targets", "references"):
        for number, one in enumerate(data.get(part, ())):
            if (
                one.get("role") == "primary"
                or len({frozenset(pair) for pair in ends if one["id"] in pair}) > 1
            ):
                continue
            without = {**data, part: [*data[part][:number], *data[part][number + 1 :]]}
            for conditions in (*CONDITIONS, "spatial_constraints"):
                without[conditions] = [
                    item
                    for item in data.get(conditions, ())
                    if one["id"] not in (item["target_role"], item.get("reference_role"))
                ]
            yield without


@given(data=st.data())
@tried(20)
def test_one_constraint_more_adds_no_row_and_a_larger_radius_loses_none(
    ground: Subject, drawn: st.SearchStrategy[Frame], data: st.DataObject
) -> None:
    frame = plain(data.draw(drawn))
    found = set(keys(ground, frame))
    for less in fewer(frame):
        note(str(less))
        assert found <= set(keys(ground, less))
    spatial = frame.get("spatial_constraints", [])
    if any("distance_m" in one for one in spatial):
        wider = [
            {**one, "distance_m": one["distance_m"] * 1.5} if "distance_m" in one else one for one in spatial
        ]
        assert found <= set(keys(ground, {**frame, "spatial_constraints": wider}))


@given(data=st.data())
@tried(25)
def test_rows_with_and_without_and_of_which_it_is_unknown_are_all(
    ground: Subject, drawn: st.SearchStrategy[Frame], data: st.DataObject
) -> None:
    frame = as_data(data.draw(drawn))
    for part in ("ranking", "having", "group_by", "measures"):
        frame.pop(part, None)
    assume(not _chooses_primary(frame))
    entity = PACK.entity(primary_of(frame)["entity"])
    bare = on_primary(on_primary(frame, CONDITIONS[0]), CONDITIONS[1])
    (condition,) = [*draw_attribute(ground.world, entity, picker(data)), None][:1]
    assume(condition is not None)
    assert condition is not None
    negated = {**condition, "negate": not condition.get("negate", False)}
    everything = keys(ground, bare)
    (true, of_true), (false, of_false) = (
        answered(ground, on_primary(bare, CONDITIONS[0], one)) for one in (condition, negated)
    )
    with_it, without = [row["key"] for row in true], [row["key"] for row in false]
    unknown = of_true.unknown_left_out["primary"]
    assert unknown == of_false.unknown_left_out["primary"]
    assert set(with_it) | set(without) <= set(everything)
    assert not set(with_it) & set(without)
    assert len(with_it) + len(without) + unknown == len(everything)


def _chooses_primary(frame: Data) -> bool:
    spatial = frame.get("spatial_constraints", ())
    return any(one["relation"] == "nearest_to" and one["target_role"] == "primary" for one in spatial)


def picker(data: st.DataObject) -> Callable[[Any], Any]:
    return lambda options: options[data.draw(st.integers(0, len(options) - 1))]


@given(data=st.data())
@tried(15)
def test_totals_over_areas_and_none_are_the_distinct_features(
    ground: Subject, drawn: st.SearchStrategy[Frame], data: st.DataObject
) -> None:
    frame = plain(data.draw(drawn))
    links = [one for one in PACK.entity(primary_of(frame)["entity"]).links if one.rule == "covering"]
    assume(links)
    count = {"measures": [{"measure": "count", "target_role": "primary", "name": "n"}]}
    grouped = {**frame, **count, "group_by": [{"target_role": "primary", "entity": links[0].to}]}
    rows, tally = answered(ground, grouped)
    assert sum(row["n"] for row in rows) == len(keys(ground, frame)) == tally.matched
    assert len({row[f"{links[0].name}_key"] for row in rows}) == len(rows)


@given(data=st.data(), start=st.integers(0, 4000), days=st.integers(1, 3000), part=st.floats(0, 1))
@tried(15)
def test_the_parts_of_a_period_add_up(
    ground: Subject,
    drawn: st.SearchStrategy[Frame],
    data: st.DataObject,
    start: int,
    days: int,
    part: float,
) -> None:
    frame = plain(data.draw(drawn))
    assume(PACK.entity(primary_of(frame)["entity"]).date_field)
    first = date(2013, 1, 1) + timedelta(start)
    middle, last = first + timedelta(int(days * part)), first + timedelta(days + 1)

    def within(begin: date, end: date) -> list[str]:
        period = {"from": begin.isoformat(), "to": end.isoformat()}
        return keys(ground, on_primary(frame, CONDITIONS[1], period))

    earlier, later = within(first, middle), within(middle + timedelta(1), last)
    assert sorted(earlier + later) == sorted(within(first, last))


@given(data=st.data())
@tried(25)
def test_the_order_of_constraints_changes_no_byte(
    ground: Subject, drawn: st.SearchStrategy[Frame], data: st.DataObject
) -> None:
    frame = as_data(data.draw(drawn))
    shuffled = {**frame}
    for part in (*CONDITIONS, "spatial_constraints"):
        if part in frame:
            shuffled[part] = data.draw(st.permutations(frame[part]))
    assume(shuffled != frame)
    assert document(ground, shuffled) == document(ground, frame)


def document(subject: Subject, data: Data) -> bytes:
    outcome = subject.check(data)
    assert isinstance(outcome, Checked)
    plan = compile_frame(outcome.frame, PACK, subject.dataset.physical)
    answer = Answer(Query(outcome, plan, PACK), subject.dataset, row_limit=None, timeout_s=60)
    out = io.BytesIO()
    geojson.write(answer, out)
    return out.getvalue()


VARIANTS: list[tuple[str, tuple[Pass, ...], Traits]] = [
    *((f"only {one.__name__}", (one,), NEUTRAL) for one in dict.fromkeys(PASSES)),
    ("all passes", PASSES, NEUTRAL),
    *((f"only {name}", PASSES, Traits("postgis", {name: made})) for name, made in POSTGIS.rewrites.items()),
    ("PostGIS without passes", (), POSTGIS),
    ("PostGIS", PASSES, POSTGIS),
]


@given(data=st.data())
@tried(15)
def test_no_pass_and_no_rewrite_changes_an_answer(
    ground: Subject, drawn: st.SearchStrategy[Frame], data: st.DataObject
) -> None:
    frame = data.draw(drawn)

    def ask(passes: tuple[Pass, ...], traits: Traits, *, physical: bool) -> tuple[Any, ...]:
        layout = (ground.dataset.physical,) if physical else ()
        plan = compile_frame(frame, PACK, *layout, passes=passes)
        with execute(ground.dataset, plan, row_limit=None, traits=traits) as execution:
            return list(execution), execution.tally

    expected = ask((), NEUTRAL, physical=False)
    for name, passes, traits in VARIANTS:
        for physical in (False, True):
            assert ask(passes, traits, physical=physical) == expected, (name, physical)


class Moved(Ground):
    """The ground, so many whole metres to the east and the north."""

    by = (1234.0, -567.0)

    def rows(self, entity: str) -> Iterator[Row]:
        for row in super().rows(entity):
            yield row if row.geometry is None else replace(row, geometry=moved(row.geometry, self.by))


def moved(geometry: Any, by: tuple[float, float]) -> Any:
    return shapely.transform(geometry, lambda points: points + np.array(by))


@pytest.fixture(scope="module")
def elsewhere(eval_databases: tuple[Database, Database]) -> Subject:
    owner, reader = eval_databases
    load_dataset(owner, PACK, "ground_moved", Moved(PACK))
    return Subject(open_dataset(reader, "ground_moved"))


@given(data=st.data())
@tried(20)
def test_what_is_moved_as_a_whole_keeps_keys_and_counts(
    ground: Subject, elsewhere: Subject, drawn: st.SearchStrategy[Frame], data: st.DataObject
) -> None:
    frame = as_data(data.draw(drawn))
    derived = {entity.name for entity in PACK.entities if entity.derived is not None}
    parts = (*frame["targets"], *frame.get("references", ()), *frame.get("group_by", ()))
    # Keys of what is derived are made of coordinates.
    assume(not any(part.get("entity") in derived for part in parts))
    there = {**frame, "references": [place_moved(one) for one in frame.get("references", ())]}
    assert answered(elsewhere, there) == answered(ground, frame)


def place_moved(reference: Data) -> Data:
    if "keys" in reference:
        return reference
    pipeline = Transformer.from_pipeline(PACK.pipeline)
    place = reference.get("coordinates")
    shape = shapely.geometry.shape(
        {"type": "Point", "coordinates": (place["longitude"], place["latitude"])}
        if place
        else reference["area"]
    )

    def project(points: Any, direction: str) -> Any:
        return np.column_stack(pipeline.transform(points[:, 0], points[:, 1], direction=direction))

    # On the grid where geometry lies, so that it is moved by whole metres.
    plane = shapely.set_precision(shapely.transform(shape, lambda xy: project(xy, "FORWARD")), 1 / 1024)
    there = shapely.transform(moved(plane, Moved.by), lambda xy: project(xy, "INVERSE"))
    if place:
        return {**reference, "coordinates": {"longitude": there.x, "latitude": there.y}}
    return {**reference, "area": shapely.geometry.mapping(there)}
