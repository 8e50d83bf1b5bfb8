"""Fixtures for every stage: a private PostGIS for the whole test run, and where the shared data are.

One server serves all xdist workers; the first test that asks for it starts it, the controlling process stops
it. Every test module has a database of its own. The user's own database is out of reach for tests.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from groundframe.errors import GroundframeError
from groundframe.postgis.server import DATABASE, LocalServer

ROOT = Path(__file__).resolve().parent
_BASE = pytest.StashKey[Path]()
# Under /tmp for a short socket path, and because pytest's own folders are closed to the user who runs
# PostgreSQL for root.
_PREFIX = "groundframe-test-"
_THROW_AWAY = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "128MB", "autovacuum": "off"}


def pytest_configure(config: pytest.Config) -> None:
    """Set up the folder of this run's servers, and hide the user's own database."""
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    if worker is None:
        _remove_leftovers()
        base = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir="/tmp"))
        base.chmod(0o711)
    else:
        base = Path(worker["groundframe_base"])
    config.stash[_BASE] = base
    os.environ.pop("DATABASE_URL", None)
    os.environ["GROUNDFRAME_HOME"] = str(base / "default")
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # A run in the background ignores interrupts, and so would all that it starts.
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell an xdist worker where the servers of this run are."""
    node.workerinput["groundframe_base"] = str(node.config.stash[_BASE])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop whatever servers the run has started, however it ended."""
    if _BASE in config.stash and not hasattr(config, "workerinput"):
        _remove_servers(config.stash[_BASE])


def _remove_servers(base: Path) -> None:
    for home in base.glob("*"):
        with contextlib.suppress(GroundframeError):
            LocalServer(home).stop()
    shutil.rmtree(base, ignore_errors=True)


def _remove_leftovers() -> None:
    """Remove the servers of runs that were killed."""
    for base in Path("/tmp").glob(f"{_PREFIX}*"):
        process = base.name.removeprefix(_PREFIX).partition("-")[0]
        if process.isdigit() and base.stat().st_uid == os.geteuid():
            try:
                os.kill(int(process), 0)
            except ProcessLookupError:
                _remove_servers(base)
            except PermissionError:
                continue


@pytest.fixture(scope="session")
def server_base(pytestconfig: pytest.Config) -> Path:
    """Folder below which a test may make homes of servers; they are stopped and removed after the run."""
    return pytestconfig.stash[_BASE]


@pytest.fixture(scope="session")
def pg_server(server_base: Path) -> LocalServer:
    """The server of this test run, started."""
    server = LocalServer(server_base / "shared", settings=_THROW_AWAY)
    server.start()
    return server


@pytest.fixture(scope="session")
def pg_url(pg_server: LocalServer) -> str:
    """URL of the server of this test run; its database is the template of the others, so leave it alone."""
    return pg_server.url


@pytest.fixture(scope="session")
def make_database(pg_server: LocalServer, worker_id: str) -> Iterator[Callable[..., str]]:
    """Make an empty database and give its URL; ``make_database(postgis=False)`` makes one without PostGIS."""
    admin = pg_server.url_of("postgres")
    made: list[str] = []

    def make(*, postgis: bool = True) -> str:
        name = f"test_{worker_id}_{uuid4().hex[:12]}"
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
            sql.Identifier(name), sql.Identifier(DATABASE if postgis else "template0")
        )
        with psycopg.connect(admin, autocommit=True) as connection:
            # Two copies of one template at the same time get into each other's way.
            connection.execute("SELECT pg_advisory_lock(1)")
            connection.execute(statement)
        made.append(name)
        return pg_server.url_of(name)

    yield make
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(admin, autocommit=True) as connection:
        for name in made:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="module")
def database_url(make_database: Callable[..., str]) -> str:
    """URL of the module's own database with PostGIS."""
    return make_database()


@pytest.fixture(scope="session")
def load_demo() -> Callable[[str], str]:
    """Load the small synthetic state into the database of a URL, as dataset ``demo``; gives the URL back."""
    from groundframe.postgis.connect import Database
    from groundframe.postgis.load.loading import load_dataset
    from groundframe.postgis.load.synthetic import generate
    from groundframe.schema.packs import load_pack

    def load(url: str) -> str:
        pack = load_pack("massachusetts")
        with Database(url) as database:
            load_dataset(database, pack, "demo", generate(pack, size="small"))
        return url

    return load


@pytest.fixture(scope="session")
def demo_url(make_database: Callable[..., str], load_demo: Callable[[str], str]) -> str:
    """URL of this worker's database with the small synthetic state; for reading only."""
    return load_demo(make_database())


@pytest.fixture(scope="session")
def groundframe_url(demo_url: str) -> str:
    """The database that the golden frames of this repository are checked on."""
    return demo_url


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real files; a test that asks for it is skipped where they are absent, except in CI."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        reason = "the real data (../shared/data) are not here"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
