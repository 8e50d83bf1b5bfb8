"""Days, hours, weekdays (DESIGN §7.7) over the standard world's eleven crashes."""

from __future__ import annotations

from typing import Any

import pytest

# c:01 2023-01-01 Sun 23:30    c:02 2023-01-02 Mon 00:00    c:03 2023-12-31 Sun 01:59
# c:04 2024-01-01 Mon 02:00    c:05 2024-02-29 Thu 22:00    c:06 2024-03-01 Fri no time
# c:07 no date      12:00      c:08 2024-07-05 Fri 08:15
# c:09 2024-07-05 Fri 23:59:59 c:10 2024-07-06 Sat 21:59    c:11 2024-07-07 Sun 23:00
CASES: list[tuple[dict[str, Any], list[int], int]] = [
    # One day is the whole day, its last second included.
    ({"from": "2024-07-05", "to": "2024-07-05"}, [8, 9], 1),
    ({"from": "2024-07-05"}, [8, 9, 10, 11], 1),
    ({"to": "2023-12-31"}, [1, 2, 3], 1),
    # 31 December does not slip into the next year.
    ({"years": [2023]}, [1, 2, 3], 1),
    ({"years": [2024, 2023]}, [1, 2, 3, 4, 5, 6, 8, 9, 10, 11], 1),
    ({"years": [2022, 2024]}, [4, 5, 6, 8, 9, 10, 11], 1),
    ({"months": [2, 12]}, [3, 5], 1),
    ({"weekdays": ["fri"]}, [6, 8, 9], 1),
    ({"hours": {"from": "00:00", "to": "02:00"}}, [2, 3], 1),
    ({"hours": {"from": "02:00", "to": "12:00"}}, [4, 8], 1),
    ({"hours": {"from": "22:00", "to": "24:00"}}, [1, 5, 9, 11], 1),
    ({"hours": {"from": "00:00", "to": "24:00"}}, [1, 2, 3, 4, 5, 7, 8, 9, 10, 11], 1),
    # Past midnight it is not turned into 02:00 to 22:00.
    ({"hours": {"from": "22:00", "to": "02:00"}}, [1, 2, 3, 5, 9, 11], 1),
    # Sunday night is Sunday from 22:00 and Monday until 02:00; 31 December 01:59 is Saturday's night.
    # c:07 at noon is outside whatever its day; c:06 was on a Friday, neither Sunday nor Monday.
    ({"hours": {"from": "22:00", "to": "02:00"}, "weekdays": ["sun"]}, [1, 2, 11], 0),
    ({"hours": {"from": "22:00", "to": "02:00"}, "weekdays": ["sat"]}, [3], 0),
    # A Friday without a time may have been in Friday's night.
    ({"hours": {"from": "22:00", "to": "02:00"}, "weekdays": ["fri"]}, [9], 1),
    # The night of the last day of 2023 begins in 2023; years go by the crash's own date.
    ({"hours": {"from": "22:00", "to": "02:00"}, "years": [2024]}, [5, 9, 11], 1),
    ({"hours": {"from": "08:00", "to": "09:00"}, "weekdays": ["mon", "fri"]}, [8], 1),
    # Two spans: one of them must hold; each passes midnight, or keeps to the weekday, by itself.
    ({"hours": [{"from": "02:00", "to": "09:00"}, {"from": "22:00", "to": "23:00"}]}, [4, 5, 8], 1),
    (
        {"hours": [{"from": "08:00", "to": "09:00"}, {"from": "22:00", "to": "02:00"}]},
        [1, 2, 3, 5, 8, 9, 11],
        1,
    ),
    (
        {"hours": [{"from": "08:00", "to": "09:00"}, {"from": "23:00", "to": "01:00"}], "weekdays": ["fri"]},
        [8, 9],
        1,
    ),
]


@pytest.mark.parametrize(("when", "found", "unknown"), CASES, ids=[str(case[0]) for case in CASES])
def test_when(world: Any, when: dict[str, Any], found: list[int], unknown: int) -> None:
    answer = world.ask(
        {
            "targets": [{"entity": "Crash", "role": "primary", "id": "primary"}],
            "temporal_constraints": [{"target_role": "primary", **when}],
        }
    )
    assert answer.keys == [f"c:{number:02}" for number in found]
    assert answer.tally.unknown_left_out == {"primary": unknown}
    # c:02 is the only one at exactly 00:00.
    assert answer.tally.midnight == ({"primary": int(2 in found)} if "hours" in when else {})


def test_two_constraints_on_one_target_hold_both(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [{"entity": "Crash", "role": "primary", "id": "primary"}],
            "temporal_constraints": [
                {"target_role": "primary", "from": "2024-01-01"},
                {"target_role": "primary", "hours": {"from": "22:00", "to": "02:00"}},
            ],
        }
    )
    assert answer.keys == ["c:05", "c:09", "c:11"]
    # c:06 has a day and no time, c:07 no day and noon, which is outside.
    assert answer.tally.unknown_left_out == {"primary": 1}


def _by(world: Any, time: str, order: str, **asked: Any) -> list[tuple[Any, ...]]:
    """Rows of crashes by a part of the time in order: the group and the number."""
    answer = world.ask(
        {
            "targets": [{"entity": "Crash", "role": "primary", "id": "primary"}],
            "measures": [{"measure": "crash_count", "target_role": "primary", "name": "crash_count"}],
            "group_by": [{"target_role": "primary", "time": time}],
            "ranking": {"metric": "crash_count", "target_role": "primary", "order": order, "top_n": None},
            **asked,
        }
    )
    return [(row[time], row["crash_count"]) for row in answer.rows]


def test_months_of_all_years_together(world: Any) -> None:
    assert _by(world, "month_of_year", "highest") == [(7, 4), (1, 3), (2, 1), (3, 1), (12, 1), (None, 1)]


def test_the_fewest_of_a_period_may_be_none(world: Any) -> None:
    fridays = {"temporal_constraints": [{"target_role": "primary", "years": [2024], "weekdays": ["fri"]}]}
    assert _by(world, "month_of_year", "lowest", **fridays) == [(3, 1), (7, 2)]
    where = {"target_role": "primary", "field": "severity", "operator": "eq", "value": "Fatal injury"}
    fatal = _by(world, "weekday", "highest", attribute_constraints=[where])
    days = {day for day, _ in _by(world, "weekday", "highest") if day is not None}
    fewest = _by(world, "weekday", "lowest", attribute_constraints=[where])
    # The days on which others lie have none; of those whose day is not known none is one.
    assert {day for day, _ in fewest} == days
    assert dict(fewest) == dict.fromkeys(days, 0) | {day: n for day, n in fatal if day is not None}
    assert [n for _, n in fewest] == sorted(n for _, n in fewest)
    assert fewest[0][1] == 0
