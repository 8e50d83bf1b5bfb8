"""Parts of a frame dropped, doubled, or of another shape."""

from __future__ import annotations

from groundframe.eval.repairs.mutation import Change, Draw, Family
from groundframe.eval.repairs.paths import CONSTRAINTS, Path, conditions, drop, get, parts, pointer

__all__ = ["SHAPE_FAMILIES"]


def default_distance(draw: Draw) -> Change | None:
    """A nearness without its distance; the original has the pack's default."""
    paths = [
        ("spatial_constraints", at)
        for at, one in enumerate(draw.frame.get("spatial_constraints", ()))
        if one.get("distance_m")
    ]
    if not paths:
        return None
    path: Path = (*draw.rng.choice(paths), "distance_m")
    draw.stage(path, draw.sites.pack.defaults.near_m)
    return Change(pointer(path), drop(draw.frame, path), None)


def implied_join(draw: Draw) -> Change | None:
    """The written-out frame without one of the relations that the original left to be implied."""
    written = draw.explicit["spatial_constraints"] if draw.explicit.get("spatial_constraints") else []
    given = len(draw.frame.get("spatial_constraints", ()))
    if len(written) <= given:
        return None
    draw.frame.clear()
    draw.frame.update(draw.explicit)
    path = ("spatial_constraints", draw.rng.randrange(given, len(written)))
    return Change(pointer(path), drop(draw.frame, path), None)


def written_out(draw: Draw) -> Change | None:
    """The frame as the validator wrote it out, with names in the place of keys."""
    before = dict(draw.frame)
    draw.frame.clear()
    draw.frame.update(draw.explicit)
    return Change("", before, "written out")


def doubled(draw: Draw) -> Change | None:
    """A constraint or a name given twice."""
    paths: list[Path] = [(name, at) for name in CONSTRAINTS for at in range(len(draw.frame.get(name, ())))]
    paths += [
        (*path, "names", at) for path, part in parts(draw.frame) for at in range(len(part.get("names", ())))
    ]
    if not paths:
        return None
    path = draw.rng.choice(paths)
    again = get(draw.frame, path)
    get(draw.frame, path[:-1]).append(again)
    return Change(pointer((*path[:-1], "-")), None, again)


def doubled_scope(draw: Draw) -> Change | None:
    """A scope or anchor given twice, without an id."""
    found = [
        (path, part)
        for path, part in parts(draw.frame)
        if part.get("role", "anchor") in ("scope", "anchor") and "id" not in part
    ]
    if not found:
        return None
    path, part = draw.rng.choice(found)
    draw.frame[str(path[0])].append(dict(part))
    return Change(pointer((path[0], "-")), None, part)


def list_for_scalar(draw: Draw) -> Change | None:
    """One value as a list, a list of one as a value, one name as text."""
    found: list[tuple[Path, object]] = []
    for path, condition, _ in conditions(draw.frame):
        value = condition.get("value")
        if value is not None and not isinstance(value, list) and condition.get("operator") != "contains":
            found.append(((*path, "value"), [value]))
        elif isinstance(value, list) and condition.get("operator") in ("in", "not_in"):
            found.append(((*path, "operator"), {"in": "eq", "not_in": "ne"}[condition["operator"]]))
    found += [
        ((*path, "names"), part["names"][0])
        for path, part in parts(draw.frame)
        if len(part.get("names", ())) == 1
    ]
    if not found:
        return None
    path, after = draw.rng.choice(found)
    return draw.change(path, after)


def operator_dropped(draw: Draw) -> Change | None:
    """A test of equality, or of a list, without its operator."""
    paths = [path for path, one, _ in conditions(draw.frame) if one.get("operator") in ("eq", "in")]
    if not paths:
        return None
    path = (*draw.rng.choice(paths), "operator")
    return Change(pointer(path), drop(draw.frame, path), None)


def concept_as_field(draw: Draw) -> Change | None:
    """A concept tested like a field."""
    for path, one, _ in conditions(draw.frame):
        if "concept" in one and "variant" not in one:
            before = dict(one)
            name = one.pop("concept")
            truth = not one.pop("negate", False)
            spelt = draw.rng.choice((truth, "yes" if truth else "no", "true" if truth else "false"))
            one |= {"field": name, "operator": "eq", "value": spelt}
            return Change(pointer(path), before, dict(one))
    return None


def target_missing(draw: Draw) -> Change | None:
    """A target that constraints name is not declared; nothing can say what it was."""
    named = {
        one.get(end)
        for name in CONSTRAINTS
        for one in draw.frame.get(name, ())
        for end in ("target_role", "reference_role")
    }
    paths = [path for path, part in parts(draw.frame) if part.get("id", part.get("role", "anchor")) in named]
    if not paths:
        return None
    path = draw.rng.choice(paths)
    return Change(pointer(path), drop(draw.frame, path), None)


def primary_missing(draw: Draw) -> Change | None:
    """No target is the primary: it is a support or a filter like others."""
    for path, part in parts(draw.frame):
        if part.get("role") == "primary":
            return draw.change((*path, "role"), draw.rng.choice(("support", "filter")))
    return None


SHAPE_FAMILIES: tuple[Family, ...] = tuple(
    Family(change.__name__.replace("_", " "), group, change)
    for group, changes in {
        "implied": (default_distance, implied_join, written_out, operator_dropped),
        "doubled": (doubled, doubled_scope),
        "shape": (list_for_scalar, concept_as_field),
        "missing": (target_missing, primary_missing),
    }.items()
    for change in changes
)
