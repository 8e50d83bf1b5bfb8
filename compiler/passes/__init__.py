"""Rewrites of a plan: pure functions that change how long it takes and never what it means.

A pass takes an operation, and what the dataset holds so that answers come quickly, and returns the rewritten
operation. They are applied in the order of `PASSES`.
"""

from __future__ import annotations

from collections.abc import Callable

from groundframe.compiler.ops import Op
from groundframe.compiler.passes.aggregate_before_join import aggregate_before_join
from groundframe.compiler.passes.count_once import count_once
from groundframe.compiler.passes.drop_redundant import drop_redundant
from groundframe.compiler.passes.prefer_semi_join import prefer_semi_join
from groundframe.compiler.passes.push_filters_down import push_filters_down
from groundframe.compiler.passes.rank_before_measuring import rank_before_measuring
from groundframe.compiler.passes.use_links import use_links
from groundframe.compiler.passes.use_nearest_distances import use_nearest_distances
from groundframe.compiler.passes.use_stored_concepts import use_stored_concepts
from groundframe.compiler.passes.use_stored_counts import use_stored_counts
from groundframe.compiler.passes.use_stored_groups import use_stored_groups
from groundframe.compiler.passes.use_stored_pairs import use_stored_pairs
from groundframe.compiler.passes.use_stored_sums import use_stored_sums
from groundframe.compiler.physical import Physical

__all__ = ["PASSES", "Pass"]

Pass = Callable[[Op, Physical | None], Op]

PASSES: tuple[Pass, ...] = (
    drop_redundant,
    push_filters_down,
    use_links,
    push_filters_down,
    drop_redundant,
    use_stored_concepts,
    use_nearest_distances,
    drop_redundant,
    count_once,
    aggregate_before_join,
    use_stored_pairs,
    prefer_semi_join,
    rank_before_measuring,
    use_stored_counts,
    use_stored_sums,
    use_stored_groups,
)
