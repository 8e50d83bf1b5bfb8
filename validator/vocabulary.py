"""The words of a frame and of a pack, ready for matching."""

from __future__ import annotations

from collections import OrderedDict

from groundframe.frames.terms import PLACE
from groundframe.schema.model import Entity, Pack
from groundframe.validator.lexicon import Lexicon

__all__ = [
    "AGGREGATES",
    "DAY_GROUPS",
    "FACTS",
    "MONTHS",
    "NUMERIC",
    "OPERATORS",
    "ORDERS",
    "OUTPUTS",
    "RELATIONS",
    "ROLES",
    "STATES",
    "TIME_BUCKETS",
    "UNITS",
    "UNSUPPORTED_MEASURES",
    "WEEKDAYS",
    "Vocabulary",
    "vocabulary",
]

OPERATORS = Lexicon(
    (
        ("eq", ("=", "==", "is", "equals", "equal", "equal to", "equals to")),
        ("ne", ("!=", "<>", "≠", "neq", "is not", "isn't", "not", "not equal", "not equal to")),
        ("in", ("one of", "any of", "is one of", "is in", "among")),
        ("not_in", ("none of", "not one of", "is not in", "nin", "not any of")),
        ("lt", ("<", "less than", "lower than", "below", "under", "fewer than", "smaller than", "before")),
        (
            "lte",
            (
                "<=",
                "≤",
                "at most",
                "no more than",
                "up to",
                "le",
                "less than or equal to",
                "maximum",
                "until",
            ),
        ),
        (
            "gt",
            (
                ">",
                "greater than",
                "higher than",
                "more than",
                "above",
                "over",
                "larger than",
                "after",
                "exceeds",
            ),
        ),
        (
            "gte",
            (
                ">=",
                "≥",
                "at least",
                "no less than",
                "ge",
                "greater than or equal to",
                "minimum",
                "since",
                "from",
            ),
        ),
        ("between", ("is between", "range", "in range", "from to", "within range")),
        ("contains", ("includes", "include", "contain", "has", "like", "ilike", "substring", "matches")),
        ("is_null", ("null", "missing", "is missing", "is empty", "isnull", "blank")),
        ("not_null", ("is not null", "notnull", "exists", "present", "not missing")),
    )
)
STATES = Lexicon(
    (
        ("unknown", ("is unknown", "not known", "is not known", "unclear")),
        ("known", ("is known", "not unknown", "is not unknown")),
    )
)
RELATIONS = Lexicon(
    (
        ("within_distance", (
            "near", "nearby", "close to", "around", "dwithin", "st dwithin", "buffer", "in distance of",
            "within distance of", "distance within",
        )),
        ("within", ("in", "inside", "inside of", "located in", "covered by", "coveredby", "st within")),
        ("contains", ("contain", "covers", "st contains", "encloses")),
        ("intersects", ("intersect", "crosses", "overlaps", "touches", "st intersects")),
        ("nearest_to", ("nearest", "closest", "closest to", "k nearest", "knn")),
        ("on", ("snap match", "snap", "snapped to", "on road", "along", "snap to", "matched to")),
    )
)  # fmt: skip
ROLES = Lexicon(
    (
        ("primary", ("main", "subject", "result", "main target", "target")),
        ("support", ("supporting", "counted", "secondary")),
        ("scope", ("area", "boundary", "region", "spatial scope", "extent")),
        ("filter", ("condition", "constraint", "restriction")),
        ("anchor", ("reference", "anchors", "location", "landmark")),
    )
)
ORDERS = Lexicon(
    (
        ("highest", ("desc", "descending", "most", "top", "high", "largest", "max")),
        ("lowest", ("asc", "ascending", "fewest", "least", "bottom", "low", "smallest", "min")),
    )
)
OUTPUTS = Lexicon(
    (
        ("map", ("geojson", "layer", "maps")),
        ("table", ("tables", "list", "csv")),
        ("summary", ("text", "report")),
        ("count", ("number", "total")),
    )
)
AGGREGATES = Lexicon(
    (
        ("count", ("number of", "number", "frequency")),
        ("sum", ("total",)),
        ("mean", ("avg", "average")),
        ("min", ("minimum", "smallest")),
        ("max", ("maximum", "largest")),
        ("median", ()),
    )
)
UNSUPPORTED_MEASURES = frozenset({"percentile", "share", "rate", "weighted_count", "percent", "ratio"})
TIME_BUCKETS = Lexicon(
    (
        ("year", ("years", "yearly", "annual", "by year")),
        ("quarter", ("quarterly",)),
        ("month", ("monthly", "by month")),
        ("date", ("day", "daily", "by day", "by date")),
        ("weekday", ("day of week", "day of the week", "dow")),
        ("hour", ("hour of day", "hourly", "by hour")),
        ("month_of_year", ("month of year", "month of the year", "calendar month")),
    )
)
UNITS = Lexicon((("day", ()), ("week", ()), ("month", ()), ("year", ("yr", "yrs"))))
WEEKDAYS = Lexicon(
    (
        ("mon", ("monday",)),
        ("tue", ("tuesday", "tues")),
        ("wed", ("wednesday",)),
        ("thu", ("thursday", "thur", "thurs")),
        ("fri", ("friday",)),
        ("sat", ("saturday",)),
        ("sun", ("sunday",)),
    )
)
WORKING_WEEK = ("mon", "tue", "wed", "thu", "fri")
DAY_GROUPS = {
    **dict.fromkeys(
        ("weekday", "weekdays", "workday", "workdays", "business days", "working days"), WORKING_WEEK
    ),
    **dict.fromkeys(("weekend", "weekends", "the weekend"), ("sat", "sun")),
    **dict.fromkeys(("every day", "daily", "all days", "any day", "all week"), (*WORKING_WEEK, "sat", "sun")),
}
"""Words for several days of the week."""

MONTHS = Lexicon(
    (
        ("1", ("january", "jan")),
        ("2", ("february", "feb")),
        ("3", ("march", "mar")),
        ("4", ("april", "apr")),
        ("5", ("may",)),
        ("6", ("june", "jun")),
        ("7", ("july", "jul")),
        ("8", ("august", "aug")),
        ("9", ("september", "sept", "sep")),
        ("10", ("october", "oct")),
        ("11", ("november", "nov")),
        ("12", ("december", "dec")),
    )
)
FACTS = Lexicon(
    (("true", ("yes", "y", "with", "present", "1")), ("false", ("no", "n", "without", "none", "absent", "0")))
)
NUMERIC = frozenset({"number", "integer"})


class Vocabulary:
    """The words of one pack."""

    def __init__(self, pack: Pack) -> None:
        self.entities = Lexicon((e.name, (e.label, e.plural, e.table, *e.synonyms)) for e in pack.entities)
        self.anchors = Lexicon(
            (
                *((e.name, (e.label, e.plural, e.table, *e.synonyms)) for e in pack.entities),
                (
                    PLACE,
                    ("location", "landmark", "point", "address", "coordinates", "area", "anchor", "poi"),
                ),
            )
        )
        self.concepts = Lexicon((c.name, (c.label, *c.synonyms)) for c in pack.concepts)
        self.measures = Lexicon((m.name, (m.label, *m.aliases, *m.synonyms)) for m in pack.measures)
        self.periods = Lexicon((p.name, (p.label, *p.synonyms)) for p in pack.periods)
        self._fields = {e.name: _fields(e) for e in pack.entities}

    def fields(self, entity: Entity) -> Lexicon:
        """The fields of an entity that a frame may name."""
        return self._fields[entity.name]


def _fields(entity: Entity) -> Lexicon:
    return Lexicon((f.name, (f.label, *f.aliases, *f.synonyms)) for f in entity.fields if not f.internal)


_BUILT: OrderedDict[str, Vocabulary] = OrderedDict()


def vocabulary(pack: Pack) -> Vocabulary:
    """The vocabulary of a pack; built once per content."""
    if pack.digest not in _BUILT:
        _BUILT[pack.digest] = Vocabulary(pack)
        while len(_BUILT) > 4:
            _BUILT.popitem(last=False)
    return _BUILT[pack.digest]
