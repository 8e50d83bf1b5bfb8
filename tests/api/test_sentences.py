"""The sentence that answers, and the line above a table: their numbers are those of plain SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

import groundframe as gf
from groundframe.formats.notes import headline
from groundframe.sentences import sentence

PER_TOWN = """
SELECT t.name, count(c.key) AS n
FROM gf_demo.town AS t LEFT JOIN gf_demo.crash AS c ON c.town_key = t.key
GROUP BY t.key, t.name ORDER BY n DESC, t.key COLLATE "C"
"""
TOWNS: dict[str, Any] = {
    "targets": [
        {"id": "town", "entity": "Town", "role": "primary"},
        {"id": "crash", "entity": "Crash", "role": "support"},
    ],
    "spatial_constraints": [{"target_role": "crash", "relation": "within", "reference_role": "town"}],
    "measures": [{"measure": "crash_count", "target_role": "crash", "name": "crashes"}],
}
CRASHES: dict[str, Any] = {
    "targets": [{"entity": "Crash", "role": "primary"}],
    "measures": [{"measure": "crash_count", "target_role": "primary", "name": "crashes"}],
}
MOST = {"metric": "crashes", "order": "highest"}


@pytest.fixture(scope="module")
def gis(demo_url: str) -> Iterator[gf.Connection]:
    with gf.connect(demo_url) as connection:
        yield connection


@pytest.fixture(scope="module")
def towns(demo_url: str) -> list[tuple[str, int]]:
    """The towns with their crashes, most first."""
    with psycopg.connect(demo_url) as connection:
        return [(str(name), int(n)) for name, n in connection.execute(PER_TOWN)]


def _at_least(towns: list[tuple[str, int]], rows: int) -> tuple[int, dict[str, Any]]:
    """A bound that about so many towns meet, and how many do."""
    bound = towns[rows - 1][1]
    condition = {"measure": "crashes", "operator": ">=", "value": bound}
    return sum(n >= bound for _, n in towns), {"having": [condition]}


def test_a_condition_on_a_number_counts_what_meets_it(
    gis: gf.Connection, towns: list[tuple[str, int]]
) -> None:
    met, having = _at_least(towns, 12)
    assert 1 < met < len(towns)
    answer = gis.run({**TOWNS, **having})
    assert sentence(answer) == f"{met} towns meet this."
    assert headline(answer.record()) == f"{met} towns"
    assert "counted before that" in " ".join(answer.record()["rules"]["in_words"])


def test_a_cut_is_of_what_meets_the_condition(gis: gf.Connection, towns: list[tuple[str, int]]) -> None:
    met, having = _at_least(towns, 12)
    answer = gis.run({**TOWNS, **having, "ranking": {**MOST, "top_n": 2}})
    (first, most), (second, less), (third, _) = towns[:3]
    assert most > less
    assert (
        sentence(answer)
        == f"{first} comes first with {most:,} crashes; then {second} ({less:,}). {met} towns were compared."
    )
    assert headline(answer.record()) == f"2 of {met} towns"
    assert third not in sentence(answer)


def test_one_that_is_compared_with_nothing(gis: gf.Connection, towns: list[tuple[str, int]]) -> None:
    met, having = _at_least(towns, 1)
    assert met == 1
    said = sentence(gis.run({**TOWNS, **having, "ranking": {**MOST, "top_n": 5}}))
    assert said.endswith(" crashes. 1 town was compared.")


def test_groups_are_compared_with_all_groups(gis: gf.Connection, demo_url: str) -> None:
    with psycopg.connect(demo_url) as connection:
        found = connection.execute(
            "SELECT date_part('year', date)::int AS y, count(*) FROM gf_demo.crash GROUP BY y ORDER BY 2 DESC"
        ).fetchall()
    by_year = {**CRASHES, "group_by": [{"target_role": "primary", "time": "year"}]}
    said = sentence(gis.run({**by_year, "ranking": {**MOST, "top_n": 1}}))
    first, most = found[0]
    assert said == f"{first} comes first with {most:,} crashes. {len(found)} groups by year were compared."
    assert (
        sentence(gis.run(by_year)) == f"{sum(n for _, n in found):,} crashes in {len(found)} groups by year."
    )


def test_numbers_that_do_not_add_up_are_not_added(gis: gf.Connection) -> None:
    frame = {
        "targets": [{"entity": "Town", "role": "primary"}],
        "measures": [{"measure": "mean", "field": "population", "target_role": "primary", "name": "usual"}],
        "group_by": [{"target_role": "primary", "field": "county"}],
    }
    counties = gis.run(frame).counts["true_total"]
    assert sentence(gis.run(frame)) == f"There are {counties} groups by county."


MOST_HURT = {"measure": "max", "field": "persons_injured", "name": "most"}


def test_sums_of_groups_are_told_together(gis: gf.Connection, demo_url: str) -> None:
    with psycopg.connect(demo_url) as connection:
        found = connection.execute(
            "SELECT sum(persons_injured), count(DISTINCT coalesce(date_part('year', date), 0))"
            " FROM gf_demo.crash"
        ).fetchone()
    assert found is not None
    frame = {
        **CRASHES,
        "measures": [{"measure": "persons_injured", "target_role": "primary"}],
        "group_by": [{"target_role": "primary", "time": "year"}],
    }
    assert sentence(gis.run(frame)) == f"{found[0]:,} persons injured in {found[1]} groups by year."
    most = {**frame, "measures": [{**frame["measures"][0], **MOST_HURT}]}
    greatest = max(row["properties"]["most"] or 0 for row in gis.run(most))
    assert sentence(gis.run(most)) == f"{greatest} (max of persons injured) in {found[1]} groups by year."
    # The weather of a crash is a list: many are in several groups.
    several = {**frame, "group_by": [{"target_role": "primary", "field": "weather"}]}
    assert sentence(gis.run(several)).startswith("There are ")


def test_one_person_is_one(gis: gf.Connection, demo_url: str) -> None:
    with psycopg.connect(demo_url) as connection:
        found = connection.execute(
            "SELECT t.key, t.name FROM gf_demo.town t JOIN gf_demo.crash c ON c.town_key = t.key"
            " GROUP BY t.key, t.name HAVING sum(c.persons_killed) = 1 ORDER BY t.key LIMIT 1"
        ).fetchone()
    assert found is not None
    killed = {"measure": "persons_killed", "target_role": "crash"}
    frame = {**TOWNS, "targets": [{**TOWNS["targets"][0], "keys": [found[0]]}, TOWNS["targets"][1]]}
    assert sentence(gis.run({**frame, "measures": [killed]})) == f"{found[1]}: 1 person killed."


def test_equals_share_the_first_place(gis: gf.Connection) -> None:
    none: dict[str, Any] = {
        **TOWNS,
        "temporal_constraints": [{"target_role": "crash", "from": "1950-01-01", "to": "1950-12-31"}],
        "ranking": {**MOST, "top_n": 2},
    }
    one, other = (feature["properties"]["name"] for feature in gis.run(none))
    assert sentence(gis.run(none)).startswith(f"{one}, {other} and others come first with 0 crashes each. ")
    two = {**none, "targets": [{**none["targets"][0], "names": [one, other]}, none["targets"][1]]}
    assert sentence(gis.run(two)).startswith(f"{one} and {other} come first with 0 crashes each. ")


def test_what_a_single_feature_has_is_no_mean_or_maximum(gis: gf.Connection) -> None:
    frame = {
        "targets": [{"entity": "Town", "role": "primary"}],
        "measures": [{"measure": "max", "field": "population", "target_role": "primary", "name": "most"}],
        "ranking": {"metric": "most", "order": "highest", "top_n": 1},
    }
    first = next(iter(gis.run(frame)))["properties"]
    said = f"{first['name']} comes first with {first['population']:,} (population). "
    assert sentence(gis.run(frame)).startswith(said)


def test_the_numbers_of_one_feature_are_said(gis: gf.Connection) -> None:
    frame = {
        "targets": [{"entity": "Town", "role": "primary", "names": ["Quincy"]}],
        "measures": [{"measure": "max", "field": "population", "target_role": "primary", "name": "most"}],
    }
    (only,) = gis.run(frame)
    assert sentence(gis.run(frame)) == f"Quincy: {only['properties']['population']:,} (population)."


def test_nothing_known_is_not_none(gis: gf.Connection) -> None:
    reply = gis.ask("How many crashes in Boston in January 2031", "lexical")
    assert reply.sentence.startswith(
        "No crashes meet this. The period asked for begins after the newest crash"
    )


def test_what_must_be_absent_has_its_sources_named(gis: gf.Connection) -> None:
    reply = gis.ask("schools in Springfield not within 300 m of a crosswalk", "lexical")
    assert {one["entity"]: one["features"] > 0 for one in reply.answer.record()["sources"]} == {
        "School": True,
        "Crosswalk": False,
    }


def test_few_groups_are_told_one_by_one(gis: gf.Connection, demo_url: str) -> None:
    with psycopg.connect(demo_url) as connection:
        query = (
            "SELECT t.name, count(c.key) FROM gf_demo.town t LEFT JOIN gf_demo.crash c ON c.town_key = t.key"
            " AND c.severity = 'Fatal injury' AND date_part('year', c.date) = 2021 GROUP BY t.name ORDER BY 2"
        )
        found = connection.execute(query).fetchall()
    frame = {
        "targets": [
            {"entity": "Crash", "role": "primary"},
            {"entity": "Town", "role": "scope", "names": [found[-1][0], found[-2][0]]},
        ],
        "attribute_constraints": [
            {"target_role": "primary", "field": "severity", "operator": "eq", "value": "Fatal injury"}
        ],
        "temporal_constraints": [{"target_role": "primary", "years": [2021]}],
        "group_by": [{"target_role": "primary", "entity": "Town"}],
    }
    said = sentence(gis.run(frame))
    total = found[-1][1] + found[-2][1]
    assert said.startswith(f"{total} crashes in 2 groups by town: ")
    assert all(f"{name} ({count})" in said for name, count in found[-2:])
    none, count = found[0]
    assert count == 0
    frame["targets"][1]["names"] = [found[-1][0], none]  # type: ignore[index]
    assert sentence(gis.run(frame)) == f"{found[-1][0]}: {found[-1][1]} crashes. None in {none}."
    # What falls short of a bound is not none.
    bounded = {**frame, "having": [{"measure": "crash_count", "operator": "gte", "value": 1}]}
    assert sentence(gis.run(bounded)) == f"{found[-1][0]}: {found[-1][1]} crashes."


def test_numbers_bear_their_unit(gis: gf.Connection) -> None:
    frame = {
        "targets": [{"entity": "Road", "role": "primary"}],
        "measures": [{"measure": "sum", "field": "length", "target_role": "primary", "name": "all"}],
        "ranking": {"metric": "all", "order": "highest", "top_n": 1},
    }
    assert re.search(r" comes first with [\d,.]+ m \(length\)\. ", sentence(gis.run(frame)))
