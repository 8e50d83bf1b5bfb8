"""What the data of an answer put to the test: where features lie, what is unknown, what is level."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from groundframe.eval.oracle import Evaluation, OracleAnswer, World
from groundframe.eval.oracle.nearby import TOLERANCE_M, distances_near, touching_pairs
from groundframe.eval.oracle.tally import nearest_tied

__all__ = ["distances", "outcomes"]

SAME_M = 5e-5
NEAR_M = 0.001


def distances(found: Evaluation) -> Iterator[str]:
    """Whether features that meet all else are as far as is asked, or a fraction of a millimetre further."""
    for edge in (edge for node in found.nodes.values() for edge in node.edges):
        above, below = (
            [feature for feature in found.base[node.id] if found.own[node.id][feature.key]]
            for node in (edge.parent, edge.child)
        )
        for constraint in edge.constraints:
            if constraint.relation != "within_distance" or not above or not below:
                continue
            asked = float(constraint.distance_m or 0.0)
            beyond = distances_near(above, below, asked + NEAR_M) - asked
            bands = {
                "features at the distance": abs(beyond) < SAME_M,
                "features 0.4 mm beyond": (beyond >= SAME_M) & (beyond <= TOLERANCE_M),
                "features 0.6 mm beyond": (beyond > TOLERANCE_M) & (beyond < NEAR_M),
            }
            yield from (name for name, there in bands.items() if there.any())


def outcomes(found: Evaluation, expected: OracleAnswer) -> Iterator[str]:
    """What the answer shows of unknown values, missing places, ties, zeros and borders."""
    frame = found.frame
    counts = {"unknown left out": expected.unknown_left_out, "not mapped": expected.not_mapped}
    yield from (name for name, by_role in counts.items() if any(by_role.values()))
    if nearest_tied(found):
        yield "tie among the nearest"
    elif expected.ties_at_cut:
        yield "tie at the cut"
    if expected.matched > len(expected.rows) and frame.ranking is not None and not frame.group_by:
        yield "some rows cut"
    features = found.world.features[found.root.what.entity]
    supports = {one.name for one in frame.measures if one.target_role != found.root.id}
    for row in expected.rows:
        if row.key is not None and features[row.key].geometry is None:
            yield "row without a place"
        if frame.ranking is not None and any(row.measures[str(name)] == 0 for name in supports):
            yield "site without a match"
        if None in row.measures.values():
            yield "no known value"
    yield from _groups(found, expected)
    if any(part.midnight for part in expected.taking_part.values()):
        yield "at 00:00"
    if any(len(part.sources) > 1 for part in expected.taking_part.values()):
        yield "several sources"
    if _uses_cover(found):
        border = on_borders(found.world)
        if any((one.entity, one.key) in border for one in found.meets[found.root.id]):
            yield "on a border"


def _groups(found: Evaluation, expected: OracleAnswer) -> Iterator[str]:
    entity = found.pack.entity(found.root.what.entity)
    for place, by in enumerate(found.frame.group_by):
        values = {row.group[place] for row in expected.rows}
        if by.entity is not None and None in values:
            yield "group of none"
        if by.field is not None and values & {None, *entity.field(by.field).unknown_values}:
            yield "group of the unknown"


def _uses_cover(found: Evaluation) -> bool:
    """Whether it matters in which area the primary lies."""
    links = found.pack.entity(found.root.what.entity).links
    covering = {link.to for link in links if link.rule == "covering"}
    asked = [edge.child.what.entity for edge in found.root.edges if not found.is_geometric(edge)]
    return not covering.isdisjoint([*asked, *(by.entity for by in found.frame.group_by if by.entity)])


@lru_cache(maxsize=4)
def on_borders(world: World) -> frozenset[tuple[str, str]]:
    """Entity and key of the points that several areas of a covering link touch."""
    found: set[tuple[str, str]] = set()
    for entity in world.pack.entities:
        for link in (one for one in entity.links if one.rule == "covering"):
            once: set[str] = set()
            points = [one for one in world.features[entity.name].values() if entity.geometry == ("point",)]
            for feature, _ in touching_pairs(points, list(world.features[link.to].values())):
                if feature.key in once:
                    found.add((entity.name, feature.key))
                once.add(feature.key)
    return frozenset(found)
