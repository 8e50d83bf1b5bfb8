"""A plugin for pytest: every ``*.golden.yaml`` is a test.

pytest finds it where groundframe is installed. Nothing of groundframe is imported before there is a golden
file to check. Its fixtures can be overridden in a ``conftest.py``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from groundframe.golden.checking import Connections

__all__ = ["groundframe_dataset", "groundframe_url"]

_ENDING = ".golden.yaml"
_UPDATE = "groundframe_update"
_REWRITTEN = "groundframe_rewritten"


class ChangedError(Exception):
    """A golden frame does not hold; the message is all that is shown."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addini("groundframe_url", "Database of golden frames; by default DATABASE_URL or the local one.")
    parser.addini("groundframe_dataset", "Dataset of golden frames; by default the one that each file names.")
    parser.addini("groundframe_timeout", "Seconds that one golden frame may take.", default="60")
    parser.getgroup("groundframe").addoption(
        "--groundframe-update",
        action="store_true",
        dest=_UPDATE,
        help="rewrite golden frames whose answer is different",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and refuse a wrong setting before any test runs."""
    seconds = str(config.getini("groundframe_timeout"))
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", seconds) or not float(seconds):
        raise pytest.UsageError(f"groundframe_timeout is '{seconds}'; write seconds, such as 60.")
    config.addinivalue_line("markers", "golden: a golden frame of groundframe")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take golden files."""
    return GoldenFile.from_parent(parent, path=file_path) if file_path.name.endswith(_ENDING) else None


@pytest.fixture(scope="session")
def groundframe_url(pytestconfig: pytest.Config) -> str:
    """URL of the database of golden frames; where it is empty, DATABASE_URL or the local server."""
    return str(pytestconfig.getini("groundframe_url"))


@pytest.fixture(scope="session")
def groundframe_dataset(pytestconfig: pytest.Config) -> str:
    """Dataset of all golden frames; where it is empty, the one that each file names."""
    return str(pytestconfig.getini("groundframe_dataset"))


@pytest.fixture(scope="session")
def groundframe_connections(
    pytestconfig: pytest.Config, groundframe_url: str, groundframe_dataset: str
) -> Iterator[Connections]:
    """The connections that all golden frames of this process share."""
    from groundframe.golden.checking import Connections

    seconds = float(pytestconfig.getini("groundframe_timeout"))
    with Connections(groundframe_url or None, groundframe_dataset or None, timeout_s=seconds) as connections:
        yield connections


class GoldenFile(pytest.File):
    """A golden file: one test."""

    def collect(self) -> Iterator[pytest.Item]:
        """The test."""
        yield GoldenItem.from_parent(self, name=self.path.name.removesuffix(_ENDING), callobj=check)


class GoldenItem(pytest.Function):
    """The check of one golden frame; a function, so that it may have fixtures."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.add_marker("golden")

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the test is: in its file, not in this module."""
        return self.path, None, self.name

    def repr_failure(  # type: ignore[override]  # as pytest.Function has it
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> Any:
        """What is different, without a traceback, which would show nothing but this plugin."""
        return (
            str(excinfo.value) if isinstance(excinfo.value, ChangedError) else super().repr_failure(excinfo)
        )


def check(request: pytest.FixtureRequest, groundframe_url: str, groundframe_connections: Connections) -> None:
    """Check one golden frame."""
    from groundframe.errors import DatabaseError
    from groundframe.formats.cells import visible
    from groundframe.golden.checking import check_golden

    if reason := _no_database(groundframe_url):
        # Nobody reads the skipped tests of a build server.
        if os.environ.get("CI", "").lower() in ("true", "1"):
            raise ChangedError(reason)
        pytest.skip(reason)
    update = bool(request.config.getoption(_UPDATE))
    name = os.path.relpath(request.path, request.config.invocation_params.dir)
    try:
        verdict = check_golden(request.path, groundframe_connections, update=update)
    except DatabaseError as error:
        raise ChangedError(visible(f"{name}: {error}")) from None
    lines = [visible(line) for line in verdict.lines(name)]
    if verdict.updated:
        request.node.user_properties.append((_REWRITTEN, "\n".join(lines)))
    elif not verdict.holds:
        if verdict.error is None:
            lines.append("If this is meant, run pytest with --groundframe-update and look at the diff.")
        raise ChangedError("\n".join(lines))


def _no_database(url: str) -> str:
    """Why there is nothing to ask, where nobody said which database it is; empty when there is one."""
    if url or os.environ.get("DATABASE_URL", "").strip():
        return ""
    from groundframe.postgis.server import LocalServer

    absent = LocalServer().status().state == "absent"
    hint = "Set DATABASE_URL or the option groundframe_url, or load data: groundframe load demo"
    return f"There is no database for golden frames. {hint}" if absent else ""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what was rewritten."""
    found = [
        text
        for report in terminalreporter.stats.get("passed", ())
        for name, text in report.user_properties
        if name == _REWRITTEN
    ]
    if found:
        terminalreporter.section("golden frames rewritten")
        for text in found:
            terminalreporter.write_line(text)
