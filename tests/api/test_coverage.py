"""The warning that what is compared was not covered equally."""

from __future__ import annotations

from typing import Any

import pytest

from groundframe.coverage import coverage_warnings
from groundframe.frames.model import Frame

COUNT = {"measure": "crash_count", "target_role": "support", "name": "n"}
RANKED = {"measures": [COUNT], "ranking": {"metric": "n"}}
IN_BOSTON = {"targets": [{"entity": "Town", "role": "scope", "names": ["Boston"]}]}


def source(
    title: str, area: str, first: str | None = None, last: str | None = None, **more: Any
) -> dict[str, Any]:
    coverage = {"area": area, "first": first, "last": last, "completeness": "complete", **more}
    return {"target": "support", "title": title, "coverage": coverage}


SCHOOLS = {**source("Schools", "Massachusetts"), "target": "primary"}
STATE = source("State", "Massachusetts", "2017-01-01", "2017-12-31")
BOSTON = source("Boston", "Boston", "2012-01-01", "2014-12-31")
CAMBRIDGE = source("Cambridge", "Cambridge", "2010-01-01", "2016-06-30")
SAMPLE = source("Sample", "Massachusetts", "2017-01-01", "2017-12-31", completeness="sample")


def warned(frame: dict[str, Any], *sources: dict[str, Any]) -> bool:
    return bool(coverage_warnings(Frame.model_validate(frame), sources, ["Massachusetts"]))


@pytest.mark.parametrize(
    ("frame", "sources", "expected"),
    [
        (RANKED, [SCHOOLS, STATE], False),
        (RANKED, [SCHOOLS, SAMPLE], True),
        (RANKED, [SCHOOLS, BOSTON], True),
        (RANKED, [SCHOOLS, STATE, BOSTON], True),
        (RANKED | IN_BOSTON, [SCHOOLS, BOSTON], False),
        (RANKED | IN_BOSTON, [SCHOOLS, STATE], False),
        (RANKED | IN_BOSTON, [SCHOOLS, CAMBRIDGE], True),
        (RANKED | IN_BOSTON, [SCHOOLS, BOSTON, source("Later", "Boston", "2015-01-01", "2015-12-31")], True),
        ({"measures": [COUNT]}, [SCHOOLS, SAMPLE], False),
        (RANKED, [{**SAMPLE, "target": "primary"}, STATE], False),
        (RANKED, [SCHOOLS, {**STATE, "coverage": None}], False),
    ],
)
def test_ranked(frame: dict[str, Any], sources: list[dict[str, Any]], expected: bool) -> None:
    assert warned(frame, *sources) is expected


def test_absence_is_only_as_good_as_the_coverage() -> None:
    without = {
        "targets": [{"entity": "Crash", "role": "filter", "id": "support"}],
        "spatial_constraints": [
            {"relation": "within", "target_role": "support", "reference_role": "primary", "negate": True}
        ],
    }
    towns = {**source("Towns", "Massachusetts"), "target": "primary"}
    assert warned(without, towns, SAMPLE)
    assert warned(without, towns, BOSTON)
    assert not warned(without, towns, STATE)
    without["spatial_constraints"][0]["negate"] = False  # type: ignore[index]
    assert not warned(without, towns, SAMPLE)


def test_years_at_the_ends_of_a_period() -> None:
    by_year = {"measures": [COUNT], "group_by": [{"target_role": "support", "time": "year"}]}
    assert warned(
        by_year | {"targets": [{"entity": "Town", "role": "scope", "names": ["Cambridge"]}]}, CAMBRIDGE
    )
    assert not warned(by_year | IN_BOSTON, BOSTON)


def test_the_sentence_names_the_sources() -> None:
    (warning,) = coverage_warnings(Frame.model_validate(RANKED), [SCHOOLS, STATE, BOSTON], ["Massachusetts"])
    assert warning == (
        "Not covered equally: State (Massachusetts, 2017-01-01 to 2017-12-31, complete); "
        "Boston (Boston, 2012-01-01 to 2014-12-31, complete)."
    )
