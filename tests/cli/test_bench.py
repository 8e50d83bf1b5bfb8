"""``groundframe bench``: all contestants answer alike on a tiny state; no test looks at their times."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import sqlalchemy as sa

from groundframe.eval.bench.by_hand import Best, Straightforward
from groundframe.eval.bench.classes import Case, cases, load_catalogue
from groundframe.eval.bench.contestant import Answered, TooSlowError
from groundframe.eval.bench.loading import Phases, ground_of, load_bench, plain_schema, state_of
from groundframe.eval.bench.month import LastMonth
from groundframe.eval.bench.report import Report
from groundframe.eval.bench.running import BenchError, run_cases
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import TEMPORARY, Dataset, dataset_names, open_dataset
from groundframe.schema.packs import load_pack

CATALOGUE = load_catalogue()
PACK = load_pack("massachusetts")
PEERS = [name for name in ("geopandas", "duckdb", "sedonadb") if find_spec(name) is not None]


@pytest.fixture(scope="module")
def bench_url(make_database: Callable[..., str]) -> str:
    url = make_database()
    with Database(url) as database:
        load_bench(database, PACK, CATALOGUE, "tiny", 1 / 500, lambda *_: None, month=True)
    return url


@pytest.fixture
def dataset(bench_url: str) -> Iterator[Dataset]:
    with Database(bench_url, reading=True) as database:
        yield open_dataset(database, "tiny")


@pytest.fixture(autouse=True)
def _url(bench_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", bench_url)


def test_all_classes_are_answered_alike_and_shown(cli: Any, tmp_path: Path) -> None:
    figures, chart, page = tmp_path / "bench.json", tmp_path / "bench.svg", tmp_path / "page.md"
    page.write_text("before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n")
    options = ["--rounds", 1, "--drawn", 1, "--json", figures, "--svg", chart, "--markdown", page]
    ran = cli("bench", "run", "--dataset", "tiny", *options, *(f"--peer={name}" for name in PEERS))
    assert ran.code == 0, ran.err

    content = json.loads(figures.read_text())
    names = [spec.name for spec in CATALOGUE.classes]
    assert list(content["ratios"]) == names
    own = [one for one in content["figures"] if one["contestant"] == "groundframe"]
    assert [(one["class"], one["variant"]) for one in own] == [
        (name, variant) for name in names for variant in ("fixed", "drawn 1")
    ]
    for one in content["figures"]:
        assert one["cut_off_s"] is None
        assert len(one["ms"]) == 1
        assert (one["rows"] is None) == (one["contestant"] == "bound")
    assert all(one["compile_ms"] and one["first_row_ms"] for one in own)
    assert sum(one["rows"] > 0 for one in own) > len(own) / 2
    mine, other = (
        next(one["ms"][0] for one in content["figures"] if one["contestant"] == name)
        for name in ("groundframe", "by hand")
    )
    assert content["ratios"]["A"]["by hand"]["fixed"] == pytest.approx(other / mine, abs=0.002)

    assert ElementTree.parse(chart).getroot().tag.endswith("svg")  # noqa: S314 - just written
    text = page.read_text()
    assert text.startswith("before\n<!-- bench -->\n| ms |")
    assert text.endswith("<!-- /bench -->\nafter\n")
    assert "old" not in text
    lines = [line.split(" | ")[0].removeprefix("| ") for line in ran.out.splitlines()]
    assert [line for line in lines if line in names] == [*names, *names]


def test_what_is_drawn_follows_from_the_seed(dataset: Dataset) -> None:
    ground = ground_of(dataset, CATALOGUE)
    for spec in CATALOGUE.classes:
        first, again, other = (list(cases(CATALOGUE, spec, ground, seed, 4)) for seed in (1, 1, 2))
        assert [(one.frame, one.values) for one in first] == [(one.frame, one.values) for one in again]
        assert first[0].frame == other[0].frame
        assert any(one.frame != two.frame for one, two in zip(first[1:], other[1:], strict=True))
        for case in first[1:]:
            if spec.values.radius is not None:
                assert 0.4 * spec.values.radius <= case.values["radius"] <= spec.values.radius
                assert case.values["reach"] == case.values["radius"] + 0.0005


class Told:
    """Answers with what it is told."""

    def __init__(self, name: str, rows: Any) -> None:
        self.name = name
        self.rows = rows

    def takes(self, case: Case) -> bool:
        return True

    def answer(self, case: Case, limit_s: float) -> Answered:
        if self.rows is None:
            raise TooSlowError("cut off")
        return Answered(self.rows, 0.5)

    def close(self) -> None: ...


def run(dataset: Dataset, *contestants: Any) -> Report:
    spec = CATALOGUE.chosen(["F1"])[0]
    every = list(cases(CATALOGUE, spec, ground_of(dataset, CATALOGUE), 1, 0))
    return Report({}, run_cases(every, contestants, rounds=2, limit_s=9.0, progress=lambda *_: None))


def test_a_wrong_answer_ends_the_bench(dataset: Dataset) -> None:
    right = (("a", 2), ("b", 1), ("c", 0))
    run(dataset, Told("one", right), Told("two", right[:2]))
    with pytest.raises(BenchError, match=r"F1 \(fixed\) has different answers.*two: 2 rows.*\('b', 2\)"):
        run(dataset, Told("one", right), Told("two", (("a", 2), ("b", 2))))


def test_who_is_too_slow_is_cut_off_and_the_others_go_on(dataset: Dataset) -> None:
    report = run(dataset, Told("groundframe", (("a", 2),)), Told("slow", None))
    slow = report.find("F1", "slow")
    assert slow is not None
    assert (slow.seconds, slow.cut_off) == ([], 9.0)
    assert report.ratio("F1", "slow") == 18.0
    assert "> 9,000" in report.markdown()
    assert "> 18.0" in report.markdown()


@pytest.mark.parametrize("kind", [Straightforward, Best])
def test_statements_by_hand_keep_to_the_limit(dataset: Dataset, kind: Any) -> None:
    contestant = kind(dataset.database, f"{plain_schema('tiny')}, {dataset.schema}")
    spec = CATALOGUE.chosen(["A"])[0].model_copy(
        update={"straightforward": "SELECT pg_sleep(60)", "best": _slow()}
    )
    case = next(cases(CATALOGUE, spec, ground_of(dataset, CATALOGUE), 1, 0))
    with pytest.raises(TooSlowError):
        contestant.answer(case, 0.05)


def _slow() -> Any:
    return CATALOGUE.classes[0].best.model_copy(update={"rows": "SELECT pg_sleep(60)"})


def test_planners_ask_at_the_same_time(cli: Any) -> None:
    ran = cli("bench", "concurrency", "--dataset", "tiny", "--planners", 3, "--seconds", 0.2)
    assert ran.code == 0, ran.err
    assert figures_of(ran.out) == ["3", "0", "0"]


def test_a_load_beside_them_disturbs_nobody(cli: Any, dataset: Dataset) -> None:
    ran = cli("bench", "concurrency", "--dataset", "tiny", "--planners", 2, "--seconds", 0.2, "--loading")
    assert ran.code == 0, ran.err
    assert figures_of(ran.out) == ["2", "0", "1"]
    assert not [name for name in dataset_names(dataset.database) if name.startswith(TEMPORARY)]


def figures_of(out: str) -> list[str]:
    """How many planners, errors and loads the last line tells of."""
    cells = [cell.strip() for cell in out.splitlines()[-1].split("|")]
    return [cells[1], cells[-3], cells[-2]]


def test_every_class_is_compiled(cli: Any) -> None:
    ran = cli("bench", "compile", "--dataset", "tiny", "--drawn", 1, "--rounds", 2)
    found = json.loads(ran.out)
    assert (found["frames"], found["rounds"]) == (2 * len(CATALOGUE.classes), 2)
    assert 0 < found["median_ms"] <= found["p95_ms"]


def test_all_events_are_streamed(cli: Any, dataset: Dataset) -> None:
    ran = cli("bench", "stream", "--dataset", "tiny")
    with dataset.database.connect() as connection:
        rows = connection.scalar(sa.select(sa.func.count()).select_from(dataset.tables.entities["Crash"]))
    assert json.loads(ran.out)["features"] == rows


def test_what_cannot_be_measured_is_said(cli: Any, tmp_path: Path) -> None:
    assert (
        "There is no class 'Z'. Classes: A, B, C"
        in cli("bench", "run", "--dataset", "tiny", "--class", "Z").err
    )
    page = tmp_path / "page.md"
    page.write_text("no marks")
    options = ["--class", "B", "--rounds", 1, "--drawn", 0, "--markdown", page]
    ran = cli("bench", "run", "--dataset", "tiny", *options)
    assert (ran.code, page.read_text()) == (2, "no marks")
    assert "has no place for figures. Mark it with <!-- bench -->" in ran.err


def test_a_dataset_that_is_not_made_for_it_is_refused(
    cli: Any, demo_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", demo_url)
    ran = cli("bench", "run", "--dataset", "demo")
    assert ran.code == 1
    assert "Dataset 'demo' is not made for a bench. Load one: groundframe bench load" in ran.err


def test_a_month_is_held_back_and_added() -> None:
    """The parts are disjoint, all of the state together, and divided by the last month."""
    state = state_of(PACK, 1 / 1000)
    alone = LastMonth(state, alone=True)
    late, early = (list(replace(alone, alone=which).rows("Crash")) for which in (True, False))
    assert late
    assert alone.month == date(2025, 12, 1)
    assert all(str(row.values["date"]) >= str(alone.month) for row in late)
    assert all(str(row.values.get("date", "")) < str(alone.month) for row in early)
    keys = [row.key for row in (*late, *early)]
    assert sorted(keys) == sorted(row.key for row in state.rows("Crash"))
    assert not list(alone.rows("Town"))
    assert list(alone.made_up().rows("Crash")) == late
    assert not list(alone.made_up().rows("Town"))
    assert list(replace(alone, alone=False).rows("Town"))


def test_phases_are_what_a_load_says_in_its_order() -> None:
    told: list[tuple[str, int]] = []
    phases = Phases(lambda what, done: told.append((what, done)))
    for what, done in (("crashes", 5), ("crashes", 9), ("linking crashes", 0)):
        phases(what, done)
    assert told == [("crashes", 5), ("crashes", 9), ("linking crashes", 0)]
    spent = list(phases.seconds())
    assert [what for what, _, _ in spent] == ["starting", "crashes", "linking crashes"]
    assert all(passed >= 0 and own >= 0 for _, passed, own in spent)
