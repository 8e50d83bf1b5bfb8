"""``groundframe eval published``: figures group by group, and what makes it fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

import groundframe as gf
from groundframe.eval import published
from groundframe.eval.published import PublishedResult
from groundframe.eval.published_report import PublishedReport
from groundframe.validator.outcomes import Rejected


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Ask these of the published questions only, and others beside them."""

    def choose(*names: str, **others: dict[str, Any]) -> None:
        frames = published.published_frames()
        for name, frame in {**{name: frames[name] for name in names}, **others}.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(frame), encoding="utf-8")
        monkeypatch.setattr(published, "FOLDER", tmp_path)

    return choose


def test_all_questions(cli: Any, demo: str) -> None:
    ran = cli("eval", "published", "--no-oracle", "--format", "json")
    assert ran.code == 0
    content = json.loads(ran.out)
    assert [group["questions"] for group in content["groups"]] == [5, 6, 9, 6, 4, 8, 6, 6, 12]
    assert content["total"]["questions"] == content["total"]["executed"] == 62
    assert content["total"]["agree_with_oracle"] is None
    assert content["total"]["rows"] == sum(question["rows"] for question in content["questions"])
    for figures in (*content["groups"], content["total"]):
        assert 0 < figures["median_s"] <= figures["worst_s"]
    with gf.connect(demo) as gis:
        assert content["data_version"] == gis.dataset.data_version
        (towns,) = (one for one in content["questions"] if one["id"] == "G1_06")
        assert towns["rows"] == gis.run(published.published_frames()["G1_06"]).counts["returned"]


def test_table_with_the_oracle(cli: Any, demo: str, questions: Callable[..., None]) -> None:
    questions("G1_06", "G7_01")
    ran = cli("eval", "published")
    assert ran.code == 0
    lines = {line.split()[0]: line.split()[-7:] for line in ran.out.splitlines() if line.startswith("  G")}
    assert lines["G1"][:3] == ["1", "1", "1"]
    assert lines["G7"][-2:] == ["mean", "62"]
    assert lines["G2"][:3] == ["0", "0", "-"]
    assert "Executed: 2 of 2; published: 80 of 80." in ran.out
    assert "published: 23 of 80." in ran.out


def test_an_answer_that_is_not_the_oracle_s(
    cli: Any,
    make_database: Callable[..., str],
    load_demo: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    questions: Callable[..., None],
) -> None:
    url = load_demo(make_database())
    monkeypatch.setenv("DATABASE_URL", url)
    questions("G1_01", "G1_06")
    with psycopg.connect(url) as connection:
        # The links say nothing now, and the oracle goes by geometry.
        connection.execute("UPDATE gf_demo.narrow_crash SET town_id = NULL")
    ran = cli("eval", "published", "--format", "json")
    assert ran.code == 1
    content = json.loads(ran.out)
    assert content["total"]["agree_with_oracle"] == 1
    assert [one["id"] for one in content["questions"] if not one["agrees_with_oracle"]] == ["G1_01"]
    assert "wrong: G1_01 'show crashes in Quincy': " in cli("eval", "published").out


def test_a_frame_without_an_answer(cli: Any, demo: str, questions: Callable[..., None]) -> None:
    nothing = {"question": "show spaceships", "targets": [{"entity": "Spaceship", "role": "primary"}]}
    questions("G1_06", G1_99=nothing)
    ran = cli("eval", "published", "--no-oracle")
    assert ran.code == 1
    assert "Executed: 1 of 2" in ran.out
    assert "wrong: G1_99 'show spaceships': /targets/0/entity: " in ran.out


def test_want_of_data_is_no_failure() -> None:
    def result(code: str) -> PublishedResult:
        outcome = Rejected((gf.Issue(code, "/targets/0", "There is nothing of it."),), gf.Frame())
        return PublishedResult("G1_01", "show crashes", outcome, None, None, 0.1)

    assert PublishedReport([result("missing_layer")]).wrong() == []
    assert PublishedReport([result("missing_field_data")]).total.lacking == 1
    assert len(PublishedReport([result("unknown_entity")]).wrong()) == 1
