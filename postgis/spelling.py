"""How PostGIS spells the neutral constructs of lowering.

Importing this module registers the spellings with SQLAlchemy's PostgreSQL dialect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from geoalchemy2 import functions as gis
from sqlalchemy.dialects.postgresql import ARRAY, TIME, array
from sqlalchemy.ext.compiler import compiles

from groundframe.compiler.lowering import constructs as neutral

__all__ = ["compile_sql"]

_COMPILE = {"render_postcompile": True}
"""IN lists are written out: one parameter each, never an array."""

_DIALECT: sa.Dialect = sa.make_url("postgresql+psycopg://").get_dialect()()
_NO_OPTIONS = 0
_DIGITS = 7
_FOLDED = "und-x-icu"
"""A collation by which upper and lower case meet in every script; the C locale knows ASCII only."""


def compile_sql(statement: Any) -> tuple[str, dict[str, Any]]:
    """The statement as psycopg takes it: text and parameters."""
    compiled = statement.compile(dialect=_DIALECT, compile_kwargs=_COMPILE)
    return str(compiled), dict(compiled.params)


def _spell(construct: type, make: Callable[..., Any]) -> None:
    """Register a spelling: the expression that `make` gives for the construct's arguments."""

    @compiles(construct, "postgresql")
    def spelled(element: Any, compiler: Any, **options: Any) -> str:
        text: str = compiler.process(make(element, *element.clauses), **options)
        return text


def _text_has(_: Any, text: Any, part: Any) -> Any:
    folded = (sa.func.lower(sa.collate(text, _FOLDED)), sa.func.lower(sa.collate(part, _FOLDED)))
    return sa.func.strpos(*folded) > 0


def _date_part(element: Any, value: Any) -> Any:
    part = {"weekday": "isodow"}.get(element.part, element.part)
    return sa.cast(sa.extract(part, value), sa.Integer)


def _period(element: Any, value: Any) -> Any:
    pattern = {"quarter": 'YYYY-"Q"Q', "month": "YYYY-MM"}[element.part]
    return sa.func.to_char(value, sa.literal_column(f"'{pattern}'"))


def _or_null(text: Any) -> Any:
    return sa.func.coalesce(text, sa.literal_column("'null'"))


def _quoted(text: Any) -> Any:
    mark: Any = sa.literal_column("'\"'", sa.Text)
    return mark + text + mark


def _json_plain_list(_: Any, value: Any) -> Any:
    joined = sa.func.array_to_string(value, sa.literal_column("""'","'"""), type_=sa.Text)
    listed = sa.literal_column("""'["'""", sa.Text) + joined + sa.literal_column("""'"]'""", sa.Text)
    empty = sa.func.cardinality(value) == sa.literal_column("0")
    return _or_null(sa.case((empty, sa.literal_column("'[]'", sa.Text)), else_=listed))


def _json_whole(_: Any, value: Any) -> Any:
    text: Any = sa.cast(value, sa.Text)
    exact: Any = sa.literal_column(str(2**53))
    return _or_null(sa.case((value.between(-exact, exact), text), (value.is_not(None), _quoted(text))))


def _json_number(_: Any, value: Any) -> Any:
    # Adding nought makes the negative one positive.
    whole: Any = sa.cast(value + sa.literal_column("0"), sa.Text)
    with_point = whole + sa.literal_column("'.0'", sa.Text)
    return _or_null(
        sa.case((value == sa.func.trunc(value), with_point), (value.is_not(None), sa.cast(value, sa.Text)))
    )


def _json_time(_: Any, value: Any) -> Any:
    text: Any = sa.cast(value, sa.Text)
    padded = sa.func.rpad(text, sa.literal_column("15"), sa.literal_column("'0'"), type_=sa.Text)
    to_the_second = value == sa.cast(value, TIME(precision=0))
    return _or_null(sa.case((to_the_second, _quoted(text)), (value.is_not(None), _quoted(padded))))


def _numeric(value: Any) -> Any:
    return sa.cast(value, sa.Numeric)


def _millimetres(_: Any, left: Any, right: Any) -> Any:
    return sa.cast(sa.func.floor(gis.ST_Distance(left, right) * 1000.0 + 0.5), sa.BigInteger)


_spell(neutral.Near, lambda _, left, right, metres: gis.ST_DWithin(left, right, metres))
_spell(neutral.CoveredBy, lambda _, left, right: gis.ST_CoveredBy(left, right))
_spell(neutral.Intersects, lambda _, left, right: gis.ST_Intersects(left, right))
_spell(neutral.Millimetres, _millimetres)
_spell(neutral.Shape, lambda _, wkb, srid: sa.func.ST_GeomFromWKB(wkb, srid))
_spell(neutral.GeoJson, lambda _, geometry: gis.ST_AsGeoJSON(geometry, _DIGITS, _NO_OPTIONS))
_spell(neutral.FilledText, lambda _, text, *parts: sa.func.format(text, *parts))
_spell(neutral.JsonValue, lambda _, value: _or_null(sa.func.to_json(value)))
_spell(neutral.JsonPlain, lambda _, value: _or_null(_quoted(value)))
_spell(neutral.JsonPlainList, _json_plain_list)
_spell(neutral.JsonWhole, _json_whole)
_spell(neutral.JsonNumber, _json_number)
_spell(neutral.JsonTime, _json_time)
_spell(neutral.CodePoints, lambda _, text: sa.collate(text, "C"))
_spell(neutral.TextHas, _text_has)
_spell(
    neutral.ListOverlaps, lambda _, values, *wanted: values.op("&&")(sa.cast(array(wanted), ARRAY(sa.Text)))
)
_spell(neutral.ListValues, lambda _, values: sa.func.unnest(values))
_spell(neutral.DatePart, _date_part)
_spell(neutral.PeriodText, _period)
_spell(neutral.ExactSum, lambda _, value: sa.cast(sa.func.sum(_numeric(value)), sa.Double))
_spell(
    neutral.ExactMean,
    lambda _, value: sa.cast(
        sa.func.sum(_numeric(value)) / sa.func.nullif(sa.func.count(value), 0), sa.Double
    ),
)
_spell(neutral.Median, lambda _, value: sa.func.percentile_cont(0.5).within_group(value.asc()))
