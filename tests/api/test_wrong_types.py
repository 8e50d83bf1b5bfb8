"""What the API refuses in a sentence: arguments of another type, and what is asked after the close."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import groundframe as gf

SCHOOLS = {"targets": [{"entity": "School", "role": "primary"}]}
BOWTIE = [[[-72.0, 42.0], [-71.9, 42.1], [-71.9, 42.0], [-72.0, 42.1], [-72.0, 42.0]]]
IN_BOWTIE = {
    "targets": [{"entity": "School", "role": "primary"}],
    "references": [{"area": {"type": "Polygon", "coordinates": BOWTIE}}],
}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda gis: gis.run(None), "not NoneType"),
        (lambda gis: gis.run(5), "not int"),
        (lambda gis: gis.run(SCHOOLS, row_limit="5"), "'5' rows cannot be asked for"),
        (lambda gis: gis.run(SCHOOLS, row_limit=True), "True rows cannot be asked for"),
        (lambda gis: gis.run(SCHOOLS, choices=[1]), "not list"),
        (
            lambda gis: gis.run(IN_BOWTIE, choices={"/references/0/area": 1}),
            "1, chosen for '/references/0/area'",
        ),
        (
            lambda gis: gis.run(IN_BOWTIE, choices={"/references/0/area": "1"}),
            "'1' is none of the candidates",
        ),
        (lambda gis: gis.run(SCHOOLS, choices={1: "x"}), "The path of a choice is a text, not int"),
        (lambda gis: gis.execute(SCHOOLS), "A compiled frame belongs here, not dict.*run"),
        (lambda gis: gis.explain(SCHOOLS), "A compiled frame belongs here, not dict"),
        (lambda gis: gis.explain(gis.compile(SCHOOLS), "pdf"), "no form 'pdf'.*words, dot"),
        (lambda gis: gis.ask(5), "A question is a text, not int"),
        (lambda gis: gis.ask(None), "A question is a text, not NoneType"),
        (lambda gis: gis.reply(5, gis.validate(SCHOOLS)), "What interpret.. gives belongs here, not int"),
        (lambda gis: gis.run(SCHOOLS).write(None), "A path belongs here, not NoneType"),
        (lambda gis: gis.run(SCHOOLS).write("a\0.csv"), "no file can have this name"),
        (lambda gis: gis.run(SCHOOLS).write_record("a\0.json"), "no file can have this name"),
        (lambda gis: gis.run(SCHOOLS).write_record(None), "A path belongs here, not NoneType"),
        (lambda gis: gis.run(SCHOOLS).write_to(io.StringIO(), "csv"), "A binary stream belongs here"),
        (lambda gis: gis.run(SCHOOLS).table(-1), "rows is a whole number, and -1 is none"),
        (lambda gis: gis.batch(5, "out"), "Frames are a list of them, or a path, not int"),
        (lambda gis: gis.batch([SCHOOLS], "a\0b"), "no file can have this name"),
        (lambda gis: gis.batch([SCHOOLS], 5), "A path belongs here, not int"),
        (lambda gis: gis.batch([SCHOOLS], "out", workers=True), "workers is a whole number"),
        (lambda gis: gis.batch([SCHOOLS], "out", row_limit=0), "0 rows cannot be asked for"),
        (lambda gis: gis.batch([SCHOOLS], "out", patience_s="x"), "patience_s is a number of seconds"),
        (lambda gis: gis.batch([SCHOOLS], "out", progress=5), "5 cannot be"),
        (lambda gis: gis.batch([SCHOOLS], "out", choices=5), "Choices are the path of a file.*not int"),
    ],
)
def test_a_sentence_says_what_belongs_there(
    demo_url: str,
    call: Callable[[gf.Connection], Any],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with gf.connect(demo_url) as gis, pytest.raises(gf.GroundframeError, match=said):
        call(gis)
    assert not list(tmp_path.iterdir()) or said.startswith("Choices are")


@pytest.mark.parametrize("seconds", ["x", -1, 0, float("nan"), float("inf"), True, None, 1e12])
def test_a_time_that_is_none_is_refused_at_once(seconds: Any) -> None:
    with pytest.raises(gf.UsageError, match="timeout_s is a number of seconds"):
        gf.connect("postgresql://nobody@localhost/none", timeout_s=seconds)


@pytest.mark.parametrize(("url", "dataset"), [(5, None), ("postgresql://nobody@localhost/none", 5)])
def test_a_url_and_a_name_are_texts(url: Any, dataset: Any) -> None:
    with pytest.raises(gf.UsageError, match="is a text, not int"):
        gf.connect(url, dataset)


def test_a_port_is_a_number() -> None:
    with pytest.raises(gf.GroundframeError, match="is not a URL"):
        gf.connect("postgresql://nobody@localhost:port/none")


def test_a_pack_alone_refuses_them_as_well() -> None:
    with pytest.raises(gf.GroundframeError, match="not list"):
        gf.validate(SCHOOLS, pack="massachusetts", choices=[1])  # type: ignore[arg-type]
    with pytest.raises(gf.UsageError, match="A pack, or its name, belongs here, not int"):
        gf.validate(SCHOOLS, pack=5)  # type: ignore[arg-type]


def test_the_only_pack_need_not_be_named() -> None:
    outcome = gf.validate(SCHOOLS)
    assert isinstance(outcome, gf.Checked)
    assert outcome.frame == gf.validate(SCHOOLS, pack="massachusetts").frame  # type: ignore[union-attr]


def test_nothing_is_asked_after_the_close(demo_url: str) -> None:
    gis = gf.connect(demo_url)
    kept, streamed, query = gis.run(SCHOOLS), gis.run(SCHOOLS, row_limit=None), gis.compile(SCHOOLS)
    rows, texts = streamed.rows(), streamed.features()
    assert texts is not None
    first, _ = next(rows), next(iter(texts))
    gis.close()
    gis.close()
    calls: list[Callable[[], Any]] = [
        lambda: next(rows),
        lambda: list(streamed.rows()),
        lambda: list(texts),
        lambda: gis.pack,
        lambda: gis.datasets(),
        lambda: gis.validate(SCHOOLS),
        lambda: gis.execute(query),
        lambda: gis.explain(query),
        lambda: gis.interpret("schools"),
        lambda: gis.batch([SCHOOLS], "out"),
        lambda: gis.__enter__(),
    ]
    for call in calls:
        with pytest.raises(gf.UsageError, match="was closed"):
            call()
    # What was read before is there.
    assert next(kept.rows()) == first
    assert kept.counts["returned"] == len(list(kept.rows()))


def test_what_is_handed_out_changes_nothing_of_the_answer(demo_url: str) -> None:
    with gf.connect(demo_url) as gis:
        answer = gis.run({"targets": [{"entity": "Crash", "role": "primary"}]}, row_limit=3)
        before, digest = answer.record(), answer.audit()["digest"]
        answer.counts["matched"] = -1  # type: ignore[index]
        answer.counts["unknown_left_out"].clear()
        answer.record()["rules"]["in_words"].append("invented")
        answer.record()["sources"].clear()
        for row in answer.rows():
            for value in row:
                if isinstance(value, list):
                    value.append("invented")
        assert answer.record() == before
        assert answer.audit()["digest"] == digest
