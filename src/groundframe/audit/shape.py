"""The shape of an audit record: what is in it, what it means, and its JSON Schema."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from groundframe.audit.sealing import RECORD_VERSION
from groundframe.frames.json_schema import DIALECT, tidy
from groundframe.frames.model import Frame

__all__ = ["AuditRecord", "record_schema"]

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
RowDigest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{16} ")]
Numbers = dict[str, int]


class Part(BaseModel):
    """Base of the record's parts: unknown keys, NaN and Infinity are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class RepairPart(Part):
    """One change that the validator made, at a JSON pointer into the frame as received."""

    rule: str
    path: str
    before: Any
    after: Any
    safety: Literal["safe", "declared", "chosen"]
    score: float | None
    message: str


class PointPart(Part):
    """A GeoJSON point in WGS 84."""

    type: Literal["Point"]
    coordinates: tuple[float, float]


class CandidatePart(Part):
    """One thing that a name may stand for."""

    key: str
    label: str
    name: str
    kind: str
    town: str
    point: PointPart | None
    distance_m: float | None = None
    distance_from: str | None = None


class AnchorPart(Part):
    """What a name was resolved to, and what had been offered for it."""

    path: str
    asked: str
    basis: str
    origin: str
    chosen: tuple[CandidatePart, ...]
    offered: tuple[CandidatePart, ...]
    notice: str | None = None


class ColumnPart(Part):
    """A column of the rows."""

    name: str
    label: str
    type: str
    unit: str
    kind: str


class NodePart(Part):
    """An operation of the plan; ``inputs`` are the edges to it, in order. It has parameters of its own."""

    model_config = ConfigDict(extra="allow")

    id: str
    op: str
    type: str
    inputs: tuple[str, ...]


class PlanPart(Part):
    """The typed graph of operations."""

    columns: tuple[ColumnPart, ...]
    geometry: bool
    nodes: tuple[NodePart, ...]
    rules: dict[str, Any]


class StatementPart(Part):
    """A statement with its bound parameters; tables stand without the schema that held them."""

    text: str
    parameters: dict[str, Any]


class SqlPart(Part):
    """The two statements of an answer, for reading: a replay never runs them."""

    rows: StatementPart
    counts: StatementPart


class PackPart(Part):
    """The schema pack that gave the words their meaning."""

    name: str
    title: str
    version: str
    digest: Sha256


class SplitPart(Part):
    """The features of a target that took part, by the field that the pack names for it."""

    target: str
    by: str
    values: Numbers


class CountsPart(Part):
    """What was counted beside the rows; targets go by their id."""

    matched: int
    true_total: int
    returned: int
    truncated: bool
    not_mapped: Numbers
    unknown_left_out: Numbers
    ties_at_cut: bool
    midnight: Numbers
    split: tuple[SplitPart, ...]
    sources: dict[str, Numbers]


class WordsPart(Part):
    """What a row of the answer is called."""

    one: str
    many: str


class AnswerPart(Part):
    """What the answer says about itself."""

    model_config = ConfigDict(extra="allow")

    warnings: tuple[str, ...]
    rows: WordsPart
    compared: Annotated[int, Field(description="How many rows there are before a ranking's cut.")]
    counted: tuple[dict[str, Any], ...]
    rules: dict[str, Any]
    sources: tuple[dict[str, Any], ...]
    notices: tuple[str, ...]


class ResultPart(Part):
    """The beginning of the result, by which rows that differ can be named."""

    rows: Annotated[
        tuple[RowDigest, ...],
        Field(
            description="Of each of the first rows, in order: a digest of it without its rank, a space, and "
            "its key, or for groups their values as a JSON list."
        ),
    ]
    head: Annotated[
        tuple[dict[str, Any], ...], Field(description="The values of the first rows, without geometry.")
    ]


class ModelPart(Part):
    """What a language model made of the question; its last reply, as it wrote it."""

    model: str
    prompt: Annotated[str, Field(description="Another one whenever something else is said to the model.")]
    reply: str
    refinements: Annotated[str, Field(description="How often it was told what was wrong.")]
    completed: Annotated[
        str | None, Field(description="What the question says that the reply left out, as slots.")
    ] = None


class ReadingPart(Part):
    """Who made the frame of the question; a replay asks none of them again."""

    interpreter: str
    corrections: Annotated[dict[str, str], Field(description="Misspelt words, and what they were read as.")]
    model: ModelPart | None = None


class TimingsPart(Part):
    """When the record was made, and seconds; nothing that has a digest holds them."""

    written: str
    validate_s: float
    compile_s: float
    database_s: float


class AuditRecord(Part):
    """The audit record of an answer: by it somebody else can run the frame again and compare."""

    record_version: Literal[1]
    question: str | None
    reading: ReadingPart | None = None
    frame: Annotated[Frame, Field(description="As received.")]
    choices: Annotated[dict[str, str], Field(description="The choices handed in: path to key.")]
    row_limit: Annotated[int | None, Field(ge=1, le=2**53, description="The most rows that were to be read.")]
    repairs: tuple[RepairPart, ...]
    normalised: tuple[RepairPart, ...]
    anchors: tuple[AnchorPart, ...]
    notes: tuple[str, ...]
    checked_frame: Annotated[Frame, Field(description="Explicit and canonical; what was compiled.")]
    plan: PlanPart
    sql: SqlPart
    pack: PackPart
    data_version: Sha256
    synthetic: bool
    versions: Annotated[
        dict[str, str], Field(description="Of groundframe, Python, the engine and the libraries that matter.")
    ]
    counts: CountsPart
    answer: AnswerPart
    result: ResultPart
    digest: Annotated[Sha256, Field(description="SHA-256 of the result: columns, rows and counts.")]
    timings: TimingsPart
    record_digest: Annotated[
        Sha256,
        Field(description="SHA-256 of the record itself, without this member and the timings."),
    ]


def record_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of audit records.

    Examples
    --------
    >>> record_schema()["properties"]["row_limit"]["anyOf"]
    [{'maximum': 9007199254740992, 'minimum': 1, 'type': 'integer'}, {'type': 'null'}]
    """
    return {
        "$schema": DIALECT,
        **tidy(AuditRecord.model_json_schema(by_alias=True)),
        "title": f"Audit record of groundframe, version {RECORD_VERSION}",
    }
