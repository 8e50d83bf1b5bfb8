"""The command line, called as a program calls it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from groundframe.cli import main


@dataclass(frozen=True)
class Ran:
    """What one command did."""

    code: int
    out: str
    err: str

    def sentence(self) -> str:
        """The one line on standard error."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        return lines[0]


Cli = Callable[..., Ran]


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command: ``cli("run", "-", stdin=b"...")``."""

    def call(*arguments: Any, stdin: bytes = b"") -> Ran:
        capfd.readouterr()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        assert "Traceback" not in captured.err
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def demo(demo_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The small synthetic state as the database that commands find."""
    monkeypatch.setenv("DATABASE_URL", demo_url)
    return demo_url
