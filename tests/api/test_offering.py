"""What is vague is asked back with questions that are understood; nothing else is."""

from __future__ import annotations

import pytest

from groundframe.asking import asked, interpreted
from groundframe.errors import NeedsChoiceError, NotUnderstoodError
from groundframe.eval.repairs.ground import Ground, synthetic_ground
from groundframe.schema.packs import load_pack


@pytest.fixture(scope="module")
def ground() -> Ground:
    return synthetic_ground(load_pack("massachusetts"))


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        ("crashes in Hadley last year", "crashes in Hadley in 2025"),
        ("schools with lots of crashes nearby", "schools with the most crashes nearby"),
        ("minor crashes in milton", "property damage only crashes in milton"),
        ("hot spots for bike crashes in somerville", "worst intersections for bike crashes in somerville"),
        ("crashes within walking distance of harvard sq", "crashes within half a mile of harvard sq"),
        ("since covid fatals lowell", "since March 2020 fatals lowell"),
    ],
)
def test_offers(question: str, offered: str, ground: Ground) -> None:
    found = interpreted(question, "lexical", ground.pack, ground.names)
    assert found.frame is None
    assert offered in found.offers
    for other in found.offers:
        assert interpreted(other, "lexical", ground.pack, ground.names).frame is not None
    with pytest.raises(NeedsChoiceError) as error:
        asked(found, ground.pack)
    assert [one["key"] for one in error.value.choices[0]["candidates"]] == list(found.offers)  # type: ignore[attr-defined]


def test_no_word_is_left_out(ground: Ground) -> None:
    found = interpreted("funny crashes in Quincy", "lexical", ground.pack, ground.names)
    assert found.offers == ()
    with pytest.raises(NotUnderstoodError):
        asked(found, ground.pack)


def test_what_is_set_aside_is_said(ground: Ground) -> None:
    question = "We live on Main Street in Quincy. Fatal crashes on our street"
    found = interpreted(question, "lexical", ground.pack, ground.names)
    assert [span.text for span in found.aside] == ["We live on Main Street in Quincy"]
