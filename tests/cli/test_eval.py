"""``groundframe eval``: figures as a table and as JSON."""

from __future__ import annotations

import json
from typing import Any

import groundframe as gf


def test_repairs_without_a_database(cli: Any) -> None:
    ran = cli("eval", "repairs", "--fresh", 30, "--seed", 5, "--family", "typo")
    assert ran.code == 0
    assert "typo entity" in ran.out
    assert "single changes" in ran.out
    assert "slowest" in ran.out


def test_the_same_seed_gives_the_same_figures(cli: Any) -> None:
    arguments = ("eval", "repairs", "--fresh", 30, "--family", "units", "--format", "json")
    first, second = (json.loads(cli(*arguments, "--seed", 7).out) for _ in range(2))
    for figures in (first, second):
        assert figures.pop("milliseconds")["slowest"] > 0
        figures.pop("slowest")
    assert first == second
    assert first["total"]["n"] == 30
    assert sum(first["total"]["shares"].values()) == 1
    assert set(first["families"]) == {"unit of distance", "unit of speed"}


def test_repairs_on_a_dataset(cli: Any, demo: str) -> None:
    ran = cli("eval", "repairs", "--fresh", 20, "--dataset", "demo", "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["ground"] == "dataset demo"


def test_names(cli: Any, demo: str) -> None:
    figures = json.loads(cli("eval", "names", "--entity", "Town", "--format", "json").out)["entities"]["Town"]
    assert figures["n"] + figures["other"] == 25
    assert figures["right"] >= 20
    assert "Town" in cli("eval", "names", "--entity", "Town").out


def test_what_has_no_names_is_refused(cli: Any, demo: str) -> None:
    ran = cli("eval", "names", "--entity", "Crash")
    assert ran.code == 2
    assert ran.sentence().startswith("There is no entity 'Crash' with names.")


def test_an_unknown_family_is_refused(cli: Any) -> None:
    ran = cli("eval", "repairs", "--family", "nothing")
    assert ran.code == 2
    assert "typo" in ran.err


def test_oracle_on_a_ground_that_is_gone_afterwards(cli: Any, demo: str) -> None:
    ran = cli("eval", "oracle", "--frames", 4, "--seed", 3, "--format", "json")
    assert ran.code == 0, ran.out
    report = json.loads(ran.out)
    assert (report["frames"], report["links"], report["differences"]) == (4, [], [])
    assert sum(one["drawn"] for one in report["aspects"]["targets"].values()) > 0
    with gf.connect(demo) as gis:
        assert gis.datasets() == ("demo",)


def test_no_fault_of_that_title(cli: Any) -> None:
    ran = cli("eval", "mutants", "--only", "no such words")
    assert ran.code == 2
    assert ran.sentence() == "No fault has 'no such words' in its title."
