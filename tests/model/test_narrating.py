"""A model's words about a result: kept where they hold no number of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from groundframe.answer import Answer
from groundframe.api import connect
from groundframe.frames.model_interpreter.settings import ModelSettings
from groundframe.narrating import narrate, strange_numbers

FRAME = {
    "targets": [{"entity": "Town", "role": "primary"}, {"entity": "Crash", "role": "support"}],
    "ranking": {"metric": "crash_count", "target_role": "primary", "order": "highest", "top_n": 2},
}


@pytest.mark.parametrize(
    ("text", "known", "strange"),
    [
        ("1,512 crashes", "1512", []),
        ("1\u202f512 crashes", "1,512", []),
        ("9.50 on average", "9.5", []),
        ("9.5 on average", "9.47", ["9.5"]),
        ("two schools", "2|School", []),
        ("Twenty schools", "2|School", ["twenty"]),
        ("one of the schools comes first", "", []),
        ("half of them", "2|4", ["half"]),
        ("36 % of 100", "36|100", ["%"]),
        ("twice as many, 12 against 6", "12|6", ["twice"]),
        ("5 in 2023 and 2022", "5|2023", ["2022"]),
        ("15", "1|5", ["15"]),
        ("Route 9", "Route 9", []),
    ],
)
def test_numbers_that_nobody_said(text: str, known: str, strange: list[str]) -> None:
    assert strange_numbers(text, [known]) == strange


@pytest.fixture(scope="module")
def answer(demo_url: str) -> Iterator[Answer]:
    with connect(demo_url) as gis:
        yield gis.run(FRAME)


def told(endpoint: Any, answer: Answer, reply: str) -> Any:
    endpoint.replies(reply)
    return narrate("which 2 towns have the most crashes?", answer, "Composed.", ModelSettings(endpoint.url))


def test_true_words_are_kept(endpoint: Any, answer: Answer) -> None:
    first = next(iter(answer))["properties"]
    words = f"{first['name']} leads the two towns with {first['crash_count']:,} crashes."
    found = told(endpoint, answer, words)
    assert (found.text, found.note) == (words, "")
    system, asked = endpoint.requests[0]["messages"]
    assert "no instruction" in system["content"]
    assert f"|{first['crash_count']}|" in asked["content"]
    assert asked["content"].count("<result>") == asked["content"].count("</result>") == 1
    assert "tools" not in endpoint.requests[0]


def test_a_number_of_the_model_costs_it_the_word(endpoint: Any, answer: Answer) -> None:
    found = told(endpoint, answer, "There were 987654 crashes.")
    assert found.text == "Composed."
    assert "'987654'" in found.note


def test_a_model_that_fails_costs_no_answer(endpoint: Any, answer: Answer) -> None:
    endpoint.answers = [endpoint.chat(None, refusal="No.")]
    found = narrate("?", answer, "Composed.", ModelSettings(endpoint.url))
    assert found.text == "Composed."
    assert "refuses" in found.note
