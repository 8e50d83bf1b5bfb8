"""Batches on the small synthetic state."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import groundframe as gf


@pytest.fixture(scope="module")
def gis(demo_url: str) -> Iterator[gf.Connection]:
    with gf.connect(demo_url) as connection:
        yield connection
