"""Times as people type them, written out for the parsers of days and hours."""

from __future__ import annotations

import re
from collections.abc import Sequence

from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.tokens import Token
from groundframe.frames.terms import WEEKDAYS

__all__ = [
    "DAY",
    "MONTH",
    "MONTHS",
    "NAMED_DAY",
    "ORDINAL",
    "YEAR",
    "hours_written_out",
    "joined",
    "spoken",
    "written_out",
]

MONTHS = words_of("times", "months")
MONTH = {name: number for number, name in enumerate(MONTHS, start=1)}
MONTH |= {name[:3]: number for name, number in MONTH.items()} | {"sept": 9}
DAY = dict(zip(words_of("times", "days"), WEEKDAYS, strict=True))
DAY |= {short: short for short in WEEKDAYS if short not in ("sun", "sat")}
DAY |= dict(zip(words_of("times", "short_days"), ("tue", "thu", "thu"), strict=True))
NAMED_DAY = {**DAY, "sat": "sat", "sun": "sun"}
YEAR = re.compile(r"(?:19|20|21)\d\d")
_SHORT_SPAN = re.compile(r"\b((?:19|20)\d\d)\s*[-\u2013]\s*(\d\d)\b(?!\s*-)")
_SHORT_YEAR = re.compile(r"'\s*(\d\d)\b")
_YEAR_SAID = re.compile(
    r"(?<!school )(?<!academic )(?<!fiscal )\b(?:the )?(?:calendar )?years? (?:of )?(?=(?:19|20)\d\d\b)"
)
_YEARS_IN = re.compile(
    r"^(?:in|during|over|for|of|all) (?=(?:19|20)\d\d *(?:-|\u2013|to|through|thru|until) *(?:19|20)\d\d)"
)
ORDINAL = {word: number for number, word in enumerate(words_of("times", "ordinals"), start=1)}
_DAY_OF = re.compile(
    rf"\b(?:the )?({'|'.join(ORDINAL)}|\d{{1,2}} ?(?:st|nd|rd|th)?) of ({'|'.join(MONTH)})\b"
)
_DAYS = re.compile(r"(\d{1,2}/\d{1,2}/\d{2,4})\s*[-\u2013]\s*(?=\d{1,2}/\d)")
_MONTH_YEAR = re.compile(r"(?<![\d/-])(0?[1-9]|1[0-2])\s?/\s?((?:19|20)\d\d)(?![\d/-])")
_PREFIX = re.compile(r"^(pre|post)[\s-]*(?=(?:19|20|21)\d\d\b)")


def written_out(tokens: Sequence[Token]) -> str:
    """The text of the tokens with years and days in full."""
    text = _SHORT_SPAN.sub(_lengthened, joined(tokens))
    text = _SHORT_YEAR.sub(r"20\1", text.replace(" & ", " and "))
    text = _YEAR_SAID.sub("", text)
    text = _YEARS_IN.sub("", text)
    text = _DAY_OF.sub(lambda found: f"{found[2]} {ORDINAL.get(found[1]) or found[1]}", text)
    text = _DAYS.sub(r"\1 to ", text)
    text = _MONTH_YEAR.sub(lambda found: f"{MONTHS[int(found[1]) - 1]} {found[2]}", text)
    return _PREFIX.sub(lambda found: "before " if found[1] == "pre" else "after ", text)


def hours_written_out(text: str) -> str:
    """A text about hours as "5pm to 6pm"."""
    plain = re.sub(r"\b(?:the )?hours (?:of|between)\b", "", text)
    plain = re.sub(r"\s*o'clock", "", plain)
    plain = re.sub(r"(\d)\s*([ap])\s?\.?\s?m\b\.?", r"\1\2m", plain)
    plain = re.sub(r"(\d) (?:in the morning)", r"\1am", plain)
    plain = re.sub(r"(\d) (?:in the (?:afternoon|evening)|at night)", r"\1pm", plain)
    plain = re.sub(r"^after (?=.*\b(?:till?|until|to)\b)", "", plain)
    plain = re.sub(r"^(?:in|during|for|at|on|the|,|\s)+", "", plain.strip())
    if text.startswith("at "):
        plain = re.sub(r"^(?:12 )?(?:noon|midday)$", "12pm", re.sub(r"^(?:12 )?midnight$", "12am", plain))
        plain = re.sub(r"^(\d{1,2})([ap])m$", _one_hour, plain)
    return plain


def _lengthened(found: re.Match[str]) -> str:
    """Both years in full: "2020-24" is "2020-2024"; "2020-12" stays a month."""
    year, end = found[1], int(found[2])
    return f"{year}-{year[:2]}{end:02}" if end > 12 and end > int(year[2:]) else found[0]


def joined(tokens: Sequence[Token]) -> str:
    """The text of the tokens, as tightly as they stood."""
    said = [
        f" to {token.text}"
        if _spans(token, tokens[place - 1])
        else f"{'' if token.glued else ' '}{token.text}"
        for place, token in enumerate(tokens)
    ]
    return "".join(said).strip()


def _spans(token: Token, before: Token) -> bool:
    """Whether a hyphen makes a span of two days or months: "Mon-Fri", "Jan-Mar 2022"."""
    return token.hyphened and any({token.text, before.text} <= names.keys() for names in (MONTH, NAMED_DAY))


def spoken(tokens: Sequence[Token]) -> list[str]:
    """The words, with one for the hyphen of a span."""
    words: list[str] = []
    for place, token in enumerate(tokens):
        words += ["to", token.text] if place and _spans(token, tokens[place - 1]) else [token.text]
    return words


def _one_hour(found: re.Match[str]) -> str:
    """The hour that begins at a time: "at 5 pm" is from 5 to 6."""
    hour, half = int(found[1]), found[2]
    following = hour % 12 + 1
    turned = {"a": "p", "p": "a"}[half] if following == 12 else half
    return f"{hour}{half}m to {following}{turned}m"
