"""Targets in another role, and constraints about another target than is meant."""

from __future__ import annotations

from groundframe.eval.repairs.mutation import Change, Draw, Family
from groundframe.eval.repairs.paths import CONSTRAINTS, Data, Path, drop, parts, pointer, resolve
from groundframe.frames.terms import PLACE

__all__ = ["ROLE_FAMILIES"]


def scope_as_anchor(draw: Draw) -> Change | None:
    """A scope among the references, where it is not of the primary's own entity: that is left out there."""
    own = resolve(draw.frame, "primary") or {}
    for path, part in parts(draw.frame):
        if part.get("role") == "scope" and part.get("names") and part["entity"] != own.get("entity"):
            moved = drop(draw.frame, path)
            role = draw.rng.choice(("scope", "anchor"))
            draw.frame.setdefault("references", []).append({**moved, "role": role})
            if role == "anchor":
                _rename(draw.frame, "scope", "anchor")
            return Change(pointer(path), moved, {**moved, "role": role})
    return None


def anchor_as_target(draw: Draw) -> Change | None:
    """An anchor among the targets, as an anchor or as a scope."""
    references = draw.frame.get("references", ())
    if len(references) != 1 or not references[0].get("names"):
        return None
    moved = drop(draw.frame, ("references", 0))
    own = resolve(draw.frame, "primary") or {}
    # A scope of the primary's own entity would be left in the results.
    role = "anchor" if own.get("entity") == moved.get("entity") else draw.rng.choice(("anchor", "scope"))
    target = {"entity": moved.get("entity", PLACE), "role": role, "names": moved["names"]}
    draw.frame["targets"].append(target)
    if role == "scope":
        _rename(draw.frame, "anchor", "scope")
    return Change("/references/0", moved, target)


def idle_support(draw: Draw) -> Change | None:
    """A filter as a support, where nothing is counted."""
    if any(draw.frame.get(name) for name in ("ranking", "measures", "having", "group_by")):
        return None
    return _recast(draw, "filter", "support")


def counted_filter(draw: Draw) -> Change | None:
    """What a ranking counts, as a filter."""
    return _recast(draw, "support", "filter") if draw.frame.get("ranking") else None


def _recast(draw: Draw, role: str, other: str) -> Change | None:
    found = [(path, part) for path, part in parts(draw.frame) if part.get("role") == role]
    if len(found) != 1 or any(part.get("role") == other for _, part in parts(draw.frame)):
        return None
    change = draw.change((*found[0][0], "role"), other)
    _rename(draw.frame, role, other)
    return change


def _rename(frame: Data, mention: str, other: str) -> None:
    for name in (*CONSTRAINTS, "measures", "group_by"):
        for one in frame.get(name, ()):
            for end in ("target_role", "reference_role"):
                if one.get(end) == mention:
                    one[end] = other


def role_dropped(draw: Draw) -> Change | None:
    """A condition or measure that does not say what it is about, where only one target can be meant."""
    paths: list[Path] = []
    for name in ("attribute_constraints", "measures"):
        for at, one in enumerate(draw.frame.get(name, ())):
            able = [part for part in draw.frame["targets"] if _fits(draw, part, one)]
            if "target_role" in one and len(able) == 1:
                paths.append((name, at, "target_role"))
    if not paths:
        return None
    path = draw.rng.choice(paths)
    return Change(pointer(path), drop(draw.frame, path), None)


def role_misplaced(draw: Draw) -> Change | None:
    """A condition on a target that cannot have it, where one other can."""
    for at, one in enumerate(draw.frame.get("attribute_constraints", ())):
        able = [part for part in draw.frame["targets"] if _fits(draw, part, one)]
        others = [part for part in draw.frame["targets"] if part not in able]
        if (
            len(able) == 1
            and others
            and "any_of" not in one
            and resolve(draw.frame, one.get("target_role")) is able[0]
        ):
            other = draw.rng.choice(others)
            return draw.change(("attribute_constraints", at, "target_role"), other.get("id", other["role"]))
    return None


def _fits(draw: Draw, part: Data, one: Data) -> bool:
    """Whether a target's entity has what a condition or measure is about."""
    match = draw.sites.vocabulary.entities.match(part["entity"])
    if match is None:
        return False
    pack, entity = draw.sites.pack, draw.sites.pack.entity(match.word)
    if one.get("field"):
        return draw.sites.field(entity, one["field"]) is not None
    owners = {concept.name: concept.entity for concept in pack.concepts} | {
        m.name: m.entity for m in pack.measures
    }
    return owners.get(str(one.get("concept", one.get("measure")))) == entity.name


def role_as_entity(draw: Draw) -> Change | None:
    """A target called by its entity."""
    site = draw.pick("mention")
    part = resolve(draw.frame, site.text) if site else None
    if site is None or part is None or "entity" not in part or part["entity"] == PLACE:
        return None
    if sum(one.get("entity") == part["entity"] for _, one in parts(draw.frame)) > 1:
        return None
    entity = draw.sites.pack.entity(part["entity"])
    return draw.change(site.path, draw.rng.choice((entity.name, entity.label, entity.plural, entity.table)))


def swapped_ends(draw: Draw) -> Change | None:
    """A relation the wrong way round, where only one way is possible or both are the same."""
    for at, one in enumerate(draw.frame.get("spatial_constraints", ())):
        if one["relation"] in ("within_distance", "within", "on"):
            target, reference = one["target_role"], one["reference_role"]
            change = draw.change(("spatial_constraints", at, "target_role"), reference)
            draw.change(("spatial_constraints", at, "reference_role"), target)
            return change
    return None


def spurious_anchor(draw: Draw) -> Change | None:
    """A kind of thing taken for a place: the filter becomes an anchor whose name is the plural."""
    for path, part in parts(draw.frame):
        related = [
            one
            for one in draw.frame.get("spatial_constraints", ())
            if "filter" in (one["target_role"], one["reference_role"])
        ]
        tested = any(
            one.get("target_role") == "filter" for name in CONSTRAINTS[1:] for one in draw.frame.get(name, ())
        )
        if (
            part.get("role") == "filter"
            and "id" not in part
            and len(related) == 1
            and not tested
            and not draw.frame.get("references")
        ):
            if related[0].get("negate"):
                continue
            moved = drop(draw.frame, path)
            entity = draw.sites.pack.entity(moved["entity"])
            anchor = {
                "entity": PLACE,
                "role": "anchor",
                "names": [draw.rng.choice((entity.plural, f"the {entity.plural}", entity.label))],
            }
            draw.frame["references"] = [anchor]
            _rename(draw.frame, "filter", "anchor")
            return Change(pointer(path), moved, anchor)
    return None


ROLE_FAMILIES: tuple[Family, ...] = tuple(
    Family(change.__name__.replace("_", " "), "roles", change)
    for change in (
        scope_as_anchor, anchor_as_target, idle_support, counted_filter, role_dropped, role_misplaced,
        role_as_entity, swapped_ends, spurious_anchor,
    )
)  # fmt: skip
