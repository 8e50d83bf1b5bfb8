"""The plan of a synthetic state: what `groundframe load demo` makes of a pack.

The plan belongs to a pack (``demo.yaml``) and is checked against it; the generator reads nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from groundframe.errors import PackError
from groundframe.schema.model import EntityField, Pack
from groundframe.schema.packs import PACKS, read_yaml

__all__ = [
    "Area",
    "Case",
    "DatePart",
    "DemoPlan",
    "Draw",
    "FieldPlan",
    "Hotspot",
    "Key",
    "Layer",
    "Rank",
    "Rings",
    "Streets",
    "load_demo",
    "parse_value",
]

Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0)]
Key = str | int | float
Weights = dict[Key, Weight]
Position = tuple[float, float]
DatePart = Literal["years", "months", "weekdays", "days"]
Rank = Literal["main", "through", "side", "highway"]
LIST_SEPARATOR = " + "


class DemoModel(BaseModel):
    """Base of the plan's parts: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Area(DemoModel):
    """One area of the state.

    Parameters
    ----------
    at, also : positions
        Longitude and latitude of its centre and of further built-up places.
    size : float
        How large it is beside others, such as its population; also an attribute that fields can copy.
    facts : dict
        More attributes that fields can copy.
    """

    name: str
    at: Position
    also: tuple[Position, ...] = ()
    size: float = Field(gt=0)
    facts: dict[str, str | int | float] = Field(default_factory=dict)


class Draw(DemoModel):
    """What is drawn: one of weighted values, or a number of a range (log-uniform, rounded to ``step``).

    A value of a list field is written with `` + `` between its members; the empty text is the empty list.
    """

    weights: Weights = Field(default_factory=dict)
    range: tuple[float, float] | None = None
    step: float = 1


class Case(Draw):
    """A draw for rows where the column ``by`` has one of these values (a list: begins with one)."""

    values: tuple[Key, ...] = Field(alias="is")


class Fixed(DemoModel):
    """A value that these areas get, in their first ordinary (mapped, not remote) row, whatever is drawn."""

    value: str
    areas: tuple[str, ...]


class FieldPlan(Draw):
    """How one column is made; a name that begins with ``_`` is a column for others to use and no field.

    One of ``weights``, ``range``, ``copy``, ``text``, ``dates`` and ``times`` says where values come from.

    Parameters
    ----------
    copy : str
        Attribute of the layer, or column made before, whose value is taken.
    change : float
        Share of copied values that are replaced, by a draw if there are weights, else by another row's value.
    by, cases
        Column that the draw depends on, and the draws; where no case holds, the plan's own draw.
    per : str
        Column; rows that agree in it get the same value.
    text : str
        Template with ``{column}`` in it; ``{n}`` is the number of the row.
    fixed : tuple of Fixed
        Exceptions for named areas.
    dates : dict
        Weights of days, within the coverage of the source, by ``years``, ``months``, ``weekdays``, ``days``
        (``MM-DD``); what is not given weighs 1. Makes the column ``<name>.month``.
    times : tuple
        Weights of the 24 hours. Makes the column ``<name>.hour``.
    midnight : float
        Share of times that are exactly 00:00.
    blank : float
        Share of rows left NULL.
    """

    copy_of: str = Field("", alias="copy")
    change: Share = 0
    by: str = ""
    cases: tuple[Case, ...] = ()
    per: str = ""
    text: str = ""
    fixed: tuple[Fixed, ...] = ()
    dates: dict[DatePart, Weights] | None = None
    times: Annotated[tuple[Weight, ...], Field(min_length=24, max_length=24)] | None = None
    midnight: Share = 0
    blank: Share = 0

    @model_validator(mode="after")
    def _one_origin(self) -> FieldPlan:
        drawn = bool(self.weights or self.range or self.cases)
        others = (self.copy_of, self.text, self.dates is not None, self.times)
        if sum(map(bool, others)) + (drawn and not self.copy_of) != 1:
            raise ValueError("give exactly one of 'weights', 'range', 'copy', 'text', 'dates', 'times'")
        if bool(self.by) != bool(self.cases):
            raise ValueError("'by' and 'cases' go together")
        return self


class Streets(DemoModel):
    """Names of streets: of an area's first main street, its other ones, the rest (stem and ending), highways.

    ``spacing_m`` is the range of distances between streets; neighbouring areas whose centres lie within
    ``highway_reach_m`` are joined by a highway.
    """

    first: str
    main: tuple[str, ...]
    stems: tuple[str, ...]
    endings: tuple[str, ...]
    highways: tuple[str, ...]
    spacing_m: tuple[float, float]
    highway_reach_m: float


class Rings(DemoModel):
    """Events at exactly this distance from features of another layer."""

    entity: str
    distance_m: float
    share: Share


class Layer(DemoModel):
    """The features of one entity.

    Parameters
    ----------
    kind : str
        ``areas`` tile the state; ``network`` is the streets; ``sites`` stand beside streets; ``crossings``
        lie across them near nodes; ``events`` happen on nodes, along streets and off them.
    spread : float
        Areas get features in proportion to their size to this power.
    ranks : dict
        Weight of a street by its rank: ``main``, ``through``, ``side``, ``highway``.
    offset_m : tuple of float
        Distance of sites from their street.
    remote : float
        Share of sites that stand far from it, so that nothing is near them.
    points : float
        Share of crossings that are mapped as points.
    clumping : float
        How unevenly events fall on streets: 0 evenly, 1 strongly.
    at_nodes, off_street, on_border, unlocated : float
        Share of events exactly on a node, far from every street, exactly on the border of two areas, without
        coordinates (of sites too).
    """

    entity: str
    kind: Literal["areas", "network", "sites", "crossings", "events"]
    spread: float = 0.5
    ranks: dict[Rank, Weight] = Field(default_factory=dict)
    offset_m: tuple[float, float] = (0, 0)
    remote: Share = 0
    points: Share = 0
    clumping: Share = 0
    at_nodes: Share = 0
    off_street: Share = 0
    on_border: Share = 0
    unlocated: Share = 0
    rings: Rings | None = None
    fields: dict[str, FieldPlan]


class Hotspot(DemoModel):
    """An area with more features (``density``, by entity) and other odds (``boost``, by field and value)."""

    area: str
    density: dict[str, Weight] = Field(default_factory=dict)
    boost: dict[str, dict[str, Weights]] = Field(default_factory=dict)


class DemoPlan(DemoModel):
    """The whole plan; ``sizes`` are numbers of features by entity."""

    outline: tuple[tuple[Position, ...], ...]
    sizes: dict[str, dict[str, Annotated[int, Field(gt=0)]]]
    streets: Streets
    layers: tuple[Layer, ...]
    hotspots: tuple[Hotspot, ...] = ()
    areas: tuple[Area, ...]

    def layer(self, kind: str) -> Layer:
        """The first layer of that kind."""
        return next(layer for layer in self.layers if layer.kind == kind)


def parse_value(field: EntityField, key: Key) -> str | int | float | tuple[str, ...]:
    """The canonical value that a plan writes as a key.

    Raises
    ------
    ValueError
        When the field cannot have that value.
    """
    members = tuple(str(key).split(LIST_SEPARATOR)) if key != "" else ()
    if field.type == "number":
        return float(key)
    if field.type == "integer":
        return int(key)
    if field.type in ("category", "category_list"):
        unknown = [member for member in members if member not in field.canonical_values()]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no value of {field.name}")
    return members if field.type == "category_list" else str(key)


def load_demo(pack: Pack) -> DemoPlan:
    """The plan of the pack's synthetic state, checked against the pack.

    Raises
    ------
    PackError
        When the pack has no plan, or the plan does not fit the pack.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> sorted(load_demo(load_pack("massachusetts")).sizes)
    ['demo', 'small', 'state']
    """
    path = PACKS / pack.name / "demo.yaml"
    if not path.is_file():
        raise PackError(f"The pack '{pack.name}' has no synthetic state.", "Load files with --data instead.")
    try:
        plan = DemoPlan.model_validate(read_yaml(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = "/".join(str(step) for step in first["loc"])
        raise PackError(f"{pack.name}/demo.yaml: {where}: {first['msg']}.") from None
    for where, problem in _misfits(plan, pack):
        raise PackError(f"{pack.name}/demo.yaml: {where}: {problem}.")
    return plan


def _misfits(plan: DemoPlan, pack: Pack) -> Iterator[tuple[str, str]]:
    """Where the plan names what the pack does not have, or forgets what it has."""
    planned = [layer.entity for layer in plan.layers]
    expected = [entity.name for entity in pack.entities if entity.derived is None and not entity.optional]
    if sorted(planned) != sorted(expected):
        yield "layers", f"there must be one for each of {', '.join(expected)}"
        return
    areas = {area.name for area in plan.areas}
    for name, size in plan.sizes.items():
        if sorted(size) != sorted(planned):
            yield f"sizes/{name}", f"there must be a number for each of {', '.join(planned)}"
    for layer in plan.layers:
        entity = pack.entity(layer.entity)
        own = {name for name in layer.fields if not name.startswith("_")}
        wanted = {
            field.name for field in entity.fields if field.values_from != "sources" and not field.computed
        }
        for name in sorted(own ^ wanted):
            yield f"{layer.entity}/{name}", "is not a field" if name in own else "has no plan"
        for name in sorted(own & wanted):
            field = layer.fields[name]
            for draw in (field, *field.cases):
                yield from _wrong_values(f"{layer.entity}/{name}", entity.field(name), draw.weights)
        for name, field in layer.fields.items():
            for fixed in field.fixed:
                for area in fixed.areas:
                    if area not in areas:
                        yield f"{layer.entity}/{name}", f"there is no area {area!r}"
        if not any(source.synthetic and source.entity == layer.entity for source in pack.sources):
            yield layer.entity, "the pack has no synthetic source for it"
    for hotspot in plan.hotspots:
        if hotspot.area not in areas:
            yield "hotspots", f"there is no area {hotspot.area!r}"
        for entity_name, fields in hotspot.boost.items():
            for name, factors in fields.items():
                field_model = next((f for f in pack.entity(entity_name).fields if f.name == name), None)
                if field_model is None:
                    yield f"hotspots/{hotspot.area}", f"{entity_name} has no field {name!r}"
                else:
                    yield from _wrong_values(f"hotspots/{hotspot.area}", field_model, factors)


def _wrong_values(where: str, field: EntityField, weights: Mapping[Key, float]) -> Iterator[tuple[str, str]]:
    for key in weights:
        try:
            parse_value(field, key)
        except ValueError as error:
            yield where, str(error)
