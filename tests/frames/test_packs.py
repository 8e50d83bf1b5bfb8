"""What is written in the files of a pack is taken whole, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundframe.errors import PackError
from groundframe.schema.packs import read_yaml


def test_no_key_is_taken_twice(tmp_path: Path) -> None:
    file = tmp_path / "words.yaml"
    file.write_text("spellings:\n  how: [hw]\n  many: [mny]\n  how: [howw]\n", encoding="utf-8")
    with pytest.raises(
        PackError, match=r"words\.yaml: .*'how' is written twice in one mapping; line 4, column 3"
    ):
        read_yaml(file)


def test_keys_of_different_mappings_may_be_the_same(tmp_path: Path) -> None:
    file = tmp_path / "words.yaml"
    file.write_text("a: {how: 1}\nb: {how: 2}\n", encoding="utf-8")
    assert read_yaml(file) == {"a": {"how": 1}, "b": {"how": 2}}
