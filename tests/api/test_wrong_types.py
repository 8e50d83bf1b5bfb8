"""Arguments of another type than the API takes are refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import groundframe as gf

SCHOOLS = {"targets": [{"entity": "School", "role": "primary"}]}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda gis: gis.run(None), "not NoneType"),
        (lambda gis: gis.run(5), "not int"),
        (lambda gis: gis.run(SCHOOLS, row_limit="5"), "'5' rows cannot be asked for"),
        (lambda gis: gis.run(SCHOOLS, choices=[1]), "not list"),
        (lambda gis: gis.ask(5), "A question is a text, not int"),
        (lambda gis: gis.ask(None), "A question is a text, not NoneType"),
        (lambda gis: gis.run(SCHOOLS).write(None), "A path belongs here, not NoneType"),
    ],
)
def test_a_sentence_says_what_belongs_there(
    demo_url: str, call: Callable[[gf.Connection], Any], said: str
) -> None:
    with gf.connect(demo_url) as gis, pytest.raises(gf.GroundframeError, match=said):
        call(gis)


def test_a_pack_alone_refuses_them_as_well() -> None:
    with pytest.raises(gf.GroundframeError, match="not list"):
        gf.validate(SCHOOLS, pack="massachusetts", choices=[1])  # type: ignore[arg-type]
