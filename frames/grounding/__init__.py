"""Whether a frame says what the question says: nothing left out, nothing invented."""

from groundframe.frames.grounding.check import Grounding, Ungrounded

__all__ = ["Grounding", "Ungrounded"]
