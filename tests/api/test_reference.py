"""The reference page of a pack shows all of it, and the one in the docs is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundframe.reference import reference_page
from groundframe.schema.packs import load_pack, pack_names

DOCS = Path(__file__).resolve().parents[2] / "docs" / "packs"


@pytest.mark.parametrize("name", pack_names())
def test_page_in_the_docs_is_up_to_date(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert page == reference_page(load_pack(name)), (
        f"run: groundframe schema --pack {name} --format markdown > docs/packs/{name}.md"
    )


@pytest.mark.parametrize("name", pack_names())
def test_page_shows_the_whole_pack(name: str) -> None:
    pack = load_pack(name)
    page = reference_page(pack)
    for entity in pack.entities:
        assert f"\n## {entity.name}\n" in page
        for field in entity.fields:
            assert (f"`{field.name}`" in page) or field.internal
            if not field.internal and not field.values_from:
                assert all(f"- {value.value}" in page for value in field.values)
    names = [concept.name for concept in pack.concepts] + [measure.name for measure in pack.measures]
    assert all(f"- `{item}`" in page for item in names)
    assert all(source.title in page for source in pack.sources)


def test_internal_fields_stay_inside() -> None:
    for name in pack_names():
        pack = load_pack(name)
        public = {field.name for entity in pack.entities for field in entity.fields if not field.internal}
        page = reference_page(pack)
        for entity in pack.entities:
            for field in entity.fields:
                assert field.name in public or f"`{field.name}`" not in page
