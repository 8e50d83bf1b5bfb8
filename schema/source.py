"""Sources of a pack: where rows come from, how their files are read and what they cover."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

__all__ = [
    "CoordinatePair",
    "Coverage",
    "FieldReading",
    "GeometryReading",
    "Reading",
    "Source",
    "Step",
    "Totals",
]

Words = tuple[str, ...]


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is not a regular expression ({error})") from None
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles)]


class SourceModel(BaseModel):
    """Base of the models of a source: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Coverage(SourceModel):
    """What a source covers, as its agency declares it.

    ``complete``: all features of the area and period; ``partial``: the agency had not finished; ``sample``: a
    selection.
    """

    area: str
    first: date | None = None
    last: date | None = None
    completeness: Literal["complete", "partial", "sample"]
    breaks: Words = ()


class Step(SourceModel):
    """One operation on the texts of a cell; exactly one of the keys is given.

    Parameters
    ----------
    split : str
        Cut every text at this separator.
    remove : str
        Delete what this regular expression matches.
    translate : dict
        Replace whole texts; others stay.
    only : dict
        Replace whole texts; others are left out, because they say nothing about the field.
    first : bool
        Keep the first text.
    title : bool
        Write upper-case names as names, with the pack's ``name_spellings``.
    """

    split: str | None = None
    remove: Pattern | None = None
    translate: dict[str, str] | None = None
    only: dict[str, str] | None = None
    first: Literal[True] | None = None
    title: Literal[True] | None = None

    @model_validator(mode="after")
    def _one_operation(self) -> Step:
        if len(self.model_fields_set) != 1:
            raise ValueError("give exactly one of 'split', 'remove', 'translate', 'only', 'first', 'title'")
        return self


class FieldReading(SourceModel):
    """Where the values of one field come from.

    Parameters
    ----------
    columns : tuple of str
        The columns that say it, by precedence.
    use : {'first', 'all', 'join'}
        The first column that is not blank, the texts of all of them, or all of them as one text with spaces.
    skip : tuple of str
        Cell texts that are blank here, such as a code for "not surveyed".
    steps : tuple of Step
        Operations on the texts, in order.
    formats : tuple of str
        How dates and times are written (strptime), tried in order.
    positive : dict
        For columns of numbers: the value by which of them are above zero, ``"10"`` being the first alone.
    constant : str
        The value of every row, where the source says it once for all.
    requires : str
        A column; where it is blank, the row says nothing about the field.
    blank : {'unknown', 'none'}
        What a blank says in this source, where that differs from the field's ``null_means``.
    last : date
        The last day on which the source recorded the field; rows of later or unknown days say nothing.
    """

    columns: Words = ()
    use: Literal["first", "all", "join"] = "first"
    skip: Words = ()
    steps: tuple[Step, ...] = ()
    formats: Words = ()
    positive: dict[str, str] = Field(default_factory=dict)
    constant: str | None = None
    requires: str | None = None
    blank: Literal["unknown", "none"] | None = None
    last: date | None = None

    @model_validator(mode="after")
    def _columns_or_constant(self) -> FieldReading:
        if bool(self.columns) == (self.constant is not None):
            raise ValueError("give either 'columns' or 'constant'")
        return self

    def required_columns(self) -> Words:
        """Every column it reads."""
        return (*self.columns, *((self.requires,) if self.requires else ()))


class CoordinatePair(SourceModel):
    """Two columns of coordinates and their reference system (``EPSG:4326`` is degrees, x the longitude)."""

    x: str
    y: str
    crs: str


class GeometryReading(SourceModel):
    """Where the geometry comes from: the file's own, a column of WKT, or pairs of coordinate columns.

    Parameters
    ----------
    crs : str
        Reference system of the file's geometry or WKT; ``as_found`` is what the file declares. A file that
        declares another than the one given here is refused.
    wkt : str
        The column of WKT.
    pairs : tuple of CoordinatePair
        By precedence: the first pair that lies within the pack's bounds is the location.
    disagree_m : float
        Two pairs further apart than this disagree, which the report counts.
    """

    crs: str = "as_found"
    wkt: str | None = None
    pairs: tuple[CoordinatePair, ...] = ()
    disagree_m: float | None = None

    def required_columns(self) -> Words:
        """Every column it reads."""
        wkt = (self.wkt,) if self.wkt else ()
        return (*wkt, *(column for pair in self.pairs for column in (pair.x, pair.y)))


class Reading(SourceModel):
    """How the files of a source are found and read.

    Parameters
    ----------
    driver : {'csv', 'shapefile', 'geojson', 'parquet'}
        What opens the files; never chosen by their content.
    files : tuple of str
        Patterns of names that are always this source's. Other files of the driver are known by their columns.
    encoding : str
        Of the text in the files; empty for what the format itself says.
    id : str
        Column of the native id; empty when the rows have none.
    collect : bool
        Rows of one native id are parts of one feature.
    where : dict
        Column to the texts it may have; other rows are no features of the entity.
    fields : dict
        Field name to where its values come from.
    """

    driver: Literal["csv", "shapefile", "geojson", "parquet"]
    files: Words = ()
    encoding: str = ""
    id: str = ""
    collect: bool = False
    where: dict[str, Words] = Field(default_factory=dict)
    geometry: GeometryReading = GeometryReading()
    fields: dict[str, FieldReading]

    def required_columns(self) -> Words:
        """Every column that a file must have, each once, in the order of the mapping."""
        own = (self.id,) if self.id else ()
        mapped = (column for field in self.fields.values() for column in field.required_columns())
        return tuple(dict.fromkeys((*own, *self.where, *self.geometry.required_columns(), *mapped)))


class Source(SourceModel):
    """One file format of one agency, and the rows that come from it.

    Parameters
    ----------
    name : str
        Goes before the native id in every key (``<source>:<native id>``) and is a filterable value.
    entity : str
        The entity that its rows are.
    provides : tuple of str
        The fields its rows can say something about; all others are absent, which differs from unknown.
    read : Reading
        How its files are read; None when its rows do not come from files.
    """

    name: str
    title: str
    entity: str
    provides: Words
    coverage: Coverage
    read: Reading | None = None
    synthetic: bool = False
    licence: str = ""
    notice: str = ""

    @model_validator(mode="after")
    def _provides_what_it_reads(self) -> Source:
        missing = [name for name in (self.read.fields if self.read else ()) if name not in self.provides]
        if missing:
            raise ValueError(f"'provides' lacks the mapped fields {', '.join(missing)}")
        return self


class Totals(SourceModel):
    """A workbook of official totals, by area and year, that a load can be compared with.

    Parameters
    ----------
    entity, link : str
        What was counted and the link to the areas; the areas are named in the column headed ``area_column``.
    steps : tuple of Step
        Operations that turn a cell of that column into the area's name.
    leave_out : tuple of str
        Cells of that column that are no area, such as the grand total.
    """

    name: str
    title: str
    files: Words
    entity: str
    link: str
    area_column: str
    steps: tuple[Step, ...] = ()
    leave_out: Words = ()
