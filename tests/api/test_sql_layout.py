"""Laying out SQL changes white space and nothing else."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from groundframe.formats.sql import WIDTH, laid_out, squeezed

_KEYWORDS = (
    "SELECT FROM WHERE JOIN LEFT OUTER LATERAL ON AND OR UNION ALL GROUP ORDER BY PARTITION OVER DISTINCT "
    "IS NOT WITH AS a.key b.key = , , , count(*) %(p1)s::VARCHAR \"C\" 'it''s (' ( ) ( ) ( ) ((( ' \""
)
_WORDS = st.sampled_from(_KEYWORDS.split(" ")) | st.sampled_from(
    ["'two  words'", "'a\nb'", '" a ""b"', "x" * 40]
)
_STATEMENTS = st.lists(_WORDS, max_size=60).map(" ".join)
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")


@settings(deadline=None)
@given(_STATEMENTS)
def test_only_white_space_changes(sql: str) -> None:
    text = laid_out(sql)
    assert squeezed(text) == squeezed(sql)
    assert _QUOTED.findall(text) == _QUOTED.findall(sql)


@settings(deadline=None)
@given(_STATEMENTS)
def test_laying_out_again_changes_nothing(sql: str) -> None:
    assert laid_out(laid_out(sql)) == laid_out(sql)


def test_a_clause_a_line() -> None:
    columns = ", ".join(f"crash_1.column_{number} AS column_{number}" for number in range(4))
    sql = (
        f"WITH k AS \n(SELECT {columns} FROM crash AS crash_1 WHERE crash_1.a IS DISTINCT FROM crash_1.b)\n "
        "SELECT k.column_1 FROM k LEFT OUTER JOIN town AS town_2 ON town_2.key = k.column_2 "
        "WHERE k.column_0 > %(p1)s AND k.column_3 BETWEEN %(p2)s AND %(p3)s "
        "GROUP BY k.column_1 \n LIMIT %(p4)s"
    )
    assert laid_out(sql).splitlines() == [
        "WITH k AS (",
        "  SELECT",
        "    crash_1.column_0 AS column_0,",
        "    crash_1.column_1 AS column_1,",
        "    crash_1.column_2 AS column_2,",
        "    crash_1.column_3 AS column_3",
        "  FROM crash AS crash_1",
        "  WHERE crash_1.a IS DISTINCT FROM crash_1.b",
        ")",
        "SELECT k.column_1",
        "FROM k",
        "LEFT OUTER JOIN town AS town_2 ON town_2.key = k.column_2",
        "WHERE k.column_0 > %(p1)s AND k.column_3 BETWEEN %(p2)s AND %(p3)s",
        "GROUP BY k.column_1",
        "LIMIT %(p4)s",
    ]


def test_what_fits_stays_on_its_line() -> None:
    sql = "SELECT a, count(*) FILTER (WHERE b = 1) FROM t WHERE a = 'x  y'"
    assert len(sql) <= WIDTH
    assert laid_out(sql) == sql
