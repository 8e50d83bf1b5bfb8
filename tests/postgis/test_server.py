"""The private local server: started, stopped, restarted, crashed, doubled, and out of reach."""

from __future__ import annotations

import os
import signal
import stat
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

import groundframe as gf
from groundframe.cli import main
from groundframe.errors import DatabaseError
from groundframe.postgis import installation, server_files
from groundframe.postgis.installation import Installation, find_installation
from groundframe.postgis.reader import READER
from groundframe.postgis.server import LocalServer

QUICK = {"fsync": "off", "shared_buffers": "16MB", "max_connections": "10"}


@pytest.fixture(scope="module")
def server(server_base: Path, worker_id: str) -> Iterator[LocalServer]:
    """A server that these tests may treat badly."""
    found = LocalServer(server_base / f"server-{worker_id}", settings=QUICK)
    yield found
    found.stop()


def _one(url: str, query: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def test_start_and_stop(server: LocalServer) -> None:
    """A server is made, started, found running by others, and stopped; doing either twice changes nothing."""
    assert server.status().state == "absent"
    assert not server.stop()

    first = server.start()
    assert first.running
    assert str(_one(server.url, "SELECT postgis_lib_version()")).startswith("3.")
    assert server.start() == first
    assert LocalServer(server.home).status() == first

    assert server.stop()
    assert not server.stop()
    assert server.status().state == "stopped"
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(server.url)


def test_restart_keeps_data(server: LocalServer) -> None:
    """What was committed is there after a restart."""
    server.start()
    with psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    server.stop()
    server.start()
    assert _one(server.url, "SELECT answer FROM kept") == 42


def test_settings(server: LocalServer) -> None:
    """No TCP, text in byte order, no compilation of plans."""
    server.start()
    for setting, value in (
        ("listen_addresses", ""),
        ("jit", "off"),
        ("lc_collate", "C"),
        ("server_encoding", "UTF8"),
        ("data_checksums", "off"),
        ("fsync", "off"),
    ):
        assert _one(server.url, f"SHOW {setting}") == value


def test_answers_come_as_the_reader(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who asks the local server logs in as the role that only reads, which is there from the start."""
    server.start()
    monkeypatch.setenv("GROUNDFRAME_HOME", str(server.home))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with gf.connect() as gis:
        assert gis.datasets() == ()
        assert gis._database.label.startswith(f"postgresql://{READER}@")
    assert main(["db", "url", "--reader"]) == 0
    assert capsys.readouterr().out.strip() == server.reader_url
    assert _one(server.reader_url, "SELECT current_user || current_setting('transaction_read_only')") == (
        f"{READER}on"
    )
    assert main(["db", "status"]) == 0
    assert f"role      {READER}, which may only read\n" in capsys.readouterr().out
    assert main(["db", "init-role", "--keep-public"]) == 0
    assert capsys.readouterr().err.endswith("It may read the datasets, and nothing else.\n")


def test_sqlalchemy_understands_the_url(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The URL means the same to SQLAlchemy, and PGPORT does not lead astray."""
    server.start()
    monkeypatch.setenv("PGPORT", "1")
    engine = sa.create_engine(sa.make_url(server.url).set(drivername="postgresql+psycopg"))
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT current_database()")) == "groundframe"
    engine.dispose()


def test_folders_are_private(server: LocalServer) -> None:
    """Nobody else may enter the folders."""
    server.start()
    for folder in (server.home, server.folder, server.data, server.socket_folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_crash(server: LocalServer) -> None:
    """A killed server is found stopped and starts again with its data."""
    pid = server.start().pid
    assert pid is not None
    with psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS survivor AS SELECT 1 AS n")
        connection.execute("SET LOCAL synchronous_commit = on")
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while server.status().running and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (server.data / "postmaster.pid").exists()
    assert server.status().state == "stopped"
    assert server.start().pid != pid
    assert _one(server.url, "SELECT n FROM survivor") == 1


def test_stale_pid_of_another_process(server: LocalServer) -> None:
    """After a reboot the recorded process id may be anybody's."""
    server.start()
    pid_file = server.data / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    server.stop()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    (server.socket_folder / ".s.PGSQL.5432.lock").write_text(f"{os.getpid()}\n")
    assert server.status().state == "stopped"
    assert server.start().running


def test_empty_pid_file(server: LocalServer) -> None:
    """A full disk leaves empty files."""
    server.start()
    server.stop()
    (server.data / "postmaster.pid").write_text("")
    assert server.start().running


def test_bad_setting_is_reported(server: LocalServer) -> None:
    """A server that does not come up says why, and where its log is."""
    server.stop()
    broken = LocalServer(server.home, settings={"shared_buffers": "lots"})
    with pytest.raises(DatabaseError, match="did not start: configuration file") as caught:
        broken.start()
    assert str(broken.log) in caught.value.hint
    assert server.start().running


def test_a_machine_with_less_memory(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is planned with may be more than there is to be had."""

    def wanted(most: int = 4_000_000) -> dict[str, str]:
        return {"shared_buffers": f"{most}MB"}

    server.stop()
    monkeypatch.setattr("groundframe.postgis.server.memory_settings", wanted)
    greedy = LocalServer(server.home, settings={"fsync": "off", "max_connections": "10"})
    assert greedy.start().running
    greedy.stop()
    assert server.start().running


def test_two_homes_and_two_starts_at_once(server: LocalServer, server_base: Path) -> None:
    """Servers of different homes do not meet; two starts of one home make one server."""
    first = server.start()
    other = server_base / f"{server.home.name}-other"
    with ThreadPoolExecutor(2) as pool:
        started = list(pool.map(lambda _: LocalServer(other, settings=QUICK).start(), range(2)))
    try:
        assert started[0] == started[1]
        assert started[0].pid != first.pid
        with psycopg.connect(started[0].url) as connection:
            connection.execute("CREATE TABLE only_here ()")
        assert _one(server.url, "SELECT to_regclass('only_here')") is None
    finally:
        LocalServer(other).stop()
    assert server.status() == first


def test_long_and_odd_path(server_base: Path, worker_id: str) -> None:
    """A path too long for a socket, with blanks and accents in it, is no obstacle."""
    top = server_base / f"Données, hiver {worker_id}"
    top.mkdir(mode=0o711)
    server = LocalServer(top / ("deep folder/" * 8), settings=QUICK)
    assert len(str(server.socket_folder)) < 60
    try:
        server.start()
        assert _one(server.url, "SELECT 1") == 1
        assert stat.S_IMODE(server.socket_folder.stat().st_mode) == 0o700
    finally:
        server.stop()
    assert server.status().state == "stopped"
    assert not server.socket_folder.exists()


def test_socket_folder_of_another_user(
    monkeypatch: pytest.MonkeyPatch, server_base: Path, tmp_path: Path, worker_id: str
) -> None:
    """A link in the place of the socket folder is not followed."""
    trap = tmp_path / "trap"
    trap.symlink_to(tmp_path, target_is_directory=True)
    monkeypatch.setattr("groundframe.postgis.server.socket_folder", lambda _: trap)
    with pytest.raises(DatabaseError, match="belongs to another user"):
        LocalServer(server_base / f"trapped-{worker_id}").start()


def test_home_that_cannot_be_made(tmp_path: Path) -> None:
    """A file in the way is named."""
    (tmp_path / "file").write_text("")
    with pytest.raises(DatabaseError, match="cannot be used for the database: Not a directory"):
        LocalServer(tmp_path / "file" / "home").start()


def test_home_with_shell_characters(tmp_path: Path) -> None:
    """Names that PostgreSQL's tools would hand to a shell are refused."""
    with pytest.raises(DatabaseError, match="has a character in its name"):
        LocalServer(tmp_path / "$(touch x)").start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as somebody else")
def test_home_closed_to_the_servers_user(tmp_path: Path) -> None:
    """Root's own folders are out of reach for the user who runs the server, which is said."""
    (tmp_path / "closed").mkdir(mode=0o700)
    with pytest.raises(DatabaseError, match="cannot reach"):
        LocalServer(tmp_path / "closed" / "home").start()


def test_home_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """GROUNDFRAME_HOME names the folder."""
    monkeypatch.setenv("GROUNDFRAME_HOME", "/srv/somewhere")
    assert LocalServer().home == Path("/srv/somewhere")
    monkeypatch.delenv("GROUNDFRAME_HOME")
    assert LocalServer().home == server_files.default_home().resolve()


def test_no_postgresql(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Missing programs are one sentence and the command to install them."""
    monkeypatch.setattr(installation, "_candidates", list)
    with pytest.raises(DatabaseError, match=r"No PostgreSQL server is installed here\. .*") as caught:
        find_installation()
    assert "DATABASE_URL" in caught.value.hint
    monkeypatch.setenv("GROUNDFRAME_PG_BIN", str(tmp_path))
    with pytest.raises(DatabaseError, match="GROUNDFRAME_PG_BIN is"):
        find_installation()


def test_no_postgis() -> None:
    """PostgreSQL without PostGIS is told apart from no PostgreSQL."""
    with pytest.raises(DatabaseError, match="but without PostGIS"):
        Installation(Path("/opt/pg/bin"), 15, postgis=False).require_postgis()


def test_newest_with_postgis_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that has PostGIS beats a newer one without; an existing database needs its own version."""
    found = [
        Installation(Path("/a"), 14, postgis=True),
        Installation(Path("/b"), 15, postgis=True),
        Installation(Path("/c"), 17, postgis=False),
    ]
    monkeypatch.delenv("GROUNDFRAME_PG_BIN", raising=False)
    monkeypatch.setattr(installation, "_candidates", lambda: list(found))
    monkeypatch.setattr(installation, "_inspect", lambda item: item)
    assert find_installation().major == 15
    assert find_installation(14).major == 14
    with pytest.raises(DatabaseError, match="made by PostgreSQL 13, which is not installed any more"):
        find_installation(13)


def test_databases_of_the_test_run(database_url: str, pg_url: str, make_database: Callable[..., str]) -> None:
    """Each worker has its own database with PostGIS; one without can be had."""
    assert database_url != pg_url
    assert _one(database_url, "SELECT count(*) FROM pg_extension WHERE extname = 'postgis'") == 1
    assert (
        _one(make_database(postgis=False), "SELECT count(*) FROM pg_extension WHERE extname = 'postgis'") == 0
    )
