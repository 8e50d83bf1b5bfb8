"""The closed vocabularies of a frame, canonical; other words for them are the validator's."""

from __future__ import annotations

from calendar import day_name

__all__ = [
    "AGGREGATES",
    "DAY_NAMES",
    "ORDERS",
    "OUTPUTS",
    "PERIOD_UNITS",
    "PLACE",
    "RELATIONS",
    "TARGET_ROLES",
    "TIME_BUCKETS",
    "WEEKDAYS",
]

TARGET_ROLES = ("primary", "support", "scope", "filter")
RELATIONS = ("within_distance", "within", "contains", "intersects", "nearest_to", "on")
AGGREGATES = ("count", "sum", "mean", "min", "max", "median")
"""Measures that a frame may take of any target or numeric field, beside the pack's own."""

TIME_BUCKETS = ("year", "quarter", "month", "date", "weekday", "hour", "month_of_year")
PERIOD_UNITS = ("day", "week", "month", "year")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_NAMES = dict(zip(WEEKDAYS, day_name, strict=True))
ORDERS = ("highest", "lowest")
OUTPUTS = ("map", "table", "summary", "count")
PLACE = "Place"
"""The entity of a reference that is none of the pack's: a name of any kind, a position or an area."""
