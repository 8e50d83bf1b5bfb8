"""What can break under an answer, broken for real: each ends in one clear error, and nothing is left behind.

The server is one of these tests' own. Where something must happen in the middle of a query, the query is
slow enough to wait for its middle, and is waited for.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

import groundframe as gf
from groundframe.cli import main
from groundframe.formats.registry import FORMATS
from groundframe.postgis import execute, session
from groundframe.postgis.connect import Database
from groundframe.postgis.execute import Execution
from groundframe.postgis.installation import Installation, find_installation
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.synthetic import generate
from groundframe.postgis.reader import READER
from groundframe.postgis.server import LocalServer
from groundframe.schema.packs import load_pack

CONNECTIONS = 10
QUICK = {
    "fsync": "off",
    "shared_buffers": "32MB",
    "max_connections": str(CONNECTIONS),
    "autovacuum": "off",
    # What the tests change is to survive a kill.
    "synchronous_commit": "on",
}
SCHOOLS = {"targets": [{"entity": "School", "role": "primary"}]}
ROADS = {"targets": [{"entity": "Road", "role": "primary"}]}
LOST = r"^The connection to the database was lost\. Try again\.$"


@pytest.fixture(scope="module")
def server(server_base: Path, worker_id: str) -> Iterator[LocalServer]:
    """A server with a very small synthetic state, which these tests may treat badly."""
    found = LocalServer(server_base / f"failures-{worker_id}", settings=QUICK)
    found.start()
    pack = load_pack("massachusetts")
    state = generate(pack, size="small", crashes=100)
    state.sizes.update(Road=1500, BusStop=20, Crosswalk=20, School=100)
    with Database(found.url) as owner:
        load_dataset(owner, pack, "demo", state)
    yield found
    found.stop()


@pytest.fixture
def gis(server: LocalServer) -> Iterator[gf.Connection]:
    """A connection as users of the local server have it."""
    with gf.connect(server.reader_url) as connection:
        yield connection


@pytest.fixture
def slow(server: LocalServer) -> Iterator[None]:
    """Every school takes ten seconds to read."""
    with psycopg.connect(server.url, autocommit=True) as owner:
        owner.execute(
            "ALTER TABLE gf_demo.school RENAME TO school_rows;"
            " CREATE VIEW gf_demo.school AS SELECT r.* FROM gf_demo.school_rows r,"
            " LATERAL (SELECT pg_sleep(10) WHERE r.key <> '') s"
        )
        owner.execute(f"GRANT SELECT ON gf_demo.school TO {READER}".encode())
    yield
    with psycopg.connect(server.url, autocommit=True) as owner:
        owner.execute("DROP VIEW gf_demo.school; ALTER TABLE gf_demo.school_rows RENAME TO school")


def in_the_middle(server: LocalServer) -> list[int]:
    """Backends that are reading slow schools."""
    with psycopg.connect(server.url) as owner:
        found = owner.execute(
            "SELECT pid FROM pg_stat_activity"
            " WHERE usename = %s AND state = 'active' AND wait_event = 'PgSleep'",
            [READER],
        )
        return [pid for (pid,) in found]


def wait_until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline, "it never happens"
        time.sleep(0.02)


@contextmanager
def meanwhile(server: LocalServer, act: Callable[[], object]) -> Iterator[None]:
    """Do something in the middle of a slow query."""

    def wait_and_act() -> None:
        wait_until(lambda: in_the_middle(server))
        act()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def installation() -> Installation:
    return find_installation()


def kill(server: LocalServer) -> None:
    done = installation().run("pg_ctl", "stop", "-D", str(server.data), "-m", "immediate", "-w")
    assert done.returncode == 0, done.stderr


def tell_backends(server: LocalServer, function: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as owner:
        for pid in in_the_middle(server):
            owner.execute(f"SELECT {function}(%s)".encode(), [pid])


def works(gis: gf.Connection) -> bool:
    frame = {"targets": [{"entity": "Town", "role": "primary"}]}
    return len(list(gis.run(frame))) > 0


def test_server_killed_in_mid_query(server: LocalServer, gis: gf.Connection, slow: None) -> None:
    """Once it runs again, the same connection answers again."""
    with meanwhile(server, lambda: kill(server)), pytest.raises(gf.DatabaseError, match=LOST):
        gis.run(SCHOOLS)
    with pytest.raises(gf.DatabaseError, match=r"^No database answers at .* Start the local one"):
        gis.run(SCHOOLS)
    server.start()
    assert works(gis)


def test_server_restarted_between_two_runs(server: LocalServer, gis: gf.Connection) -> None:
    assert works(gis)
    server.stop()
    server.start()
    assert works(gis)


def test_query_cancelled_by_somebody(server: LocalServer, gis: gf.Connection, slow: None) -> None:
    with (
        meanwhile(server, lambda: tell_backends(server, "pg_cancel_backend")),
        pytest.raises(gf.DatabaseError, match=r"^The query was cancelled\. Run the frame again\.$"),
    ):
        gis.run(SCHOOLS)
    assert works(gis)


def test_connection_ended_by_somebody(server: LocalServer, gis: gf.Connection, slow: None) -> None:
    with (
        meanwhile(server, lambda: tell_backends(server, "pg_terminate_backend")),
        pytest.raises(gf.DatabaseError, match=LOST),
    ):
        gis.run(SCHOOLS)
    assert works(gis)


def test_too_slow(server: LocalServer, slow: None) -> None:
    with (
        gf.connect(server.reader_url, timeout_s=0.3) as gis,
        pytest.raises(gf.DatabaseError, match=r"did not finish the answer within 0\.3 seconds\. Narrow"),
    ):
        gis.run(SCHOOLS)
    assert in_the_middle(server) == []


def test_too_slow_at_the_command_line(
    server: LocalServer,
    slow: None,
    command: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DATABASE_URL", server.reader_url)
    assert main([*command["args"][3:], "--timeout", "0.2"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("The database did not finish the answer within 0.2 seconds.")
    assert told.count("\n") == 1


def test_server_falls_silent(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frozen server stops no statement; the client gives up by itself."""
    monkeypatch.setattr(session, "_GRACE_S", 0.2)
    with gf.connect(server.reader_url, timeout_s=0.5) as gis:
        rows = gis.run(ROADS, row_limit=None).rows()
        next(rows)
        with psycopg.connect(server.url) as owner:
            query = "SELECT pid FROM pg_stat_activity WHERE usename = %s AND state LIKE 'idle in tr%%'"
            ((pid,),) = owner.execute(query, [READER]).fetchall()
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(gf.DatabaseError, match=r"did not finish the answer within 0\.5 seconds"):
                list(rows)
            assert works(gis)
        finally:
            os.kill(pid, signal.SIGCONT)


def test_table_locked_by_somebody(
    server: LocalServer, gis: gf.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_LOCK_TIMEOUT_S", 0.1)
    query = gis.compile(SCHOOLS)
    with psycopg.connect(server.url) as owner:
        owner.execute("LOCK TABLE gf_demo.school IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(gf.DatabaseError, match=r"^The database is busy: .*lock timeout\. Try again\.$"):
            gis.execute(query)
    assert works(gis)


def test_reader_who_falls_asleep(
    server: LocalServer, gis: gf.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction that nobody goes on with is ended by the server."""
    monkeypatch.setattr(session, "_IDLE_TIMEOUT_S", 0.1)
    rows = gis.run(ROADS, row_limit=None).rows()
    next(rows)
    with psycopg.connect(server.url, autocommit=True) as owner:
        query = "SELECT 1 FROM pg_stat_activity WHERE usename = %s AND state LIKE 'idle in tr%%'"
        wait_until(lambda: owner.execute(query, [READER]).fetchone() is None)
    with pytest.raises(gf.DatabaseError, match=LOST):
        list(rows)
    assert works(gis)


def test_too_many_connections(server: LocalServer) -> None:
    """The last connections are kept for administrators; who comes too late is told so."""
    with ExitStack() as stack, gf.connect(server.reader_url) as gis:
        with pytest.raises(psycopg.OperationalError, match="connection slots are reserved"):  # noqa: PT012
            for _ in range(CONNECTIONS):
                stack.enter_context(psycopg.connect(server.reader_url))
        with pytest.raises(
            gf.DatabaseError, match=r"takes no more connections: .*reserved.*\. Try again when others"
        ):
            gis.run(SCHOOLS)
        stack.close()
        assert works(gis)


@pytest.mark.parametrize("name", ["roads.geojson", "roads.csv"])
def test_connection_lost_while_writing_a_file(
    server: LocalServer, gis: gf.Connection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """The older file stays as it was, and nothing lies beside it."""
    path = tmp_path / name
    path.write_text("old")
    answer = gis.run(ROADS, row_limit=None)
    fetch, fetched = Execution._fetch, iter(range(100))

    def fetch_until_cut_off(execution: Execution) -> list[Any]:
        if next(fetched) == 5:
            assert [other for other in tmp_path.iterdir() if other != path]
            with execution._session.asking() as connection, psycopg.connect(server.url) as owner:
                owner.execute("SELECT pg_terminate_backend(%s, 60000)", [connection.info.backend_pid])
        return fetch(execution)

    monkeypatch.setattr(execute, "BATCH", 100)
    monkeypatch.setattr(Execution, "_fetch", fetch_until_cut_off)
    with pytest.raises(gf.DatabaseError, match=LOST):
        answer.write(path)
    assert [(other.name, other.read_text()) for other in tmp_path.iterdir()] == [(name, "old")]


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let files grow to so many bytes only, as on a disk that is almost full."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


@pytest.mark.parametrize("form", list(FORMATS))
def test_disk_full_while_writing(gis: gf.Connection, tmp_path: Path, form: str) -> None:
    """The older file stays as it was, and nothing lies beside it."""
    path = tmp_path / "schools"
    path.write_text("old")
    answer = gis.run(SCHOOLS)
    with room_for(4096), pytest.raises(gf.GroundframeError) as caught:
        answer.write(path, form)
    assert str(caught.value).startswith(f"'{path}' cannot be written: ")
    assert [(other.name, other.read_text()) for other in tmp_path.iterdir()] == [("schools", "old")]
    answer.write(path, form)
    assert path.stat().st_size > 4096


def test_room_for_the_table_and_not_for_its_record(gis: gf.Connection, tmp_path: Path) -> None:
    """A CSV and the record beside it are there together or not at all."""
    path = tmp_path / "schools.csv"
    answer = gis.run({**SCHOOLS, "notes": "n" * 1000, "question": "q" * 1000, "ranking": None}, row_limit=5)
    answer.write(path)
    small, large = sorted((other.stat().st_size, other.name) for other in tmp_path.iterdir())
    assert small[1] == "schools.csv"
    for other in tmp_path.iterdir():
        other.unlink()
    with (
        room_for((small[0] + large[0]) // 2),
        pytest.raises(gf.GroundframeError, match=r"about\.json' cannot"),
    ):
        answer.write(path)
    assert list(tmp_path.iterdir()) == []


PROGRAM = "import sys; from groundframe.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def command(server: LocalServer, tmp_path: Path) -> dict[str, Any]:
    """The command that asks for all schools, to be started as a program of its own."""
    frame = tmp_path / "frame.json"
    frame.write_text(json.dumps(SCHOOLS))
    environment = {**os.environ, "DATABASE_URL": server.reader_url}
    arguments = [sys.executable, "-c", PROGRAM, "run", str(frame), "--format", "geojson"]
    return {"args": arguments, "env": environment, "stderr": subprocess.PIPE, "text": True}


def test_disk_full_at_standard_output(command: dict[str, Any], tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out:
        process = subprocess.Popen(**command, stdout=out)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        _, told = process.communicate(timeout=120)
    assert (process.returncode, told) == (1, "Standard output cannot be written: File too large.\n")


def test_interrupted_by_hand(
    server: LocalServer, slow: None, command: dict[str, Any], tmp_path: Path
) -> None:
    """Ctrl-C ends the query in the server, too."""
    process = subprocess.Popen(**command, stdout=subprocess.PIPE)
    wait_until(lambda: in_the_middle(server) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 130
    wait_until(lambda: not in_the_middle(server))


def test_client_that_is_killed(server: LocalServer, slow: None, command: dict[str, Any]) -> None:
    """The server does not work on for nobody, however much time it was given."""
    command["args"] += ["--timeout", "10000"]
    process = subprocess.Popen(**command, stdout=subprocess.PIPE)
    wait_until(lambda: in_the_middle(server) or process.poll() is not None)
    process.kill()
    assert process.communicate(timeout=60) == ("", "")
    wait_until(lambda: not in_the_middle(server))
