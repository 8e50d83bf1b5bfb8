"""``groundframe golden add`` and ``check``, on the small demo."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from groundframe.postgis.connect import Database
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.synthetic import generate
from groundframe.schema.packs import load_pack

pytestmark = pytest.mark.usefixtures("demo")

FRAME = {
    "question": "Crashes near schools of Quincy",
    "targets": [
        {"entity": "School", "role": "primary"},
        {"entity": "Crash", "role": "support"},
        {"entity": "Town", "role": "scope", "names": ["Quincyy"]},
    ],
    "spatial_constraints": [
        {
            "relation": "within_distance",
            "target_role": "support",
            "reference_role": "primary",
            "distance_m": 500,
        }
    ],
    "ranking": {"metric": "crash_count", "order": "highest", "top_n": 3},
}
CHOICE = {
    "targets": [{"entity": "Crash", "role": "primary"}],
    "references": [{"entity": "School", "names": ["Memorial School"]}],
}
CHOSEN = ("/references/0/names/0", "synthetic_school:3")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with one frame in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quincy.json").write_text(json.dumps(FRAME), encoding="utf-8")
    return tmp_path


@pytest.fixture
def golden(folder: Path, cli: Any) -> Path:
    """A golden file without a frame file beside it."""
    assert cli("golden", "add", "quincy.json").code == 0
    (folder / "quincy.json").unlink()
    return folder / "quincy.golden.yaml"


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


def content(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def rewrite(path: Path, **parts: Any) -> None:
    path.write_text(yaml.safe_dump(content(path) | parts, sort_keys=False), encoding="utf-8")


def stages(out: str) -> list[str]:
    """The stages of which something is said, in order."""
    return [line.strip() for line in out.splitlines() if line.startswith("  ") and line[2] != " "]


def test_add_records_every_stage(folder: Path, cli: Any) -> None:
    ran = cli("golden", "add", "quincy.json")
    path = folder / "quincy.golden.yaml"
    assert (ran.code, ran.out) == (0, "")
    assert ran.sentence() == f"{path.name}: recorded on dataset 'demo'. Read it before you commit it."
    found = content(path)
    assert found["frame"] == FRAME
    assert [repair["after"] for repair in found["repairs"]] == ["Quincy"]
    assert found["checked_frame"]["targets"][2]["keys"] == ["synthetic_town:5"]
    assert [node["op"] for node in found["plan"].values()][-1] == "Show"
    assert set(found["sql"]["postgis"]) == {"rows", "counts"}
    answer = json.loads(cli("run", "quincy.json", "--format", "json").out)
    assert found["result"]["digest"] == answer["groundframe"]["digest"]
    shown = [dict(zip(found["result"]["columns"], row, strict=True)) for row in found["result"]["head"]]
    assert [row["key"] for row in shown] == [row["key"] for row in answer["rows"]]
    assert [row["crash_count [crashes]"] for row in shown] == [row["crash_count"] for row in answer["rows"]]


def test_the_same_file_again(golden: Path, cli: Any) -> None:
    before = golden.read_bytes()
    ran = cli("golden", "check")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.splitlines()[-1] == "Golden frames: 1 unchanged."
    assert cli("golden", "check", "--update").code == 0
    assert golden.read_bytes() == before


def test_an_edited_frame(golden: Path, cli: Any) -> None:
    edit(golden, "distance_m: 500", "distance_m: 300")
    ran = cli("golden", "check", golden.name)
    assert ran.code == 1
    assert ran.out.splitlines()[:3] == [
        "quincy.golden.yaml: the checked frame changed first; the plan, the SQL and the result follow.",
        "  checked frame",
        "    /spatial_constraints/0/distance_m: 500.0 → 300.0",
    ]
    assert stages(ran.out) == ["checked frame", "plan", "SQL", "result"]
    assert "Join changed: /relations/0/metres: 500.0 → 300.0" in ran.out
    assert "Golden frames: 1 changed. Another result: 1." in ran.err
    before = content(golden)["result"]
    updated = cli("golden", "check", "--update")
    assert (updated.code, updated.out) == (0, ran.out)
    assert content(golden)["result"]["digest"] != before["digest"]
    assert cli("golden", "check").code == 0


def test_a_frame_with_a_file_of_its_own(folder: Path, cli: Any) -> None:
    cli("golden", "add", "quincy.json")
    edit(folder / "quincy.json", '"top_n": 3', '"top_n": 2')
    ran = cli("golden", "check")
    assert ran.code == 1
    assert stages(ran.out)[:2] == ["frame", "checked frame"]
    assert "    /ranking/top_n: 3 → 2" in ran.out
    assert cli("golden", "check", "--update").code == 0
    assert content(folder / "quincy.golden.yaml")["frame"]["ranking"]["top_n"] == 2


@pytest.mark.parametrize(
    ("part", "stage"),
    [
        (("repairs", 0, "after"), "repairs"),
        (("anchors", 0, "basis"), "anchors"),
        (("checked_frame", "ranking", "metric"), "checked frame"),
        (("plan", "n1", "entity"), "plan"),
        (("sql", "postgis", "counts", "text"), "SQL"),
        (("result", "digest"), "result"),
    ],
)
def test_the_first_stage_that_changed_is_named(
    golden: Path, cli: Any, part: tuple[Any, ...], stage: str
) -> None:
    found = content(golden)
    inner: Any = found
    for step in part[:-1]:
        inner = inner[step]
    inner[part[-1]] = "other"
    rewrite(golden, **found)
    ran = cli("golden", "check")
    assert ran.code == 1
    assert stages(ran.out) == [stage]
    same = "" if stage == "result" else " The result is the same."
    assert ran.out.splitlines()[0] == f"quincy.golden.yaml: the {stage} changed.{same}"


def test_a_stage_that_is_taken_out_is_neither_compared_nor_put_back(golden: Path, cli: Any) -> None:
    found = content(golden)
    del found["sql"], found["plan"]
    golden.write_text(yaml.safe_dump(found, sort_keys=False), encoding="utf-8")
    assert cli("golden", "check").code == 0
    edit(golden, "distance_m: 500", "distance_m: 300")
    assert stages(cli("golden", "check", "--update").out) == ["checked frame", "result"]
    assert not {"sql", "plan"} & content(golden).keys()


def test_other_data(
    golden: Path, make_database: Callable[..., str], cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same answer from other data holds; another answer has the data as its first reason."""
    edit(golden, "data_version: ", "data_version: f")
    ran = cli("golden", "check")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.splitlines()[-1] == (
        "Golden frames: 1 unchanged. 1 of the unchanged were recorded on other data."
    )
    ran = cli("golden", "check", "--update")
    assert ran.out.splitlines()[0] == "quincy.golden.yaml: the data changed. The result is the same."
    assert ran.sentence() == "Golden frames: 1 rewritten. Another result: none."
    pack, url = load_pack("massachusetts"), make_database()
    with Database(url) as database:
        load_dataset(database, pack, "another", generate(pack, size="small", crashes=1000))
    monkeypatch.setenv("DATABASE_URL", url)
    assert "There is no dataset 'demo'. Datasets: another." in cli("golden", "check").out
    ran = cli("golden", "check", "--dataset", "another")
    assert ran.code == 1
    assert ran.out.splitlines()[0] == "quincy.golden.yaml: the data changed first; the result follows."
    assert stages(ran.out) == ["data", "result"]


def test_a_frame_that_is_no_longer_accepted(golden: Path, cli: Any) -> None:
    before = golden.read_text(encoding="utf-8")
    edit(golden, "entity: School", "entity: Spaceship")
    edit(golden, "distance_m: 500", "distance_m: -5")
    for options in ((), ("--update",)):
        ran = cli("golden", "check", *options)
        assert ran.code == 1
        first, stage, *issues = ran.out.splitlines()
        assert (first, stage) == ("quincy.golden.yaml: there is no answer.", "  checked frame")
        assert {issue.strip().partition(":")[0] for issue in issues} >= {
            "/targets/0/entity",
            "/spatial_constraints/0/distance_m",
        }
    assert "Golden frames: 1 without an answer." in ran.err
    assert content(golden)["result"] == yaml.safe_load(before)["result"]


def test_choices(folder: Path, cli: Any) -> None:
    (folder / "choice.json").write_text(json.dumps(CHOICE), encoding="utf-8")
    asked = cli("golden", "add", "choice.json")
    assert asked.code == 3
    assert json.loads(asked.out)["status"] == "needs_choice"
    assert not (folder / "choice.golden.yaml").exists()
    assert cli("golden", "add", "choice.json", "--choose", "=".join(CHOSEN)).code == 0
    path = folder / "choice.golden.yaml"
    assert content(path)["choices"] == dict([CHOSEN])
    assert cli("golden", "check").code == 0
    rewrite(path, choices={})
    lines = cli("golden", "check").out.splitlines()
    assert lines[2].endswith("Choose one under 'choices':")
    assert any(line.strip().startswith(": ".join(CHOSEN)) for line in lines)


def test_a_file_begun_by_hand(folder: Path, cli: Any) -> None:
    path = folder / "hand.golden.yaml"
    path.write_text(f"golden: 1\nquestion: By hand\nframe: {json.dumps(CHOICE | {'references': []})}\n")
    ran = cli("golden", "check")
    assert ran.code == 1
    assert ran.out == (
        "hand.golden.yaml: It holds no answer yet. "
        "Record it: groundframe golden check --update hand.golden.yaml\n"
    )
    assert cli("golden", "check", "--update").out == "hand.golden.yaml: recorded.\n"
    assert (content(path)["question"], len(content(path)["result"]["head"])) == ("By hand", 5)
    assert cli("golden", "check").code == 0


def test_how_many_rows(folder: Path, cli: Any) -> None:
    frame = json.dumps({"targets": [{"entity": "Town", "role": "primary"}]}).encode()
    assert cli("golden", "add", "-", "-o", "towns.golden.yaml", "--rows", "9", stdin=frame).code == 0
    path = folder / "towns.golden.yaml"
    assert len(content(path)["result"]["head"]) == 9
    rewrite(path, data_version="other")
    assert cli("golden", "check", "--update").code == 0
    assert len(content(path)["result"]["head"]) == 9


def test_one_broken_file_does_not_cost_the_others(golden: Path, folder: Path, cli: Any) -> None:
    inner = folder / "inner" / "deeper"
    inner.mkdir(parents=True)
    (inner / "broken.golden.yaml").write_bytes(b"golden: 1\nframe: [")
    (inner / "other_pack.golden.yaml").write_text(
        golden.read_text(encoding="utf-8").replace("name: massachusetts", "name: elsewhere")
    )
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "x.golden.yaml").touch()
    edit(golden, "top_n: 3", "top_n: 2")
    ran = cli("golden", "check")
    assert ran.code == 1
    named = [line.partition(": ") for line in ran.out.splitlines() if not line.startswith(" ")]
    assert [name for name, _, _ in named] == [
        "quincy.golden.yaml",
        "inner/deeper/broken.golden.yaml",
        "inner/deeper/other_pack.golden.yaml",
    ]
    assert named[1][2].startswith("This is not YAML: ")
    assert named[2][2] == (
        "It is for the pack 'elsewhere', and dataset 'demo' is of 'massachusetts'. Choose another dataset."
    )
    assert "Golden frames: 1 changed, 2 without an answer." in ran.err


WRONG_USE = {
    ("check", "nowhere"): "There is no file or folder 'nowhere'.",
    (
        "check",
        "empty",
    ): "There is no golden frame (*.golden.yaml) in empty. Make one: groundframe golden add FRAME",
    ("add", "-"): "The golden file of standard input has no name. Name it: -o NAME.golden.yaml",
    ("add", "quincy.json", "-o", "x.yaml"): (
        "A golden file is named NAME.golden.yaml, and 'x.yaml' is not. Name it with -o."
    ),
    ("add", "quincy.json", "--choose", "x"): (
        "'x' is no choice. Write --choose PATH=KEY, as 'groundframe validate' lists them."
    ),
}


@pytest.mark.parametrize(("arguments", "said"), WRONG_USE.items(), ids=map(" ".join, WRONG_USE))
def test_wrong_use(folder: Path, cli: Any, arguments: tuple[str, ...], said: str) -> None:
    (folder / "empty").mkdir()
    ran = cli("golden", *arguments, stdin=json.dumps(FRAME).encode())
    assert (ran.code, ran.sentence()) == (2, said)


def test_add_leaves_a_file_alone_that_is_there(golden: Path, folder: Path, cli: Any) -> None:
    (folder / "quincy.json").write_text(json.dumps(FRAME), encoding="utf-8")
    before = golden.read_bytes()
    ran = cli("golden", "add", "quincy.json")
    assert ran.code == 2
    assert ran.sentence() == (
        "'quincy.golden.yaml' is there already. "
        "Rewrite it: groundframe golden check --update quincy.golden.yaml"
    )
    assert golden.read_bytes() == before


def test_a_frame_that_cannot_be_answered_is_not_added(folder: Path, cli: Any) -> None:
    (folder / "bad.json").write_text("{}")
    ran = cli("golden", "add", "bad.json")
    assert ran.code == 1
    assert not (folder / "bad.golden.yaml").exists()


def test_no_database(golden: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    ran = cli("golden", "check")
    assert (ran.code, ran.out) == (1, "")
    assert ran.sentence().startswith("No database answers at postgresql://nobody@127.0.0.1:1/nothing: ")
