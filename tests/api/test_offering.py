"""What is vague is asked back with questions that are understood; nothing else is."""

from __future__ import annotations

import pytest

from groundframe.asking import asked, interpreted
from groundframe.errors import NeedsChoiceError, NotUnderstoodError, UnsupportedError
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


@pytest.mark.parametrize(
    ("question", "offers"),
    [
        ("funny crashes in Quincy", ("crashes in Quincy",)),
        ("number of bicyclists hurt in Quincy", ("number of cyclists hurt in Quincy",)),
    ],
)
def test_one_unknown_word_is_asked_about(question: str, offers: tuple[str, ...], ground: Ground) -> None:
    found = interpreted(question, "lexical", ground.pack, ground.names)
    assert found.frame is None
    assert set(offers) <= set(found.offers)
    with pytest.raises(NeedsChoiceError, match="not at all"):
        asked(found, ground.pack)


@pytest.mark.parametrize(
    "question",
    [
        "crashes in Quincy without zorks",
        "crashes near zorks in Quincy",
        "crashes in Quincy by zork",
        "more than 5 zorks of crashes in Quincy",
        "zany wobbly crashes in Quincy",
        "crashes in Quincy not zorked",
        "Crashes in Quincy at night Zorkville",
        "昆 crashes in Quincy",
    ],
)
def test_no_name_number_or_denial_is_left_out(question: str, ground: Ground) -> None:
    found = interpreted(question, "lexical", ground.pack, ground.names)
    assert (found.frame, found.offers) == (None, ())
    with pytest.raises((NotUnderstoodError, UnsupportedError)):
        asked(found, ground.pack)


def test_what_is_set_aside_is_said(ground: Ground) -> None:
    question = "We live on Main Street in Quincy. Fatal crashes on our street"
    found = interpreted(question, "lexical", ground.pack, ground.names)
    assert [span.text for span in found.aside] == ["We live on Main Street in Quincy"]
