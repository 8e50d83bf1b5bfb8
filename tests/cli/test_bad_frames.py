"""Bad input from the command line: one clear sentence, the right exit code, no traceback."""

from __future__ import annotations

import json
from copy import deepcopy
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOOD: dict[str, Any] = json.loads((ROOT / "examples" / "boston_schools.json").read_text(encoding="utf-8"))


def changed(path: str, value: Any) -> dict[str, Any]:
    """The good frame with one value replaced."""
    frame = deepcopy(GOOD)
    *way, last = [int(step) if step.isdigit() else step for step in path.strip("/").split("/")]
    place: Any = frame
    for step in way:
        place = place[step]
    place[last] = value
    return frame


def text(frame: Any) -> bytes:
    return json.dumps(frame).encode()


def crashes_in(area: list[Any]) -> dict[str, Any]:
    return {
        "targets": [{"entity": "Crash", "role": "primary"}],
        "references": [
            {"entity": "Place", "role": "anchor", "area": {"type": "Polygon", "coordinates": area}}
        ],
        "spatial_constraints": [
            {"relation": "within", "target_role": "primary", "reference_role": "anchor"},
        ],
    }


def ring(vertices: int) -> list[list[float]]:
    angles = [2 * pi * step / vertices for step in range(vertices)]
    points = [[-71.06 + 0.1 * cos(angle), 42.36 + 0.1 * sin(angle)] for angle in angles]
    return [*points, points[0]]


BOWTIE = [[-71.1, 42.3], [-71.0, 42.4], [-71.0, 42.3], [-71.1, 42.4], [-71.1, 42.3]]

BAD: dict[str, tuple[bytes, str]] = {
    "empty file": (b"", "empty"),
    "only blanks": (b" \n\t ", "empty"),
    "invalid JSON": (b'{"targets": [', "JSON"),
    "not an object": (b"[1, 2]", "object"),
    "not UTF-8": (b'{"question": "\xff"}', "UTF-8"),
    "duplicate keys": (b'{"targets": [], "targets": []}', "'targets'"),
    "no primary": (text({"targets": [{"entity": "Crash", "role": "support"}]}), "primary"),
    "no targets": (b"{}", "primary"),
    "unknown town": (text(changed("/targets/2/names", ["Xyzzyville"])), "Xyzzyville"),
    "unknown field": (text(changed("/attribute_constraints/0/field", "sped_limt")), "speed_limit"),
    "unknown key": (text({**GOOD, "rankings": {}}), "ranking"),
    "text for a number": (text(changed("/ranking/top_n", "many")), "/ranking/top_n"),
    "text for a distance": (text(changed("/spatial_constraints/0/distance_m", "far")), "distance_m"),
    "negative distance": (text(changed("/spatial_constraints/0/distance_m", -5)), "distance_m"),
    "NaN": (text(changed("/spatial_constraints/0/distance_m", float("nan"))), "NaN"),
    "Infinity": (text(changed("/spatial_constraints/0/distance_m", float("inf"))), "Infinity"),
    "distance beyond the earth": (text(changed("/spatial_constraints/0/distance_m", 1e12)), "distance_m"),
    "10 MB": (text({**GOOD, "notes": "x" * 10_000_000}), "1 MB"),
    "deep nesting": (b'{"targets": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "32"),
    "vertices beyond number": (text(crashes_in([ring(1_000_000)])), "1 MB"),
    "too many vertices": (text(crashes_in([ring(20_000)])).replace(b" ", b""), "10,000"),
    "SQL in a name": (
        text(changed("/targets/2/names", ["'; drop table crash; --"])),
        "'; drop table crash; --",
    ),
    "SQL in a field": (text(changed("/attribute_constraints/0/field", "x; drop table crash")), "field"),
    "NUL in a name": (text(changed("/targets/2/names", ["Bos\x00ton"])), "/targets/2/names/0"),
}


@pytest.mark.parametrize(("frame", "said"), BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("command", ["run", "validate", "explain"])
def test_bad_frame(cli: Any, demo: str, tmp_path: Path, command: str, frame: bytes, said: str) -> None:
    path = tmp_path / "frame.json"
    path.write_bytes(frame)
    ran = cli(command, path)
    assert ran.code == 1
    assert said in ran.sentence()
    assert len(ran.sentence()) < 600
    assert command == "validate" or ran.out == ""


def test_bad_frame_changed_nothing(cli: Any, demo: str) -> None:
    assert cli("run", ROOT / "examples" / "boston_schools.json").code == 0


def test_frame_from_standard_input(cli: Any, demo: str) -> None:
    assert cli("run", "-", stdin=BAD["duplicate keys"][0]).code == 1
    assert cli("run", "-", stdin=b"x" * 10_000_000).code == 1


@pytest.mark.parametrize("command", ["run", "validate", "explain"])
def test_self_crossing_polygon_is_asked_about(cli: Any, demo: str, command: str) -> None:
    ran = cli(command, "-", stdin=text(crashes_in([BOWTIE])))
    assert ran.code == 3
    assert "crosses itself" in ran.sentence()
    content = json.loads(ran.out)
    assert content["status"] == "needs_choice"
    (choice,) = content["choices"]
    key = choice["candidates"][0]["key"]
    chosen = cli(command, "-", "--choose", f"{choice['path']}={key}", stdin=text(crashes_in([BOWTIE])))
    assert chosen.code == 0


def test_every_issue_is_told(cli: Any, demo: str) -> None:
    frame = changed("/attribute_constraints/0/field", "sped_limt")
    frame["targets"][2]["names"] = ["Xyzzyville"]
    ran = cli("validate", "-", stdin=text(frame))
    assert ran.code == 1
    assert len(ran.err.splitlines()) == 2
    content = json.loads(ran.out)
    assert content["status"] == "rejected"
    assert [issue["path"] for issue in content["issues"]] == [
        "/attribute_constraints/0/field",
        "/targets/2/names/0",
    ]


def test_no_such_file(cli: Any, demo: str, tmp_path: Path) -> None:
    ran = cli("run", tmp_path / "none.json")
    assert ran.code == 1
    assert "none.json" in ran.sentence()


def test_folder_for_a_frame(cli: Any, demo: str, tmp_path: Path) -> None:
    assert cli("run", tmp_path).code == 1
