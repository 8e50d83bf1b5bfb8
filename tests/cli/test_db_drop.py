"""Dropping a dataset: it alone, with everything in it, while others read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

import groundframe as gf

CRASHES = {"targets": [{"entity": "Crash", "role": "primary"}]}


def schemas(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'gf%'")
        return {name for (name,) in rows}


@pytest.fixture
def own_url(
    make_database: Callable[..., str], load_demo: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> str:
    url = load_demo(make_database())
    monkeypatch.setenv("DATABASE_URL", url)
    return url


def test_a_dataset_is_dropped_and_what_reads_it_is_waited_for_by_nobody(cli: Any, own_url: str) -> None:
    unknown = cli("db", "drop", "trial", "--yes")
    assert unknown.code == 1
    assert unknown.sentence() == "There is no dataset 'trial'. Datasets: demo."
    assert cli("db", "drop", "Trial;", "--yes").code == 2
    unasked = cli("db", "drop", "demo", stdin=b"y\n")
    assert unasked.code == 2
    assert "Add --yes." in unasked.sentence()
    assert schemas(own_url) == {"gf_demo"}
    with gf.connect(own_url) as gis:
        total = gis.run(CRASHES, row_limit=1).counts["true_total"]
        rows = gis.run(CRASHES, row_limit=None).rows()
        next(rows)
        dropped = cli("db", "drop", "demo", "--yes")
        assert (dropped.code, dropped.sentence()) == (0, "Dataset 'demo' is dropped.")
        assert gis.datasets() == ()
        # Who reads keeps the tables for as long.
        assert "gf_demo" not in schemas(own_url)
        assert sum(1 for _ in rows) == total - 1
        with pytest.raises(gf.DatabaseError, match="no longer there"):
            gis.run(CRASHES)
    with gf.connect(own_url) as gis, pytest.raises(gf.DatasetError, match="holds no data yet"):
        gis.run(CRASHES)
    again = cli("db", "drop", "demo", "--yes")
    assert again.sentence() == "There is no dataset 'demo'. Datasets: none."
