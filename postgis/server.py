"""A private PostGIS on this machine, for those who have no database at hand.

The server belongs to the user who started it: its folders are closed to others, it listens on a Unix socket
only, and the operating system vouches for who connects (peer authentication), so that there is no password.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from groundframe.errors import DatabaseError
from groundframe.postgis.connect import Database
from groundframe.postgis.installation import Installation, find_installation, server_user, system_user
from groundframe.postgis.reader import READER, make_reader
from groundframe.postgis.server_files import (
    LEAST_BUFFERS,
    PORT,
    SETTINGS,
    command_line,
    default_home,
    exists,
    last_fatal,
    last_line,
    memory_settings,
    prepare_folders,
    small_shared_memory,
    socket_folder,
    write_private,
)

__all__ = ["DATABASE", "OWNER", "LocalServer", "ServerStatus", "default_home"]

DATABASE = "groundframe"
OWNER = "groundframe"
"""The role that owns everything. The user who started the server may connect as it, and as the reader."""

_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What is known of a local server without connecting to it.

    Parameters
    ----------
    state : str
        ``running``, ``stopped``, or ``absent`` where there is no database yet.
    pid : int or None
        Process id while it runs.
    home : Path
        Folder that holds the database.
    url : str
        Where it can be reached while it runs.
    """

    state: str
    pid: int | None
    home: Path
    url: str

    @property
    def running(self) -> bool:
        """Whether the server runs."""
        return self.state == "running"


class LocalServer:
    """A private PostGIS in a folder of its own.

    Several servers with different homes run side by side.

    Parameters
    ----------
    home : path-like, optional
        Folder of the database, by default :func:`default_home`.
    settings : mapping of str to str, optional
        PostgreSQL settings that override groundframe's own, such as ``{"fsync": "off"}`` for a throw-away
        database.

    Examples
    --------
    >>> server = LocalServer("/nonexistent/groundframe")
    >>> server.status().state
    'absent'
    >>> server.url
    'postgresql://groundframe@/groundframe?host=/nonexistent/groundframe/server/run&port=5432'
    """

    def __init__(
        self, home: str | os.PathLike[str] | None = None, *, settings: Mapping[str, str] | None = None
    ) -> None:
        self.home = Path(default_home() if home is None else home).expanduser().resolve()
        self.folder = self.home / "server"
        self.data = self.folder / "data"
        self.log = self.folder / "server.log"
        self.socket_folder = socket_folder(self.folder)
        self._given = dict(settings or {})
        self.settings = {**SETTINGS, **memory_settings(), **self._given}

    @property
    def url(self) -> str:
        """The libpq URL of the database, whether or not the server runs."""
        return self.url_of(DATABASE)

    @property
    def reader_url(self) -> str:
        """The URL for whoever only reads."""
        return self.url_of(DATABASE, READER)

    def url_of(self, database: str, role: str = OWNER) -> str:
        """The libpq URL of another database of this server, or for another role."""
        return (
            f"postgresql://{quote(role)}@/{quote(database)}?host={quote(str(self.socket_folder))}&port={PORT}"
        )

    def status(self) -> ServerStatus:
        """Tell whether the server runs."""
        pid = self._pid()
        if pid is not None:
            state = "running"
        else:
            state = "stopped" if exists(self.data / "PG_VERSION") else "absent"
        return ServerStatus(state, pid, self.home, self.url)

    def start(self) -> ServerStatus:
        """Start the server, making the database first where there is none; a running one is left alone.

        Raises
        ------
        DatabaseError
            If PostgreSQL or PostGIS is missing, or the server does not come up.
        """
        prepare_folders(self.home, self.folder, self.socket_folder)
        with self._lock():
            if self._pid() is None:
                installation = self._installation()
                if not self.data.exists():
                    self._create(installation)
                self._remove_stale_files()
                self._configure()
                self._launch(installation)
            self._wait_until_ready()
            self._ensure_database()
        return self.status()

    def stop(self) -> bool:
        """Stop the server; open connections are cut, and what they had not committed is rolled back.

        Returns
        -------
        bool
            False when it did not run.
        """
        if self._pid() is None:
            return False
        with self._lock():
            if self._pid() is None:
                return False
            done = self._installation().run(
                "pg_ctl", "stop", "-D", str(self.data), "-m", "fast", "-w", "-t", str(int(_PATIENCE))
            )
            if done.returncode != 0 and self._pid() is not None:
                raise DatabaseError(
                    f"The local server did not stop: {last_line(done)}", hint=f"Its log is {self.log}."
                )
            if self.socket_folder.parent != self.folder:
                with contextlib.suppress(OSError):
                    self.socket_folder.rmdir()
        return True

    def _installation(self) -> Installation:
        version = self.data / "PG_VERSION"
        major = int(version.read_text(encoding="ascii").strip()) if version.exists() else None
        return find_installation(major)

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """Let one process at a time start or stop the server."""
        with (self.folder / "lock").open("a", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _create(self, installation: Installation) -> None:
        installation.require_postgis()
        # Made under another name, so that an interrupted initdb is not taken for a database.
        fresh = self.folder / "data.new"
        shutil.rmtree(fresh, ignore_errors=True)
        done = installation.run(
            "initdb",
            "-D",
            str(fresh),
            "-U",
            OWNER,
            "-A",
            "peer",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-instructions",
        )
        if done.returncode != 0:
            raise DatabaseError(f"The local database could not be made: {last_line(done)}")
        with (fresh / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write("\ninclude = 'groundframe.conf'\n")
        fresh.rename(self.data)

    def _configure(self) -> None:
        """Write the settings and who may connect, anew at every start so that a new version's take effect."""
        settings = {**self.settings, "unix_socket_directories": str(self.socket_folder)}
        if small_shared_memory():
            settings.setdefault("dynamic_shared_memory_type", "mmap")
        lines = [f"{name} = '{value.replace(chr(39), chr(39) * 2)}'" for name, value in settings.items()]
        users = dict.fromkeys((system_user(), server_user().pw_name))
        identities = [f'groundframe "{user}" {role}' for user in users for role in (OWNER, READER)]
        for name, content in (
            ("groundframe.conf", lines),
            ("pg_hba.conf", ["local all all peer map=groundframe"]),
            ("pg_ident.conf", identities),
        ):
            write_private(self.data / name, ["# Written by groundframe at every start.", *content])

    def _launch(self, installation: Installation) -> None:
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.1"))
        options = ("-l", str(self.log), "-w", "-t", str(int(_PATIENCE)), "-s")
        # After a crash the old server's children may need a moment to let go of its memory.
        for attempt in range(5):
            done = installation.run("pg_ctl", "start", "-D", str(self.data), *options)
            if done.returncode == 0:
                return
            if "could not map" in last_fatal(self.log):
                # A machine that promises no more memory than it has.
                self.settings |= {**memory_settings(LEAST_BUFFERS), **self._given}
                self._configure()
            elif "still in use" not in last_fatal(self.log):
                break
            time.sleep(0.5 * (attempt + 1))
        reason = last_fatal(self.log) or last_line(done)
        raise DatabaseError(f"The local server did not start: {reason}", hint=f"Its log is {self.log}.")

    def _wait_until_ready(self) -> None:
        """Wait until connections are accepted: the server that somebody else started may still recover."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                with psycopg.connect(self.url_of("postgres"), connect_timeout=10):
                    return
            except psycopg.OperationalError as error:
                if self._pid() is None or time.monotonic() > deadline:
                    raise DatabaseError(
                        f"The local server does not answer: {error}", hint=f"Its log is {self.log}."
                    ) from error
            time.sleep(0.1)

    def _ensure_database(self) -> None:
        try:
            with psycopg.connect(self.url_of("postgres"), autocommit=True) as connection:
                known = connection.execute(
                    "SELECT FROM pg_database WHERE datname = %s", [DATABASE]
                ).fetchone()
                if known is None:
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
            with psycopg.connect(self.url, autocommit=True) as connection:
                if (
                    connection.execute("SELECT FROM pg_extension WHERE extname = 'postgis'").fetchone()
                    is None
                ):
                    connection.execute("CREATE EXTENSION postgis")
            with Database(self.url) as database, database.begin() as session:
                make_reader(session)
        except psycopg.errors.FeatureNotSupported as error:
            raise DatabaseError(
                "PostGIS is not installed for the local PostgreSQL.", hint="Install it, then start again."
            ) from error
        except psycopg.Error as error:
            raise DatabaseError(f"The local database could not be made ready: {error}") from error

    def _pid(self) -> int | None:
        """Process id of the running server; None when there is none, whatever a stale file says."""
        try:
            first, *_ = (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
            pid = int(first)
        except (OSError, ValueError):
            return None
        return pid if str(self.data) in command_line(pid) else None

    def _remove_stale_files(self) -> None:
        """Remove what a killed server left: after a reboot its process id may belong to somebody else."""
        for path in (
            self.data / "postmaster.pid",
            self.socket_folder / f".s.PGSQL.{PORT}",
            self.socket_folder / f".s.PGSQL.{PORT}.lock",
        ):
            path.unlink(missing_ok=True)
