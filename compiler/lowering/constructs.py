"""What SQLAlchemy Core has no neutral word for; an engine spells each (`@compiles`)."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

__all__ = [
    "CodePoints",
    "CoveredBy",
    "DatePart",
    "ExactMean",
    "ExactSum",
    "FilledText",
    "GeoJson",
    "Intersects",
    "JsonNumber",
    "JsonPlain",
    "JsonPlainList",
    "JsonTime",
    "JsonValue",
    "JsonWhole",
    "ListOverlaps",
    "ListValues",
    "Median",
    "Millimetres",
    "Near",
    "PeriodText",
    "Shape",
    "TextHas",
]


class Near(FunctionElement[bool]):
    """Whether two geometries are at most so many metres apart; also for what an index can find."""

    name = "gf_near"
    type = sa.Boolean()
    inherit_cache = True


class CoveredBy(FunctionElement[bool]):
    """Whether no point of the first lies outside of the second."""

    name = "gf_covered_by"
    type = sa.Boolean()
    inherit_cache = True


class Intersects(FunctionElement[bool]):
    """Whether two geometries have a point in common."""

    name = "gf_intersects"
    type = sa.Boolean()
    inherit_cache = True


class Millimetres(FunctionElement[int]):
    """The distance in whole millimetres, ``floor(1000 d + 0.5)`` in binary floating point."""

    name = "gf_millimetres"
    type = sa.BigInteger()
    inherit_cache = True


class Shape(FunctionElement[Any]):
    """A geometry from well-known binary and an SRID."""

    name = "gf_shape"
    type: TypeEngine[Any] = sa.types.NULLTYPE
    inherit_cache = True


class GeoJson(FunctionElement[str]):
    """A WGS 84 geometry as GeoJSON text with 7 decimals."""

    name = "gf_geojson"
    type = sa.Text()
    inherit_cache = True


class FilledText(FunctionElement[str]):
    """A text, the first argument, with the others in turn where it has ``%s``; ``%%`` is a ``%``."""

    name = "gf_filled_text"
    type = sa.Text()
    inherit_cache = True


class JsonValue(FunctionElement[str]):
    """A text, a list of texts, a date, a truth or an integer of four bytes as JSON, ``null`` for NULL."""

    name = "gf_json_value"
    type = sa.Text()
    inherit_cache = True


class JsonPlain(FunctionElement[str]):
    """A text in which JSON escapes nothing as JSON, ``null`` for NULL."""

    name = "gf_json_plain"
    type = sa.Text()
    inherit_cache = True


class JsonPlainList(FunctionElement[str]):
    """A list of such texts as JSON, ``null`` for NULL."""

    name = "gf_json_plain_list"
    type = sa.Text()
    inherit_cache = True


class JsonWhole(FunctionElement[str]):
    """A whole number as JSON: beyond 2**53, where not all readers have it exactly, as text."""

    name = "gf_json_whole"
    type = sa.Text()
    inherit_cache = True


class JsonNumber(FunctionElement[str]):
    """A floating point number of less than 10**15 as JSON: the shortest text, with a point."""

    name = "gf_json_number"
    type = sa.Text()
    inherit_cache = True


class JsonTime(FunctionElement[str]):
    """A time of day as JSON: to the second, or with six digits of it."""

    name = "gf_json_time"
    type = sa.Text()
    inherit_cache = True


class CodePoints(FunctionElement[str]):
    """A text to be sorted by code points, whatever the database's language."""

    name = "gf_code_points"
    type = sa.Text()
    inherit_cache = True


class TextHas(FunctionElement[bool]):
    """Whether a text contains another, whatever the case; nothing in either is a wildcard."""

    name = "gf_text_has"
    type = sa.Boolean()
    inherit_cache = True


class ListOverlaps(FunctionElement[bool]):
    """Whether a list of texts, the first argument, has one of the others; NULL for NULL."""

    name = "gf_list_overlaps"
    type = sa.Boolean()
    inherit_cache = True


class ListValues(FunctionElement[Any]):
    """The values of a list as rows."""

    name = "gf_list_values"
    type = sa.Text()
    inherit_cache = True


class DatePart(FunctionElement[int]):
    """Year, month, weekday (1 Monday to 7) or hour of a date or a time."""

    name = "gf_date_part"
    type = sa.Integer()
    inherit_cache = False

    def __init__(self, part: str, value: sa.ColumnElement[Any]) -> None:
        self.part = part
        super().__init__(value)


class PeriodText(FunctionElement[str]):
    """The quarter (``2023-Q1``) or the month (``2023-01``) of a date."""

    name = "gf_period"
    type = sa.Text()
    inherit_cache = False

    def __init__(self, part: str, value: sa.ColumnElement[Any]) -> None:
        self.part = part
        super().__init__(value)


class ExactSum(FunctionElement[float]):
    """The sum of floating point numbers, the same in whatever order they come."""

    name = "gf_exact_sum"
    type = sa.Double()
    inherit_cache = True


class ExactMean(FunctionElement[float]):
    """The exact sum divided by the number of values, NULL of none."""

    name = "gf_exact_mean"
    type = sa.Double()
    inherit_cache = True


class Median(FunctionElement[float]):
    """The median; of an even number of values the mean of the middle two."""

    name = "gf_median"
    type = sa.Double()
    inherit_cache = True
