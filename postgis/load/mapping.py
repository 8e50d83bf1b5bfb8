"""From the cells of a file to field values, by the mapping that the source declares."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache, partial
from typing import Any, Final

from groundframe.errors import PackError
from groundframe.schema.model import EntityField, Pack
from groundframe.schema.source import FieldReading, Source, Step

__all__ = ["FieldMapper", "RowMapper", "apply_steps", "cell_text", "title_case"]

Texts = list[str]
_WORD = re.compile(r"\w+(?:['\u2019][Ss]\b)?")
_CACHED = 100_000

SAYS_NOTHING: Final = object()
"""The row says nothing about the field, which a blank may not mean."""


def cell_text(cell: Any) -> str:
    """A cell as trimmed text; blank for None.

    Examples
    --------
    >>> cell_text(25007.0), cell_text(" U "), cell_text(None)
    ('25007', 'U', '')
    """
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def title_case(text: str, spellings: Mapping[str, str]) -> str:
    """Upper-case words as words of a name.

    Examples
    --------
    >>> title_case("WEST ST JOHN'S 3RD AVE", {}), title_case("Rte 93 N", {})
    ("West St John's 3rd Ave", 'Rte 93 N')
    """
    if (known := spellings.get(text.upper())) is not None:
        return known
    return _WORD.sub(lambda match: match[0].capitalize() if match[0].isupper() else match[0], text)


def _step(step: Step, pack: Pack) -> Callable[[Texts], Texts]:
    if step.split is not None:
        return partial(_split, step.split)
    if step.remove is not None:
        return partial(_remove, re.compile(step.remove))
    if step.translate is not None:
        return partial(_translate, step.translate)
    if step.only is not None:
        return partial(_only, step.only)
    if step.first:
        return _first
    return partial(_title, pack.name_spellings)


def _split(separator: str, texts: Texts) -> Texts:
    return [part for text in texts for part in text.split(separator)]


def _remove(pattern: re.Pattern[str], texts: Texts) -> Texts:
    return [pattern.sub("", text) for text in texts]


def _translate(table: Mapping[str, str], texts: Texts) -> Texts:
    return [table.get(text, text) for text in texts]


def _only(table: Mapping[str, str], texts: Texts) -> Texts:
    return [table[text] for text in texts if text in table]


def _first(texts: Texts) -> Texts:
    return texts[:1]


def _title(spellings: Mapping[str, str], texts: Texts) -> Texts:
    return [title_case(text, spellings) for text in texts]


def apply_steps(texts: Texts, steps: Sequence[Callable[[Texts], Texts]]) -> Texts:
    """The texts after every step, trimmed and without blanks."""
    for step in steps:
        texts = [text for part in step(texts) if (text := part.strip())]
    return texts


def compile_steps(steps: Sequence[Step], pack: Pack) -> tuple[Callable[[Texts], Texts], ...]:
    """The declared steps as functions."""
    return tuple(_step(step, pack) for step in steps)


class FieldMapper:
    """Gives the values of one field from the cells of its columns."""

    def __init__(self, field: EntityField, reading: FieldReading, pack: Pack) -> None:
        self._field = field
        self._reading = reading
        self._steps = compile_steps(reading.steps, pack)
        self._skip = frozenset(reading.skip)
        self._cache: dict[tuple[Any, ...], Any] = {}

    def column(self, cells: Mapping[str, Sequence[Any]], size: int) -> list[Any]:
        """The field's value in every row of a batch."""
        reading = self._reading
        if reading.constant is not None:
            return [reading.constant] * size
        rows = zip(*(cells[column] for column in reading.required_columns()), strict=True)
        return [self._cached(row) for row in rows]

    def _cached(self, row: tuple[Any, ...]) -> Any:
        try:
            return self._cache[row]
        except KeyError:
            value = self._value(row)
            if len(self._cache) < _CACHED:
                self._cache[row] = value
            return value

    def _value(self, row: tuple[Any, ...]) -> Any:
        reading = self._reading
        if reading.requires is not None:
            *cells, required = row
            if not cell_text(required):
                return SAYS_NOTHING
            row = tuple(cells)
        if reading.positive:
            return self._positive(row)
        if len(row) == 1 and not (self._steps or self._skip or reading.formats or reading.blank):
            return row[0]
        texts = [text for cell in row if (text := cell_text(cell)) and text not in self._skip]
        if not texts:
            return {None: None, "unknown": SAYS_NOTHING, "none": ()}[reading.blank]
        if reading.use == "first":
            texts = texts[:1]
        elif reading.use == "join":
            texts = [" ".join(texts)]
        texts = apply_steps(texts, self._steps)
        if reading.formats:
            return self._moment(texts[0]) if texts else None
        if self._field.type == "category_list":
            return tuple(texts) or None
        return " ".join(texts) or None

    def _positive(self, row: tuple[Any, ...]) -> Any:
        try:
            signs = "".join("1" if float(cell_text(cell)) > 0 else "0" for cell in row)
        except ValueError:
            return None
        return self._reading.positive.get(signs)

    def _moment(self, text: str) -> Any:
        """The date or time; a text that fits no format stays one, and is then counted as no known value."""
        moment = _parse_moment(text, self._reading.formats)
        if moment is None:
            return text
        return moment.date() if self._field.type == "date" else moment.time()


@lru_cache(maxsize=_CACHED)
def _parse_moment(text: str, formats: tuple[str, ...]) -> datetime | None:
    """The moment; kept, because one column often holds both the date and the time."""
    for form in formats:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None


class RowMapper:
    """Gives the field values of rows, batch by batch.

    Raises
    ------
    PackError
        When the source maps a field that its entity lacks.
    """

    def __init__(self, pack: Pack, source: Source) -> None:
        entity = pack.entity(source.entity)
        fields = {field.name: field for field in entity.fields}
        self._mappers: dict[str, FieldMapper] = {}
        self._last: dict[str, date] = {}
        self._date_field = entity.date_field or ""
        for name, reading in source.read.fields.items() if source.read else ():
            if name not in fields:
                raise PackError(
                    f"{pack.name}: source '{source.name}' maps '{name}', which {entity.name} lacks."
                )
            self._mappers[name] = FieldMapper(fields[name], reading, pack)
            if reading.last is not None:
                self._last[name] = reading.last

    def rows(self, cells: Mapping[str, Sequence[Any]], size: int) -> Iterator[dict[str, Any]]:
        """The values of each row of a batch; fields about which a row says nothing are left out."""
        names = tuple(self._mappers)
        columns = [mapper.column(cells, size) for mapper in self._mappers.values()]
        for values in zip(*columns, strict=True):
            row = {
                name: value for name, value in zip(names, values, strict=True) if value is not SAYS_NOTHING
            }
            for name, last in self._last.items():
                day = row.get(self._date_field)
                if not isinstance(day, date) or day > last:
                    row.pop(name, None)
            yield row
