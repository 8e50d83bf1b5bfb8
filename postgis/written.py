"""Features as the GeoJSON that answers write, kept by a load for those of which there are many."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from groundframe.compiler.columns import feature_columns
from groundframe.compiler.compile import compile_frame
from groundframe.compiler.lowering import Template, Traits, feature_template, lower_texts
from groundframe.compiler.plan import Plan
from groundframe.compiler.types import Features
from groundframe.frames.model import Frame
from groundframe.postgis.rewrites import POSTGIS
from groundframe.postgis.spelling import compile_sql
from groundframe.schema.model import Entity, Pack

__all__ = ["Written", "are_written", "is_written", "written"]


@dataclass(frozen=True, slots=True)
class Written:
    """How the features of an entity are written.

    Attributes
    ----------
    plan : Plan
        All of them, by the entity's own tables.
    digest : str
        Of the statement that writes them: another one may write them otherwise.
    """

    plan: Plan
    template: Template
    digest: str


_KNOWN: dict[tuple[int, str], tuple[Pack, Written]] = {}
"""They hold the pack that they were made for, so that no other takes its place."""


def is_written(entity: Entity) -> bool:
    """Whether a load keeps the texts: of what happens there is so much that writing it takes long."""
    return entity.date_field is not None


def written(pack: Pack, entity: Entity) -> Written:
    """How the features of an entity are written by this version."""
    key = (id(pack), entity.name)
    if key not in _KNOWN:
        _KNOWN[key] = (pack, _written(pack, entity))
    return _KNOWN[key][1]


def _written(pack: Pack, entity: Entity) -> Written:
    target = {"entity": entity.name, "role": "primary", "id": "primary"}
    plan = compile_frame(Frame.model_validate({"targets": [target]}), pack)
    template = feature_template(feature_columns(entity, pack), 0)
    text, parameters = compile_sql(lower_texts(plan, template, POSTGIS))
    return Written(plan, template, hashlib.sha256(f"{text}\0{parameters}".encode()).hexdigest())


def are_written(plan: Plan, template: Template, traits: Traits) -> str | None:
    """The table that holds the rows of a plan as the template has them; None where there is none."""
    kind = plan.output.input.output
    if plan.physical is None or traits is not POSTGIS or not isinstance(kind, Features):
        return None
    narrow = plan.physical.entities[kind.entity]
    if narrow.written is None:
        return None
    now = written(plan.pack, narrow.entity)
    same = list(template) == list(now.template) and narrow.written == now.digest
    return narrow.texts if same and plan.geometry else None
