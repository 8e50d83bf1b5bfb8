"""Nothing of a frame becomes part of a statement: names, values, ids, areas reach SQL as parameters.

Every value of drawn frames is replaced by one that is found nowhere else, and looked for in the text of every
statement. What the driver sends is listened to on the wire.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

import groundframe as gf
from groundframe.answer import sql_of
from groundframe.compiler import compile_frame
from groundframe.compiler.lowering import NEUTRAL, node_counts
from groundframe.compiler.plan import Plan
from groundframe.errors import GroundframeError
from groundframe.eval.random_frames.drawing import draw_frame
from groundframe.eval.subject import Subject
from groundframe.frames.model import Frame
from groundframe.postgis.execute import execute
from groundframe.postgis.rewrites import POSTGIS
from groundframe.postgis.spelling import compile_sql
from groundframe.query import Query
from groundframe.validator.outcomes import Checked

FRAMES = 40
SOME = 16
# What a frame says in words that the validator has checked against the pack or a list.
WORDS = {
    *("entity", "role", "relation", "field", "operator", "concept", "variant", "measure", "time", "order"),
    *("type", "outputs", "weekdays", "months", "frame_version"),
}
IDS = {"id", "target_role", "reference_role"}
HOSTILE = "'\"%s%(p1)s%%{}$1\\';--\u202e\n\t/*"
YEAR = 9182
NUMBER = YEAR * 1000 + 73


class Marker:
    """Replaces every value of a checked frame by one that is found nowhere else."""

    def __init__(self) -> None:
        self.numbers = count(1)
        self.names: dict[str, str] = {}

    def text(self) -> str:
        return f"zqx{next(self.numbers)}{HOSTILE}"

    def named(self, name: str) -> str:
        """The same replacement for the same id or measure."""
        return self.names.setdefault(name, self.text())

    def frame(self, frame: dict[str, Any]) -> dict[str, Any]:
        for measure in frame.get("measures", ()):
            measure["name"] = self.named(measure.get("name") or measure["measure"])
        for condition in frame.get("having", ()):
            condition["measure"] = self.named(condition["measure"])
        marked = {key: self.value(key, value) for key, value in frame.items()}
        if "ranking" in marked:
            metric = frame["ranking"]["metric"]
            marked["ranking"]["metric"] = self.names.get(metric, metric)
        return {**marked, "question": self.text(), "notes": self.text()}

    def value(self, key: str, value: Any) -> Any:
        if key in WORDS or value is None or isinstance(value, bool):
            return value
        if isinstance(value, dict):
            return {name: self.value(name, inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.value(key, inner) for inner in value]
        if key in IDS:
            return self.named(value)
        if key in ("coordinates", "longitude", "latitude"):
            return value  # their shape is what is sent
        if key == "years":
            return YEAR
        if isinstance(value, int):
            return NUMBER
        if isinstance(value, float):
            return NUMBER + 0.25
        if key in ("from", "to"):
            return {"from": "09:18", "to": "18:09"}[key] if ":" in value else f"{YEAR}-02-03"
        return value if value in self.names.values() else self.text()


@pytest.fixture(scope="module")
def plans(ground: Subject) -> list[Plan]:
    """Plans of drawn frames with every value replaced."""
    found = []
    for seed in range(FRAMES):
        outcome = ground.check(draw_frame(ground.world, Random(seed).choice))
        if isinstance(outcome, Checked):
            checked = outcome.frame.model_dump(mode="json", by_alias=True, exclude_defaults=True)
            frame = Frame.model_validate(Marker().frame(checked))
            found.append(compile_frame(frame, ground.dataset.pack))
            found.append(compile_frame(frame, ground.dataset.pack, ground.dataset.physical))
    return found


@pytest.fixture(scope="module")
def statements(ground: Subject, plans: list[Plan]) -> list[str]:
    """The texts of all statements: rows, counts, and for some plans what each node counts."""
    dataset, found = ground.dataset, []
    for number, plan in enumerate(plans):
        for traits in (POSTGIS, NEUTRAL) if number < SOME else (POSTGIS,):
            execution = execute(dataset, plan, row_limit=NUMBER, traits=traits)
            # What the tests do not find in the texts is among the parameters.
            assert NUMBER in execution.parameters.values()
            assert "zqx" in repr(execution.tally_parameters)
            found += [execution.sql, execution.tally_sql]
        if number < SOME:
            counts = node_counts(plan, POSTGIS, dataset.schema).values()
            found += [compile_sql(statement)[0] for statement in counts]
    return found


def test_no_value_is_in_a_statement(statements: list[str]) -> None:
    for statement in statements:
        assert "zqx" not in statement
        assert str(YEAR) not in statement
        assert not re.search("09:18|18:09|\u202e|;|--|/\\*", statement)


def test_what_is_written_out_is_the_programs(statements: list[str], ground: Subject) -> None:
    """All texts and numbers in statements are those few of the program itself, and the pack's SRID."""
    texts = {text for statement in statements for text in re.findall(r"'[^']*'", statement)}
    assert texts <= {"'YYYY-MM'", "'YYYY-\"Q\"Q'"}
    written = re.compile(r"(?<![\w.])\d[\d.]*(?!\w)")
    numbers = {number for statement in statements for number in written.findall(statement)}
    assert numbers <= {"0", "1", "0.5", "7", "1000.0", str(ground.dataset.pack.srid)}


def test_what_explain_shows(ground: Subject, plans: list[Plan]) -> None:
    """The text of the statements and, apart from it, the parameters, each on a line that is a comment."""
    for plan in plans[:SOME]:
        query = Query(Checked(plan.frame, plan.frame), plan, ground.dataset.pack)
        lines = sql_of(query, ground.dataset).splitlines()
        assert not [line for line in lines if "zqx" in line and not line.startswith("-- parameters: ")]
        assert len([line for line in lines if line.startswith("--")]) == 4


LONG = "zqx" + "a'%s" * 49
TEXTS = {
    "quotes": 'zqx\'; DROP TABLE crash; --" OR ""=\'',
    "placeholders": "zqx %s %(p1)s %% $1 {} {0} :x ?",
    "backslashes": "zqx\\'\\\\\\x00\\",
    "functions": "zqx')) UNION SELECT pg_sleep(10)::text, pg_read_file('/etc/passwd') --",
    "dollars": "zqx$$; DO $x$ BEGIN END $x$; $$",
    "nul": "zqx\0zqx",
    "controls": "zqx\x1b[2J\x07\r\n\t\x7f\x9b31m",
    "right to left": "zqx\u202e\u2066\u200f\ufeffabc",
    "letters": "zqx\u0130\u0131\u017f\ufb01\U0001f6a8\U000e0041",
    "half a letter": "zqx\ud800",
    "long": LONG,
    "blank": "zqx \u00a0\u2003 ",
    "formula": '=zqx("x")',
    "path": "../../zqx",
}


def placed(text: str) -> dict[str, dict[str, Any]]:
    """A frame for every place where a frame holds a text."""
    school: dict[str, Any] = {"entity": "School", "role": "primary"}
    crash = {"entity": "Crash", "role": "support"}
    near = {"relation": "within_distance", "target_role": "support", "reference_role": "primary"}
    counted = {"targets": [school, crash], "spatial_constraints": [{**near, "distance_m": 100}]}

    def where(**condition: Any) -> dict[str, Any]:
        return {"targets": [school], "attribute_constraints": [{"target_role": "primary", **condition}]}

    def anchor(**reference: Any) -> dict[str, Any]:
        return {"targets": [school], "references": [{"role": "anchor", **reference}]}

    area = {"type": "Polygon", "coordinates": [[[-71, 42], [-71, 43], [-70, 43], [text, text]]]}
    return {
        "entity": {"targets": [{**school, "entity": text}]},
        "role": {"targets": [{**school, "role": text}]},
        "names": {"targets": [{**school, "names": [text, "x"]}]},
        "keys": {"targets": [{**school, "keys": [text]}]},
        "scope": {"targets": [school, {"entity": "Town", "role": "scope", "names": [text]}]},
        "id": {**counted, "targets": [school, {**crash, "id": text}], "spatial_constraints": [
            {**near, "target_role": text, "distance_m": 100}]},
        "place": anchor(names=[text]),
        "place of an entity": anchor(entity="Road", names=[text]),
        "crossing": anchor(entity="Intersection", names=[text, text]),
        "town": anchor(entity="School", names=["Harriet Atwood"], town=text),
        "keys of a place": anchor(entity="School", keys=[text]),
        "area": anchor(area=area),
        "kind of area": anchor(area={"type": text, "coordinates": []}),
        "text": where(field="name", operator="eq", value=text),
        "part of a text": where(field="name", operator="contains", value=text),
        "texts": where(field="name", operator="not_in", value=[text, "x"]),
        "category": where(field="type", operator="eq", value=text),
        "field": where(field=text, operator="eq", value="x"),
        "operator": where(field="name", operator=text, value="x"),
        "concept": where(concept=text),
        "distance": {**counted, "spatial_constraints": [{**near, "distance_m": text}]},
        "relation": {**counted, "spatial_constraints": [{**near, "relation": text}]},
        "date": {"targets": [{"entity": "Crash", "role": "primary"}], "temporal_constraints": [
            {"target_role": "primary", "from": text}]},
        "measure": {**counted, "measures": [{"measure": text, "target_role": "support"}]},
        "name of a measure": {**counted, "measures": [
            {"measure": "crash_count", "target_role": "support", "name": text}],
            "ranking": {"metric": text, "top_n": 2}},
        "group": {"targets": [{"entity": "Crash", "role": "primary"}], "group_by": [
            {"target_role": "primary", "field": text}]},
        "notes": {"targets": [school], "notes": text, "question": text},
        "key": {"targets": [school], text: text},
    }  # fmt: skip


PLACES = list(placed(""))


@pytest.fixture(scope="module")
def listened(eval_url: str, ground: Subject, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A connection as users have it, and the file in which everything is noted that its driver sends."""
    path: Path = tmp_path_factory.mktemp("wire") / "messages"
    with path.open("wb") as wire, gf.connect(eval_url, ground.dataset.name) as gis:

        def listen(connection: Any, _: object) -> None:
            connection.pgconn.trace(wire.fileno())

        sa.event.listen(gis._database.engine, "connect", listen)
        yield gis, path


def sent(path: Path) -> tuple[str, str]:
    """The statements on the wire, and the parameters."""
    told: dict[str, list[str]] = {"Parse": [], "Query": [], "Bind": []}
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        found = re.search(r"\tF\t\d+\t(Parse|Query|Bind)\t", line)
        if found:
            told[found[1]].append(line)
    return "\n".join(told["Parse"] + told["Query"]), "\n".join(told["Bind"])


@pytest.mark.parametrize("place", PLACES)
def test_hostile_texts(listened: Any, place: str) -> None:
    """Each is answered or refused in words, and is in no statement on the wire."""
    gis, path = listened
    for number, text in enumerate(TEXTS.values()):
        frame = placed(text)[place]
        try:
            query = gis.compile(json.dumps(frame) if number % 2 else frame)
            gis.explain(query, analyze=True)
            told = gis.execute(query, row_limit=3).table()
        except GroundframeError as error:
            told = str(error)
        assert len(told) < 5000
    statements, _ = sent(path)
    assert "SELECT" in statements
    assert "zqx" not in statements


def test_the_wire_is_heard(listened: Any) -> None:
    """What the test above does not find among the statements it would find among the parameters."""
    gis, path = listened
    gis.run(placed("zqx-heard")["part of a text"])
    statements, parameters = sent(path)
    assert "zqx-heard" in parameters
    assert "zqx-heard" not in statements
