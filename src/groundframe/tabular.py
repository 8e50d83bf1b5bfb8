"""What is typed like a query or a pivot table, said as a question."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["plain"]

_TYPED = re.compile(
    r"\bselect\b|\bgroup\s*by\b|\border by\b|\blimit\s+\d+\s*;?$|\bpivot\b|\bjoin\b|count\(|head\(|[|]"
    r"|\w\s*=\s*\S|\brows?\s*[:=]|\b(?:town|year|type)s?\s*:|\sx\s",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\b(?:limit|head|top)\s*\(?\s*(\d+)\)?", re.IGNORECASE)
_FALLING = re.compile(r"\border\s+by\b(?:\s+(?:\d+|count\S*|n|total)\b)?", re.IGNORECASE)
_STEPS = (
    (re.compile(r"\bselect\b.*?\bfrom\b", re.IGNORECASE | re.DOTALL), " "),
    (re.compile(r"\b(?:count|sum|size)\s*\(\s*\*?\s*\)", re.IGNORECASE), " "),
    (re.compile(r"\b(?:sum|count|avg|mean)\s*\(([^)]*)\)", re.IGNORECASE), r" \1 "),
    (re.compile(r"\bgroup\s*by\s*\(?([\w ]+)\)?", re.IGNORECASE), r" by \1 "),
    (re.compile(r"\byears?\s*(?:=|:|==)\s*'?(\d{4}(?:\s*-\s*\d{4})?)'?", re.IGNORECASE), r" in \1 "),
    (re.compile(r"\bfilter(?:s|ed)?(?:\s+(?:by|on))?\s*[:=]?\s*(?:towns?\b)?", re.IGNORECASE), ", in "),
    (re.compile(r"\b(?:desc|asc|pivot|join|pls|please)\b:?|[;'\"]", re.IGNORECASE), " "),
    (re.compile(r"\band\s+(?=in\s+\d{4})", re.IGNORECASE), " "),
    (re.compile(r"\s*(?:\b(?:and|where)\b\s+)?\b\w+\s*(?:==|=|:)\s*", re.IGNORECASE), ", "),
)
_PIECES = re.compile(r"\s*[|,]\s*|\s+x\s+", re.IGNORECASE)


def plain(question: str) -> Iterator[str]:
    """Questions that may be meant by what is typed in the manner of SQL, of filters or of a table.

    Examples
    --------
    >>> next(plain("town | year | crashes"))
    'crashes by town and year'
    >>> next(plain("select town, count(*) from crashes where year = 2023 group by town limit 5"))
    'crashes in 2023 by town, top 5'
    """
    if not _TYPED.search(question):
        return
    limit = _LIMIT.search(question)
    said = _LIMIT.sub(" ", question)
    falling = _FALLING.search(said) is not None
    said = _FALLING.sub(" ", said)
    for pattern, instead in _STEPS:
        said = pattern.sub(instead, said)
    said = re.sub(r"\bwhere\b\s*(?=by\b|in\b|,|$)", " ", " ".join(said.split()), flags=re.IGNORECASE)
    tail = f", top {limit[1]}" if limit else "; most first" if falling else ""
    pieces = [piece for piece in _PIECES.split(said.strip(" ,")) if piece]
    if len(pieces) == 1 or not re.search(r"[|]|\sx\s|\brows?\b", question, re.IGNORECASE):
        yield f"{' '.join(', '.join(pieces).split())}{tail}"
        return
    places = "".join(f" {piece}" for piece in pieces if piece.startswith("in "))
    pieces, tail = [piece for piece in pieces if not piece.startswith("in ")], f"{places}{tail}"
    for noun in (len(pieces) - 1, *range(len(pieces) - 1)):
        groups = [piece for place, piece in enumerate(pieces) if place != noun]
        yield f"{pieces[noun]} by {' and '.join(groups)}{tail}"
    yield f"{', '.join(pieces)}{tail}"
