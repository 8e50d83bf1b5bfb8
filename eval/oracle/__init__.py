"""The independent oracle: answers a checked frame by brute force, sharing no code with the compiler.

It is written from DESIGN §3 and §7 and docs/checked_frames.md alone, and reads as they do: plain loops over
rows, every pair of features looked at, links and carried fields worked out again from geometry and reported
values. It is slow and meant to be obviously right.

A condition is ``True``, ``False`` or ``None`` (unknown); a spatial relation holds or does not, and it holds
only for features that are known to meet all their conditions.
"""

from groundframe.eval.oracle.answer import answer, answer_of
from groundframe.eval.oracle.evaluation import Evaluation
from groundframe.eval.oracle.feature import Feature
from groundframe.eval.oracle.periods import last_period
from groundframe.eval.oracle.result import OracleAnswer, OracleRow
from groundframe.eval.oracle.world import World

__all__ = [
    "Evaluation",
    "Feature",
    "OracleAnswer",
    "OracleRow",
    "World",
    "answer",
    "answer_of",
    "last_period",
]
