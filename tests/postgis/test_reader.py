"""The role that answers frames: what it may not do, tried with SQL sent as that role, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import errors as pg
from psycopg import sql

from groundframe.cli import main
from groundframe.errors import DatabaseError, DatasetError
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import dataset_names, open_dataset
from groundframe.postgis.installation import system_user
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.rows import Row
from groundframe.postgis.reader import READER, Flaw, find_flaws, make_reader, script
from groundframe.postgis.server import OWNER, LocalServer
from groundframe.postgis.session import Session
from groundframe.schema.model import Pack

Load = Callable[[str], None]
QUICK = {"fsync": "off", "shared_buffers": "16MB", "max_connections": "10"}


@pytest.fixture(scope="module")
def load_toys(toy_pack: Pack, in_memory: Callable[..., Any], row: Callable[..., Row]) -> Load:
    """Load a dataset ``toys`` with a single row into the database of a URL."""

    def load(url: str) -> None:
        with Database(url) as owner:
            load_dataset(owner, toy_pack, "toys", in_memory([row("Event", "ledger:1")]))

    return load


@pytest.fixture(scope="module")
def url(make_database: Callable[..., str], load_toys: Load) -> str:
    """A database with everything that should be out of reach, the reader, and a dataset."""
    made = make_database()
    with psycopg.connect(made, autocommit=True) as owner:
        owner.execute("CREATE TABLE public.other AS SELECT 1 AS n; GRANT ALL ON public.other TO PUBLIC")
        owner.execute("GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE EXTENSION dblink")
    with Database(made) as database, database.begin() as connection:
        assert make_reader(connection) == ()
    load_toys(made)
    return made


@pytest.fixture(scope="module")
def reader_url(pg_server: LocalServer, url: str) -> str:
    return pg_server.url_of(str(sa.make_url(url).database), READER)


@pytest.fixture
def reader(reader_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection of the reader itself, without any of groundframe's care."""
    with psycopg.connect(reader_url) as connection:
        yield connection
        connection.rollback()


FORBIDDEN = {
    "insert": "INSERT INTO gf_toys.event (key, source, row_digest) VALUES ('x', 'x', 'x')",
    "update": "UPDATE gf_toys.event SET source = 'x'",
    "delete": "DELETE FROM gf_toys.event",
    "truncate": "TRUNCATE gf_toys.event",
    "lock": "LOCK TABLE gf_toys.event IN ACCESS EXCLUSIVE MODE",
    "lock rows": "SELECT * FROM gf_toys.event FOR UPDATE",
    "other tables": "UPDATE public.other SET n = 2",
    "alter": "ALTER TABLE gf_toys.event ADD x int",
    "drop": "DROP SCHEMA gf_toys CASCADE",
    "table": "CREATE TABLE public.x ()",
    "table in the dataset": "CREATE TABLE gf_toys.x ()",
    "view": "CREATE VIEW public.x AS SELECT 1",
    "schema": "CREATE SCHEMA x",
    "function": "CREATE FUNCTION public.x() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "extension": "CREATE EXTENSION file_fdw",
    "temporary table": "CREATE TEMP TABLE x ()",
    "temporary result": "SELECT 1 AS n INTO TEMP x",
    "copy from a file": "COPY gf_toys.event FROM '/etc/passwd'",
    "copy from the client": "COPY gf_toys.event FROM STDIN",
    "copy to a file": "COPY gf_toys.event TO '/tmp/groundframe-x'",
    "copy to a program": "COPY (SELECT 1) TO PROGRAM 'true'",
    "copy from a program": "COPY public.other FROM PROGRAM 'true'",
    "large object": "SELECT lo_create(0)",
    "large object, old": "SELECT lo_creat(-1)",
    "large object of bytes": "SELECT lo_from_bytea(0, 'x')",
    "large object changed": "SELECT lo_put(1, 0, 'x')",
    "large object removed": "SELECT lo_unlink(1)",
    "large object read": "SELECT lo_get(1)",
    "large object of a file": "SELECT lo_import('/etc/passwd')",
    "large object to a file": "SELECT lo_export(1, '/tmp/groundframe-x')",
    "file": "SELECT pg_read_file('/etc/passwd')",
    "file of the old name": "SELECT pg_read_file_old('PG_VERSION', 0, 1)",
    "binary file": "SELECT pg_read_binary_file('PG_VERSION')",
    "folder": "SELECT pg_ls_dir('.')",
    "log folder": "SELECT pg_ls_logdir()",
    "facts of a file": "SELECT pg_stat_file('PG_VERSION')",
    "dblink": "SELECT dblink_connect('dbname=postgres')",
    "dblink query": "SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS t (n int)",
    "write into the log": "SELECT pg_logical_emit_message(false, 'x', 'x')",
    "role": "CREATE ROLE x",
    "another role": f"SET ROLE {OWNER}",
    "another user": f"SET SESSION AUTHORIZATION {OWNER}",
    "passwords": "SELECT * FROM pg_authid",
    "reload": "SELECT pg_reload_conf()",
    "limit of temporary files": "SET temp_file_limit = -1",
    "library": "LOAD 'auto_explain'",
    "untrusted language": "DO LANGUAGE plpgsql $$ BEGIN PERFORM pg_read_file('/etc/passwd'); END $$",
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_the_role_may_not(reader: psycopg.Connection[Any], name: str) -> None:
    """Even in a transaction that may write, which no statement of groundframe's begins."""
    reader.read_only = False
    statement = FORBIDDEN[name].encode()
    with pytest.raises(pg.InsufficientPrivilege):
        reader.execute(statement)


def test_the_role_may_not_end_others(reader: psycopg.Connection[Any], url: str) -> None:
    with psycopg.connect(url) as owner, pytest.raises(pg.InsufficientPrivilege):
        reader.execute("SELECT pg_terminate_backend(%s)", [owner.info.backend_pid])


WRITING = [
    *("insert", "update", "delete", "truncate", "other tables", "alter", "drop", "table", "view", "schema"),
    *("function", "temporary table", "temporary result", "copy from the client", "role"),
]


@pytest.mark.parametrize("name", WRITING)
def test_the_transaction_does_not_write_whoever_runs_it(url: str, name: str) -> None:
    """The role and the transaction are two walls: the owner of everything meets the second one."""
    with (
        Database(url) as database,
        Session(open_toys(database), 5) as session,
        session.asking() as connection,
        pytest.raises(pg.ReadOnlySqlTransaction),
    ):
        connection.execute(FORBIDDEN[name].encode())


class open_toys:  # noqa: N801 - reads as the function that it stands for
    """Just enough of a dataset for a session."""

    def __init__(self, database: Database) -> None:
        self.database, self.schema = database, "gf_toys"

    def verify(self, connection: sa.Connection) -> None:
        """Nothing replaces it."""


# Whoever logs in under another name may go back to it, which is why the reader itself should log in.
BACK = {"another role", "another user"}


@pytest.mark.parametrize("name", [name for name in FORBIDDEN if name not in BACK])
def test_an_answer_may_not(url: str, name: str) -> None:
    """What answers a frame meets both, also where another user of the database logs in for it."""
    with (
        Database(url, reading=True) as database,
        Session(open_toys(database), 5) as session,
        session.asking() as connection,
        pytest.raises((pg.InsufficientPrivilege, pg.ReadOnlySqlTransaction)),
    ):
        connection.execute(FORBIDDEN[name].encode())


def test_who_logs_in_as_the_reader_is_limited(reader: psycopg.Connection[Any]) -> None:
    def shown(name: str) -> object:
        row = reader.execute(sql.SQL("SHOW {}").format(sql.Identifier(name))).fetchone()
        return row[0] if row else None

    assert shown("transaction_read_only") == "on"
    assert shown("search_path") == "pg_catalog, public, pg_temp"
    assert shown("temp_file_limit") == "8GB"
    assert shown("statement_timeout") == "10min"
    assert shown("lock_timeout") == "5s"
    assert shown("idle_in_transaction_session_timeout") == "10min"
    row = reader.execute("SELECT key FROM gf_toys.event").fetchone()
    assert row == ("ledger:1",)


@pytest.mark.parametrize("login", ["owner", "reader"])
def test_every_connection_that_answers(url: str, reader_url: str, login: str) -> None:
    """Names are looked up outside of the transaction of an answer, and are as safe."""
    with Database(url if login == "owner" else reader_url, reading=True) as database:
        with database.connect() as connection:
            assert connection.scalar(sa.text("SELECT current_user")) == READER
            assert connection.scalar(sa.text("SHOW transaction_read_only")) == "on"
            assert connection.scalar(sa.text("SHOW statement_timeout")) == "1min"
            assert connection.scalar(sa.text("SHOW lock_timeout")) == "5s"
            assert connection.scalar(sa.text("SHOW temp_file_limit")) == "8GB"
        with (
            pytest.raises(DatabaseError, match="may not do this: permission denied for table pg_authid"),
            database.connect() as connection,
        ):
            connection.exec_driver_sql("SELECT * FROM pg_authid")


def test_temporary_files_are_limited(reader: psycopg.Connection[Any], url: str) -> None:
    """The limit is the server's, which the role cannot lift."""
    with psycopg.connect(url) as owner:
        database = sql.Identifier(owner.info.dbname)
        owner.execute(
            sql.SQL("ALTER ROLE {} IN DATABASE {} SET temp_file_limit = 128").format(
                sql.Identifier(READER), database
            )
        )
    try:
        with (
            Database(reader_url_of(reader), reading=True) as limited,
            pytest.raises(DatabaseError, match="ran out of room: temporary file size exceeds"),
            limited.connect() as connection,
        ):
            connection.exec_driver_sql(
                "SET LOCAL work_mem = 64; SELECT n FROM generate_series(1, 100000) n ORDER BY -n"
            )
    finally:
        with Database(url) as again, again.begin() as connection:
            assert [flaw.what for flaw in find_flaws(connection)] == [
                "has other settings than it should: temp_file_limit"
            ]
            assert make_reader(connection) == ()


def reader_url_of(connection: psycopg.Connection[Any]) -> str:
    info = connection.info
    return f"postgresql://{info.user}@/{info.dbname}?host={info.host}&port={info.port}"


def test_a_new_load_can_be_read_at_once(url: str, load_toys: Load, reader_url: str) -> None:
    """Every load makes tables anew, whose rights are given before they take their place."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("DROP SCHEMA gf_toys CASCADE")
    load_toys(url)
    with Database(reader_url, reading=True) as database, database.connect() as connection:
        assert dataset_names(database) == ("toys",)
        assert find_flaws(connection) == ()


def test_a_dataset_that_may_not_be_read(url: str, reader_url: str, toy_pack: Pack) -> None:
    """It is not taken for one that is not there."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("REVOKE ALL ON ALL TABLES IN SCHEMA gf_toys FROM groundframe_reader")
    with Database(reader_url, reading=True) as database:
        for name in (None, "toys"):
            with pytest.raises(DatasetError, match="'groundframe_reader' may not read the dataset 'toys'"):
                open_dataset(database, name, pack=toy_pack)
        with pytest.raises(DatasetError, match="holds no data yet"):
            open_dataset(database, "other", pack=toy_pack)
    with Database(url) as owner_database, owner_database.begin() as connection:
        assert [flaw.what for flaw in find_flaws(connection)] == ["may not read the dataset toys"]
        assert make_reader(connection) == ()


# An agency's server: other users, who are not its administrators.


@pytest.fixture(scope="module")
def agency(server_base: Any, worker_id: str) -> Iterator[LocalServer]:
    """A server without the role, and with two owners of databases: one may make roles, the other may not."""
    server = LocalServer(server_base / f"agency-{worker_id}", settings=QUICK)
    server.start()
    people = "gis", "clerk"
    with (server.data / "pg_ident.conf").open("a") as identities:
        identities.writelines(f'groundframe "{system_user()}" {name}\n' for name in people)
    with psycopg.connect(server.url, autocommit=True) as admin:
        admin.execute("SELECT pg_reload_conf()")
        admin.execute("CREATE ROLE gis LOGIN CREATEROLE; CREATE ROLE clerk LOGIN")
        admin.execute(f"DROP OWNED BY {READER}; DROP ROLE {READER}".encode())
        for name in people:
            admin.execute(sql.SQL("CREATE DATABASE {0} OWNER {0}").format(sql.Identifier(f"{name}")))
    for name in people:
        with psycopg.connect(server.url_of(name), autocommit=True) as admin:
            admin.execute("CREATE EXTENSION postgis")
    yield server
    server.stop()


@pytest.fixture
def no_reader(agency: LocalServer) -> Iterator[LocalServer]:
    """The agency's server without the role, before and after."""
    yield agency
    for name in ("gis", "clerk"):
        with psycopg.connect(agency.url_of(name), autocommit=True) as admin:
            if admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [READER]).fetchone():
                admin.execute(f"DROP OWNED BY {READER}".encode())
                admin.execute(f"GRANT TEMPORARY ON DATABASE {name} TO PUBLIC".encode())
                admin.execute("DROP SCHEMA IF EXISTS gf_toys CASCADE")
    with psycopg.connect(agency.url, autocommit=True) as admin:
        admin.execute(f"DROP ROLE IF EXISTS {READER}".encode())


def flaws_of(url: str) -> tuple[Flaw, ...]:
    with Database(url) as database, database.connect() as connection:
        return find_flaws(connection)


def test_an_owner_who_may_make_roles(
    no_reader: LocalServer,
    load_toys: Load,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What takes an administrator is left over, said, and no more than that."""
    url = no_reader.url_of("gis", "gis")
    load_toys(url)
    monkeypatch.setenv("DATABASE_URL", url)
    assert main(["db", "status"]) == 0
    assert "role      gis, which may do more than read" in capsys.readouterr().out
    assert main(["db", "init-role"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "Withdrawn from PUBLIC: may make temporary tables."
    assert said[1].startswith(f"The role {READER} has other settings than it should: temp_file_limit; may ")
    assert said[1].endswith("Have an administrator run what 'groundframe db init-role --print' prints.")
    assert {flaw.what for flaw in flaws_of(url)} == {
        "has other settings than it should: temp_file_limit",
        "may make and change large objects, in read-only transactions too",
        "may use files of the server",
        "may write into the log of changes",
    }
    # The owner answers as the reader from now on, and what it loads can be read.
    load_toys(url)
    with Database(url, reading=True) as database, database.connect() as connection:
        assert connection.scalar(sa.text("SELECT current_user")) == READER
        assert dataset_names(database) == ("toys",)
    assert main(["db", "status"]) == 0
    assert "role      groundframe_reader, which is to be mended" in capsys.readouterr().out
    # The reader cannot mend itself.
    monkeypatch.setenv("DATABASE_URL", no_reader.url_of("gis", READER))
    assert main(["db", "init-role"]) == 1
    assert capsys.readouterr().err == f"{said[1]}\n"


def test_an_owner_who_may_not(
    no_reader: LocalServer,
    load_toys: Load,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The administrator gets a script that does all of it."""
    url = no_reader.url_of("clerk", "clerk")
    load_toys(url)
    monkeypatch.setenv("DATABASE_URL", url)
    assert main(["db", "init-role"]) == 1
    assert capsys.readouterr().err == (
        "The role 'clerk' may not make the role 'groundframe_reader'. "
        "Have an administrator run what 'groundframe db init-role --print' prints.\n"
    )
    assert main(["db", "init-role", "--print"]) == 0
    printed = capsys.readouterr().out
    with psycopg.connect(no_reader.url_of("clerk"), autocommit=True) as admin:
        admin.execute(printed.encode())
    assert flaws_of(url) == ()
    assert main(["db", "status"]) == 0
    assert "role      groundframe_reader, which may only read\ndatasets  toys" in capsys.readouterr().out
    assert main(["db", "init-role", "--print"]) == 0
    assert capsys.readouterr().out.startswith("-- The role groundframe_reader is as it should be")


def test_logging_in_as_a_reader_that_is_not_there(no_reader: LocalServer) -> None:
    with pytest.raises(DatabaseError, match=r"There is no role 'groundframe_reader' at .* db init-role$"):
        dataset_names(Database(no_reader.url_of("gis", READER), reading=True))


def test_others_may_keep_what_they_have(no_reader: LocalServer) -> None:
    """A database that is shared with other programs is not changed for them."""
    with Database(no_reader.url_of("gis")) as database, database.begin() as connection:
        assert make_reader(connection, keep_public=True) == ()
        left = find_flaws(connection)
        assert [flaw.what for flaw in left if not flaw.everyone] == []
        assert "may make temporary tables" in [flaw.what for flaw in left]


def test_what_a_role_has_been_given_is_taken_back(no_reader: LocalServer) -> None:
    """A reader that somebody has made mighty is no reader until it is mended."""
    url = no_reader.url_of("gis")
    with Database(url) as database, database.begin() as connection:
        connection.exec_driver_sql(
            f"CREATE ROLE {READER} SUPERUSER CREATEDB; GRANT pg_read_server_files, gis TO {READER};"
            f' CREATE TABLE "odd % \n name" (n serial); GRANT INSERT ON "odd % \n name" TO {READER};'
            f" CREATE TABLE columns (n int); GRANT UPDATE (n) ON columns TO {READER};"
            f" CREATE SEQUENCE numbers; GRANT USAGE ON SEQUENCE numbers TO {READER};"
            f" REVOKE CONNECT ON DATABASE gis FROM PUBLIC; REVOKE USAGE ON SCHEMA public FROM PUBLIC",
            execution_options={"no_parameters": True},
        )
        found = [flaw.what for flaw in find_flaws(connection)]
        assert found[:3] == [
            "may do what only administrators should",
            "is a member of gis",
            "is a member of pg_read_server_files",
        ]
        assert make_reader(connection) == ()
        left_over = sa.text(
            "SELECT has_any_column_privilege(:reader, 'columns', 'UPDATE')"
            " OR has_sequence_privilege(:reader, 'numbers', 'USAGE')"
        )
        assert connection.scalar(left_over, {"reader": READER}) is False
        connection.rollback()
    with Database(url) as database, database.begin() as connection:
        connection.exec_driver_sql(f"CREATE ROLE {READER}; CREATE SCHEMA mine AUTHORIZATION {READER}")
        left = [flaw.what for flaw in make_reader(connection)]
        assert left == ["owns objects of the database, which it may change"]
        connection.rollback()


def test_names_do_not_escape_from_the_script() -> None:
    """A comment stays a comment, whatever somebody has named a table."""
    told = script([Flaw('may change the table "x\n; DROP TABLE y; --"', ["REVOKE 1"], False)], "d")
    assert [line for line in told.splitlines() if not line.startswith("--")] == [
        "BEGIN;",
        "",
        "REVOKE 1;",
        "",
        "COMMIT;",
    ]
