"""Periods that end at the newest date of the data (DESIGN §3, §7.7)."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date, timedelta

__all__ = ["last_period"]


def last_period(days: Iterable[date], count: int, unit: str) -> tuple[date, date]:
    """First and last day of the last so many days, weeks, months or years.

    Examples
    --------
    >>> last_period([date(2023, 5, 1), date(2024, 3, 30)], 1, "month")
    (datetime.date(2024, 3, 1), datetime.date(2024, 3, 30))
    """
    newest = max(days)
    if unit in ("day", "week"):
        before = newest - timedelta(days=count * (7 if unit == "week" else 1))
    else:
        months = 12 * newest.year + newest.month - 1 - count * (12 if unit == "year" else 1)
        year, month = divmod(months, 12)
        before = date(year, month + 1, min(newest.day, monthrange(year, month + 1)[1]))
    return before + timedelta(days=1), newest
