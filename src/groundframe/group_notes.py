"""What a reader should know of rows that are groups: where unknown times went, which there are, their sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from groundframe.compiler.measures import measured
from groundframe.frames.model import Frame
from groundframe.schema.model import Pack

__all__ = ["Whole", "group_notes", "whole_of"]

Whole = Literal["", "sum", "max", "min"]
_OF_SOME = ("mean", "median", "min", "max")
"""What nothing has."""
_WHOLE: Mapping[str, Whole] = {"sum": "sum", "weighted_count": "sum", "max": "max", "min": "min"}
"""How the number of all is had from those of groups."""


def group_notes(frame: Frame, pack: Pack) -> Iterator[str]:
    """Notes on the groups of a checked frame.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> crash, hour = {"entity": "Crash", "role": "primary"}, {"target_role": "primary", "time": "hour"}
    >>> frame = Frame.model_validate({"targets": [crash], "group_by": [hour]})
    >>> list(group_notes(frame, load_pack("massachusetts")))
    ['00:00-00:59 has the crashes at exactly 00:00, which some reports write for an unknown time.']
    """
    owners = {str(target.id or target.role): pack.entity(target.entity) for target in frame.targets}
    for group in frame.group_by:
        if group.time == "hour" and group.target_role in owners:
            features = owners[group.target_role].plural
            yield (
                f"00:00-00:59 has the {features} at exactly 00:00, "
                "which some reports write for an unknown time."
            )
    if not frame.group_by or frame.ranking is None or frame.ranking.order != "lowest":
        return
    primary, by = next(one for one in frame.targets if one.role == "primary"), frame.group_by[0]
    metric = next((one for one in frame.measures if one.name == frame.ranking.metric), None)
    own = metric is not None and metric.target_role == by.target_role == primary.id
    if own and metric is not None and by.time and len(frame.group_by) == 1 and metric.measure not in _OF_SOME:
        unit, features = by.time.replace("_", " "), pack.entity(primary.entity).plural
        yield (
            f"Any {unit} of the data is compared, with 0 where none are like that; "
            f"{features} of unknown {unit} are not."
        )
    else:
        yield f"Groups without any {pack.entity(primary.entity).plural} have no row: they are not compared."


def whole_of(frame: Frame, pack: Pack) -> Whole:
    """How the number of all groups of a checked frame is had from theirs; empty where it is not.

    That is where one number is asked for, and no feature is in several groups.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> crash = {"entity": "Crash", "role": "primary", "id": "crash"}
    >>> killed = {"measure": "persons_killed", "target_role": "crash"}
    >>> def frame(**group):
    ...     groups = [{"target_role": "crash", **group}]
    ...     return Frame.model_validate({"targets": [crash], "group_by": groups, "measures": [killed]})
    >>> whole_of(frame(time="year"), load_pack("massachusetts"))
    'sum'
    >>> whole_of(frame(field="weather"), load_pack("massachusetts"))  # a list: one crash in several groups
    ''
    """
    if frame.having or len(frame.measures) != 1 or not frame.group_by:
        return ""
    primary, request = next(one for one in frame.targets if one.role == "primary"), frame.measures[0]
    entity = pack.entity(primary.entity)
    if {request.target_role, *(group.target_role for group in frame.group_by)} != {primary.id}:
        return ""
    lists = {field.name for field in entity.fields if field.type == "category_list"}
    if lists & {group.field for group in frame.group_by}:
        return ""
    return _WHOLE.get(measured(request, entity, pack).function, "")
