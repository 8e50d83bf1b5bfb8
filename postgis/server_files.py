"""Files, folders and processes of the private local server."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import platformdirs

from groundframe.errors import DatabaseError
from groundframe.postgis.installation import is_root, run_as_server, server_user

PORT = 5432
"""Names the socket file; the server has no TCP port."""

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "50",
    "work_mem": "64MB",
    "maintenance_work_mem": "256MB",
    "random_page_cost": "1.1",
    # Compiling a plan takes longer than most of our statements run.
    "jit": "off",
    # Data survive a power cut: a commit of the last moments may be lost (synchronous_commit), which a
    # repeated load mends, but nothing is ever corrupted (fsync). Loads write tables that no replica needs, so
    # that COPY into a new table may skip the log (wal_level).
    "fsync": "on",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "2GB",
    # What a load writes goes to the disk while it works, instead of all at its end.
    "checkpoint_timeout": "30s",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
}

_SOCKET_LIMIT = 100  # bytes; the shortest limit of a supported system is 104
_SMALL_SHARED_MEMORY = 256 * 2**20
LEAST_BUFFERS = 128
"""Megabytes that the server cannot do without."""
_MOST_BUFFERS = 4096  # MB; a state with all that is made of it
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_settings(most: int = _MOST_BUFFERS) -> dict[str, str]:
    """How much of the machine's memory, or of what a container may use, the server plans with.

    Parameters
    ----------
    most : int
        The most megabytes for its buffers.
    """
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for limit in _LIMITS:
        with suppress(OSError, ValueError):
            found.append(int(Path(limit).read_text(encoding="ascii")))
    megabytes = min(found) // 2**20
    # A page of the buffers takes memory once it is used, so that small data never take all of it.
    buffers = max(LEAST_BUFFERS, min(megabytes // 4, most))
    return {"shared_buffers": f"{buffers}MB", "effective_cache_size": f"{max(256, megabytes // 2)}MB"}


def default_home() -> Path:
    """Folder of the local database: ``GROUNDFRAME_HOME``, else the user's data folder.

    Root's home is closed to the user who runs the server for root, so root's database is in ``/var/lib``.
    """
    named = os.environ.get("GROUNDFRAME_HOME")
    if named:
        return Path(named)
    return Path("/var/lib/groundframe") if is_root() else Path(platformdirs.user_data_dir("groundframe"))


def socket_folder(folder: Path) -> Path:
    """Folder for the socket of the server in `folder`: inside it, or a short one when that is too long.

    The choice depends on nothing but the folder and the user, so that every later process finds the socket.

    Examples
    --------
    >>> socket_folder(Path("/srv/gf/server"))
    PosixPath('/srv/gf/server/run')
    >>> len(str(socket_folder(Path("/srv/" + "long/" * 30)))) < 60
    True
    """
    inside = folder / "run"
    # A comma or quote would need escaping in the settings and again in the URL.
    plain = re.fullmatch(r"[\w./ -]+", str(inside))
    if plain and len(os.fsencode(inside / f".s.PGSQL.{PORT}.lock")) < _SOCKET_LIMIT:
        return inside
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    # Not TMPDIR or XDG_RUNTIME_DIR: they differ between a terminal, ssh and cron. make_private sees to it
    # that nobody else has made the folder.
    return Path("/tmp") / f"groundframe-{os.geteuid()}-{digest}"  # noqa: S108


def prepare_folders(home: Path, *folders: Path) -> None:
    """Make the folders of a server, and see that the server's user can get into them."""
    if re.search(r"[\"'`$\\\n]", str(home)):
        # pg_ctl hands the path to a shell.
        raise DatabaseError(
            f"The folder {home} has a character in its name that PostgreSQL's tools cannot take.",
            hint="Set GROUNDFRAME_HOME to another folder.",
        )
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if {path.name for path in home.iterdir()} <= {"server"}:
            give_away(home)
        for folder in folders:
            make_private(folder)
            if is_root() and run_as_server(["test", "-w", str(folder)]).returncode != 0:
                user = server_user().pw_name
                raise DatabaseError(
                    f"The user '{user}', who runs PostgreSQL for root, cannot reach {folder}.",
                    hint="Set GROUNDFRAME_HOME to a folder that every user may pass through.",
                )
    except OSError as error:
        raise DatabaseError(
            f"The folder {home} cannot be used for the database: {error.strerror}.",
            hint="Set GROUNDFRAME_HOME to a folder that you can write to.",
        ) from error


def make_private(folder: Path) -> None:
    """Make a folder that only the server's user may enter; refuse one that is somebody else's."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.geteuid(), server_user().pw_uid):
        raise DatabaseError(
            f"The folder {folder}, which the local server needs, belongs to another user.",
            hint="Set GROUNDFRAME_HOME to a folder of your own.",
        )
    folder.chmod(0o700)
    give_away(folder)


def give_away(path: Path) -> None:
    """Hand a file that root has made to the user who runs the server."""
    if is_root():
        user = server_user()
        os.chown(path, user.pw_uid, user.pw_gid)


def write_private(path: Path, lines: Iterable[str]) -> None:
    """Write a file that only the server's user may read."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text("\n".join([*lines, ""]), encoding="utf-8")
    fresh.chmod(0o600)
    give_away(fresh)
    fresh.replace(path)


def exists(path: Path) -> bool:
    """Whether there is such a file, as far as this user can see."""
    try:
        return path.exists()
    except PermissionError:
        return False


def command_line(pid: int) -> tuple[str, ...]:
    """Command line of a running process; empty when there is none."""
    if Path("/proc/self/cmdline").exists():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return ()
        return tuple(os.fsdecode(part) for part in line.split(b"\0") if part)
    done = subprocess.run(
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    # ps joins the arguments with blanks; the server's are: postgres -D FOLDER.
    program, _, folder = done.stdout.strip().partition(" -D ")
    return (program, "-D", folder) if folder else ()


def small_shared_memory() -> bool:
    """Whether /dev/shm is too small for parallel queries, as containers have it."""
    try:
        return shutil.disk_usage("/dev/shm").total < _SMALL_SHARED_MEMORY  # noqa: S108
    except OSError:
        return False


def last_fatal(log: Path) -> str:
    """The last fatal complaint in a server log; empty when there is none."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition("FATAL:")[2].strip() for line in reversed(lines) if "FATAL:" in line), "")


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """The last line that a program printed, which is where PostgreSQL's tools say what went wrong."""
    lines = [line.strip() for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
    return lines[-1] if lines else f"exit code {done.returncode}"
