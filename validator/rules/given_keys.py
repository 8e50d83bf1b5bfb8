"""Keys that the frame gives itself."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.terms import PLACE
from groundframe.validator.context import Context
from groundframe.validator.findings import Fill, Finding, Phase, Put, Rule


def check(context: Context) -> Iterator[Finding]:
    """See that given keys exist and belong to the names beside them; sort them."""
    for path, part in context.parts():
        entity = context.entity(part.entity)
        if part.keys is None:
            continue
        if entity is None:
            if part.entity == PLACE:
                yield Issue(
                    "keyless_place",
                    f"{path}/keys",
                    "A Place has no keys.",
                    action="Name the entity the keys are of.",
                )
            continue
        if not part.keys:
            yield Issue(
                "empty_list",
                f"{path}/keys",
                "An empty list of keys finds nothing.",
                action="Leave 'keys' out.",
            )
            continue
        keys = sorted(set(part.keys))
        if list(part.keys) != keys:
            yield Fill((Put(f"{path}/keys", keys),))
        if context.names is None:
            continue
        known = context.names.keys_exist(entity.name, keys)
        for key in [key for key in keys if key not in known][:3]:
            yield Issue(
                "unknown_key",
                f"{path}/keys",
                f"There is no {entity.label} with the key '{key}' in this dataset.",
                action="Give 'names' instead of 'keys'.",
            )
        if part.names and known:
            named = {feature.key for feature in context.names.features(entity.name, part.names)}
            if not set(keys) <= named:
                message = f"The keys are not those of {', '.join(part.names)}."
                yield Issue(
                    "keys_and_names", f"{path}/keys", message, action="Give the names or the keys alone."
                )


RULE = Rule(
    id="given_keys",
    name="keys that do not exist, or are not those of the names",
    rationale="A key that leads nowhere finds nothing without a word; an answer must be about what it names.",
    phase=Phase.PLACES,
    safety=None,
    check=check,
)
