"""Words written otherwise: slips, plurals, case, spacing, synonyms, spellings of place names."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from string import ascii_lowercase

from rapidfuzz.distance import OSA

from groundframe.eval.repairs.mutation import Change, Draw, Family
from groundframe.eval.repairs.paths import put
from groundframe.eval.repairs.typos import typo
from groundframe.eval.repairs.words import Site
from groundframe.schema.model import EntityField

__all__ = ["WORD_FAMILIES", "inflected"]

WORDS = ("entity", "field", "operator", "concept", "measure", "relation")
NOUN = re.compile(r"[A-Za-z][A-Za-z _-]*[A-Za-z]{2}(?<!_only)")
SHORTEST = 4
"""Letters that a word needs for a slip in it to leave a trace of what was meant; "eq" may become anything."""

# Written down from how people and models speak, not taken from the validator's own lists.
SPOKEN = {
    "operator": {
        "eq": ("=", "==", "is", "equals", "equal to", "EQ"),
        "ne": ("!=", "<>", "is not", "not equal", "not equal to"),
        "in": ("one of", "is one of", "any of", "IN"),
        "not_in": ("not in", "none of", "NOT IN", "not one of"),
        "lt": ("<", "less than", "below", "under", "is less than", "fewer than"),
        "lte": ("<=", "at most", "no more than", "up to", "less than or equal to", "not more than"),
        "gt": (">", "greater than", "more than", "above", "over", "exceeds", "higher than"),
        "gte": (">=", "at least", "no less than", "greater than or equal to", "not less than", "minimum"),
        "between": ("BETWEEN", "range", "in range", "is between"),
        "contains": ("includes", "include", "has", "contain"),
        "is_null": ("is null", "null", "missing", "is missing", "is unknown"),
        "not_null": ("is not null", "not null", "known", "exists"),
    },
    "relation": {
        "within_distance": ("near", "close to", "nearby", "around", "ST_DWithin", "proximity"),
        "within": ("in", "inside", "located in", "ST_Within", "is within"),
        "contains": ("contain", "covers", "ST_Contains"),
        "intersects": ("intersect", "crosses", "overlaps", "ST_Intersects"),
        "nearest_to": ("nearest", "closest", "closest to", "nearest neighbor"),
        "on": ("on road", "along", "snap_match", "located on"),
    },
    "role": {
        "primary": ("main", "target", "subject", "result", "Primary"),
        "support": ("supporting", "secondary", "counted"),
        "scope": ("area", "region", "boundary", "extent"),
        "filter": ("condition", "restriction", "constraint", "filtering"),
    },
    "word": {
        "highest": ("desc", "descending", "most", "top"),
        "lowest": ("asc", "ascending", "fewest", "least"),
        "year": ("yearly", "years", "annual"),
        "month": ("monthly", "months"),
        "weekday": ("day of week", "weekdays", "day_of_week"),
    },
}  # fmt: skip


def slip(kind: str, draw: Draw) -> Change | None:
    """One typo in a word of the kind."""
    site = draw.pick(kind, lambda one: sum(map(str.isalpha, one.text)) >= SHORTEST)
    return draw.reword(site, typo(draw.rng, site.text) or "") if site else None


def between_places(draw: Draw) -> Change | None:
    """A name changed so that another name of the dataset is as near; such a name is put in first."""
    site = draw.pick("place")
    part = draw.original["targets"][int(site.path[1])] if site and site.path[0] == "targets" else None
    if site is None or part is None:
        return None
    names = draw.sites.names.distinct_names(part["entity"])
    for name in draw.rng.sample(names, min(len(names), 60)):
        rival = next(
            (one for one in names if one != name and OSA.distance(one, name, score_cutoff=2) <= 2), None
        )
        staged = Site("place", site.path, name, site.known, site.fold)
        for _ in range(60 if rival else 0):
            place, letter = draw.rng.randrange(len(name)), draw.rng.choice(ascii_lowercase)
            text = f"{name[:place]}{letter}{name[place + draw.rng.randrange(2) :]}"
            if staged.clash(text) == "as_near":
                draw.stage(site.path, name)
                return draw.reword(staged, text)
    return None


def inflected(text: str) -> str:
    """The plural of a word or, of a plural, the singular.

    Examples
    --------
    >>> inflected("Crash"), inflected("bus stop"), inflected("cities"), inflected("severity")
    ('Crashes', 'bus stops', 'city', 'severities')
    """
    for plural, singular in (
        ("ies", "y"),
        ("shes", "sh"),
        ("ches", "ch"),
        ("sses", "ss"),
        ("xes", "x"),
        ("s", ""),
    ):
        if text.endswith(plural) and not text.endswith("ss"):
            return text.removesuffix(plural) + singular
    if text.endswith("y") and text[-2:-1] not in "aeiou":
        return f"{text[:-1]}ies"
    return f"{text}es" if text.endswith(("s", "sh", "ch", "x")) else f"{text}s"


def plural(kind: str, draw: Draw) -> Change | None:
    """Plural for singular, or the reverse, of the word or of another one with its meaning."""
    site = draw.pick(kind, lambda one: any(NOUN.fullmatch(word) for word in (one.text, *one.alternatives)))
    if site is None:
        return None
    words = [word for word in (site.text, *site.alternatives) if NOUN.fullmatch(word)] or [site.text]
    return draw.reword(site, inflected(draw.rng.choice(words[:1] * 2 + words[1:])))


def case(kinds: tuple[str, ...], draw: Draw) -> Change | None:
    """The word in another case."""
    site = draw.pick(draw.rng.choice(kinds))
    change = draw.rng.choice((str.upper, str.lower, str.title, str.swapcase, str.capitalize))
    return draw.reword(site, change(site.text)) if site else None


def spacing(draw: Draw) -> Change | None:
    """Underscores, hyphens, spaces or camel case between the parts of a word."""
    site = draw.pick(draw.rng.choice(WORDS))
    if site is None:
        return None
    spaced = "".join(f" {char}" if char.isupper() and at else char for at, char in enumerate(site.text))
    pieces = spaced.replace("_", " ").split()
    joined = draw.rng.choice((" ", "_", "-", "  ", "camel", ""))
    text = "".join(map(str.capitalize, pieces)) if joined == "camel" else joined.join(pieces)
    return draw.reword(site, text) if len(pieces) > 1 else None


def synonym(kind: str, draw: Draw) -> Change | None:
    """Another word that the pack declares for the same."""
    site = draw.pick(kind, lambda one: bool(one.alternatives))
    return draw.reword(site, draw.rng.choice(sorted(site.alternatives))) if site else None


def spoken(kind: str, draw: Draw) -> Change | None:
    """An operator, relation, role or order as it is spoken."""
    words = SPOKEN[kind]
    site = draw.pick(kind, lambda one: one.meaning in words)
    return draw.reword(site, draw.rng.choice(words[site.meaning or ""])) if site else None


def value_group(draw: Draw) -> Change | None:
    """A set of values called by the name of its group."""

    def grouped(site: Site) -> bool:
        return site.field is not None and bool(site.field.groups) and site.field.type == "category"

    site = draw.pick("value", grouped)
    if site is None or not isinstance(site.field, EntityField):
        return None
    name, members = draw.rng.choice(sorted(site.field.groups.items()))
    holder = site.path[:-1] if isinstance(site.path[-1], str) else site.path[:-2]
    operator = draw.rng.choice((("in", "eq"), ("not_in", "ne")))
    draw.stage((*holder, "operator"), operator[0])
    draw.stage((*holder, "value"), list(members))
    put(draw.frame, (*holder, "operator"), operator[1])
    word = draw.rng.choice((name, *site.field.group_synonyms.get(name, ())))
    clash = "" if site.known[site.fold(word)] == "\n".join(members) else "other"
    return draw.change((*holder, "value"), word, clash)


def place_spelling(draw: Draw) -> Change | None:
    """A declared alias of a place, an affix of the pack, another case or punctuation, an abbreviation."""
    site = draw.pick("place")
    if site is None:
        return None
    pack, name = draw.sites.pack, site.text
    ways: list[str] = [
        name.upper(),
        name.lower(),
        name.replace("-", " "),
        f" {name} ",
        name.replace(" ", "  "),
    ]
    ways += [
        f"{name}, {affix}" if affix.istitle() or affix.isupper() else f"{affix} {name}"
        for affix in pack.name_affixes
        if " " in affix or affix[:1].isupper()
    ]
    ways += site.alternatives
    for short, long in pack.name_abbreviations.items():
        words = name.split(" ")
        ways += [" ".join(short.title() if word.lower() == long else word for word in words)]
        ways += [" ".join(f"{short.title()}." if word.lower() == long else word for word in words)]
    ways = [way for way in dict.fromkeys(ways) if way != name]
    return draw.reword(site, draw.rng.choice(ways))


def _of(change: Callable[[str, Draw], Change | None], group: str, kinds: str) -> list[Family]:
    return [Family(f"{group} {kind}", group, partial(change, kind)) for kind in kinds.split()]


WORD_FAMILIES: tuple[Family, ...] = (
    *_of(slip, "typo", "entity role mention field operator value concept measure relation word place"),
    Family("typo between places", "between", between_places),
    *_of(plural, "plural", "entity field value concept measure"),
    Family("case word", "case", partial(case, (*WORDS, "role", "word"))),
    Family("case value", "case", partial(case, ("value",))),
    Family("case place", "case", partial(case, ("place",))),
    Family("spacing", "case", spacing),
    *_of(synonym, "synonym", "entity field value concept measure"),
    Family("value group", "synonym", value_group),
    Family("place spelling", "synonym", place_spelling),
    *(Family(f"spoken {kind}", "spoken", partial(spoken, kind)) for kind in SPOKEN),
)  # fmt: skip
