"""From the graph of operations to engine-neutral SQLAlchemy Core."""

from __future__ import annotations

from groundframe.compiler.lowering.binds import Binds
from groundframe.compiler.lowering.lower import Lowered, lower, lower_tally, node_counts
from groundframe.compiler.lowering.shape import shape_of
from groundframe.compiler.lowering.spelled import (
    Template,
    can_be_spelled,
    feature_template,
    lower_spelled,
    lower_texts,
    lower_written,
)
from groundframe.compiler.lowering.traits import NEUTRAL, Traits

__all__ = [
    "NEUTRAL",
    "Binds",
    "Lowered",
    "Template",
    "Traits",
    "can_be_spelled",
    "feature_template",
    "lower",
    "lower_spelled",
    "lower_tally",
    "lower_texts",
    "lower_written",
    "node_counts",
    "shape_of",
]
