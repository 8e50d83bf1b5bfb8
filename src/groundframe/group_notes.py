"""What a reader should know of rows that are groups: where unknown times went, and which groups there are."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.frames.model import Frame
from groundframe.schema.model import Pack

__all__ = ["group_notes"]


def group_notes(frame: Frame, pack: Pack) -> Iterator[str]:
    """Notes on the groups of a checked frame.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> crash, hour = {"entity": "Crash", "role": "primary"}, {"target_role": "primary", "time": "hour"}
    >>> frame = Frame.model_validate({"targets": [crash], "group_by": [hour]})
    >>> list(group_notes(frame, load_pack("massachusetts")))
    ['Hour 0 has the crashes at exactly 00:00, which some reports write for an unknown time.']
    """
    owners = {str(target.id or target.role): pack.entity(target.entity) for target in frame.targets}
    for group in frame.group_by:
        if group.time == "hour" and group.target_role in owners:
            features = owners[group.target_role].plural
            yield f"Hour 0 has the {features} at exactly 00:00, which some reports write for an unknown time."
    if frame.group_by and frame.ranking is not None and frame.ranking.order == "lowest":
        primary = next(pack.entity(target.entity) for target in frame.targets if target.role == "primary")
        yield f"Groups without any {primary.plural} have no row: they are not among those compared."
