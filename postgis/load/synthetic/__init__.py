"""A synthetic state, made from the plan that comes with a pack."""

from groundframe.postgis.load.synthetic.state import SyntheticState, generate

__all__ = ["SyntheticState", "generate"]
