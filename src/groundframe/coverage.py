"""Whether what is compared was covered equally, which is said before any number (DESIGN §7.12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from groundframe.frames.model import Frame
from groundframe.schema.vocabulary import fold

__all__ = ["coverage_warnings", "covered", "taken_for_absent"]

Source = Mapping[str, Any]


def coverage_warnings(frame: Frame, sources: Iterable[Source], whole: Iterable[str]) -> list[str]:
    """The warnings for a checked frame and the sources that contributed to its answer.

    Rows are compared when they are ranked or grouped, or when something must be absent. They were covered
    equally when the sources of what is counted declare one area and one period, are complete, and cover the
    area that the rows lie in.

    Parameters
    ----------
    frame : Frame
        The checked frame.
    sources : iterable of mapping
        With ``target``, ``title`` and ``coverage`` each.
    whole : iterable of str
        What the area of the whole dataset is called.

    Examples
    --------
    >>> measures = [{"measure": "count", "target_role": "support", "name": "n"}]
    >>> frame = Frame.model_validate({"measures": measures, "ranking": {"metric": "n"}})
    >>> coverage = {"area": "Boston", "first": "2012-01-01", "last": "2014-12-31", "completeness": "sample"}
    >>> coverage_warnings(frame, [{"target": "support", "title": "Reports", "coverage": coverage}], ["State"])
    ['Not covered equally: Reports (Boston, 2012-01-01 to 2014-12-31, sample).']
    """
    found, everywhere = [source for source in sources if source["coverage"]], set(map(fold, whole))
    compared = (
        {measure.target_role for measure in frame.measures} if frame.ranking or frame.group_by else set()
    )
    targets = sorted({*filter(None, compared), *taken_for_absent(frame)})
    return [warning for target in targets for warning in _uneven(frame, target, found, everywhere)]


def taken_for_absent(frame: Frame) -> set[str]:
    """Filters of which there must be none: where nothing was recorded, they seem to be absent."""
    filters = {str(target.id) for target in frame.targets if target.role == "filter"}
    negated = [constraint for constraint in frame.spatial_constraints if constraint.negate]
    return filters & {part for one in negated for part in (one.target_role, one.reference_role)}


def _uneven(frame: Frame, target: str, sources: list[Source], whole: set[str]) -> Iterator[str]:
    own = {source["title"]: source["coverage"] for source in sources if source["target"] == target}
    areas = {fold(coverage["area"]) for coverage in own.values()}
    periods = {(coverage["first"], coverage["last"]) for coverage in own.values()}
    reasons = (
        len(areas) > 1,
        len(periods) > 1,
        any(coverage["completeness"] != "complete" for coverage in own.values()),
        bool(areas) and not areas & (whole | _wanted(frame, target, sources)),
        any(item.time == "year" for item in frame.group_by) and any(map(_broken_year, own.values())),
    )
    if any(reasons):
        listed = "; ".join(covered(title, coverage) for title, coverage in own.items())
        yield f"Not covered equally: {listed}."


def _wanted(frame: Frame, target: str, sources: list[Source]) -> set[str]:
    """Names of the area that `target` has to be known in: the scope, or where the compared rows are from."""
    scope = [name for one in frame.targets if one.role == "scope" for name in one.names]
    if len(scope) == 1:
        return {fold(scope[0])}
    others = {fold(source["coverage"]["area"]) for source in sources if source["target"] != target}
    return others or {fold(source["coverage"]["area"]) for source in sources}


def _broken_year(coverage: Mapping[str, Any]) -> bool:
    first, last = coverage["first"], coverage["last"]
    return bool((first and first[5:] != "01-01") or (last and last[5:] != "12-31"))


def covered(title: str, coverage: Mapping[str, Any] | None) -> str:
    """A source with what it covers, in words.

    Examples
    --------
    >>> covered("Reports", {"area": "Boston", "first": "2012-01-01", "last": None, "completeness": "sample"})
    'Reports (Boston, 2012-01-01, sample)'
    """
    if not coverage:
        return title
    period = " to ".join(end for end in (coverage["first"], coverage["last"]) if end)
    parts = ", ".join(part for part in (coverage["area"], period, coverage["completeness"]) if part)
    return f"{title} ({parts})"
