"""The PostgreSQL that is installed on this machine, and running its programs.

PostgreSQL refuses to run as root. Where groundframe itself is root (containers, CI), its programs are run as
the system user ``postgres``, who then owns the data folder.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from groundframe.errors import DatabaseError

__all__ = ["Installation", "find_installation", "is_root", "run_as_server", "server_user", "system_user"]

_ROOTLESS_USER = "postgres"
_USUAL_PLACES = (
    "/usr/lib/postgresql/*/bin",  # Debian, Ubuntu
    "/usr/pgsql-*/bin",  # RHEL and relatives
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/usr/local/pgsql/bin",
)


def is_root() -> bool:
    """Tell whether PostgreSQL has to be run as another user."""
    return os.geteuid() == 0


def system_user() -> str:
    """Name of the system user that peer authentication will see for this process."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        raise DatabaseError(
            f"The user id {os.geteuid()} has no name on this machine, and PostgreSQL needs one.",
            hint="Add the user to /etc/passwd, or set DATABASE_URL to a database that exists.",
        ) from None


def server_user() -> pwd.struct_passwd:
    """System user that runs the server and owns its files."""
    if not is_root():
        system_user()
        return pwd.getpwuid(os.geteuid())
    try:
        return pwd.getpwnam(_ROOTLESS_USER)
    except KeyError:
        raise DatabaseError(
            f"PostgreSQL refuses to run as root, and there is no user '{_ROOTLESS_USER}' to run it as.",
            hint=f"Run as another user, or add that one: useradd --system {_ROOTLESS_USER}",
        ) from None


@dataclass(frozen=True, slots=True)
class Installation:
    """One installed PostgreSQL.

    Parameters
    ----------
    bin : Path
        Folder with ``initdb``, ``pg_ctl`` and ``postgres``.
    major : int
        Major version, such as 15.
    postgis : bool
        Whether the PostGIS extension is installed for it.
    """

    bin: Path
    major: int
    postgis: bool

    def require_postgis(self) -> None:
        """Raise unless PostGIS can be created in a database of this PostgreSQL."""
        if not self.postgis:
            raise DatabaseError(
                f"PostgreSQL {self.major} is installed in {self.bin}, but without PostGIS.",
                hint=_install_hint(f"postgresql-{self.major}-postgis-3"),
            )

    def run(self, program: str, *arguments: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """Run one of the programs as the server's user and return what it printed."""
        return run_as_server([str(self.bin / program), *arguments], timeout=timeout)


def run_as_server(command: Sequence[str], *, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a command as the server's user, untouched by the caller's PG* variables and language."""
    user = server_user()
    environment = {
        "HOME": user.pw_dir,
        "LC_ALL": "C",
        "PATH": os.environ.get("PATH", os.defpath),
        "USER": user.pw_name,
    }
    root = is_root()
    try:
        return subprocess.run(
            command,
            capture_output=True,
            check=False,
            cwd="/",  # the caller's folder may be closed to the server's user
            encoding="utf-8",
            env=environment,
            errors="replace",
            extra_groups=[] if root else None,
            group=user.pw_gid if root else None,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            user=user.pw_uid if root else None,
        )
    except OSError as error:
        raise DatabaseError(f"{command[0]} cannot be run: {error.strerror}.") from error
    except subprocess.TimeoutExpired as error:
        raise DatabaseError(f"{command[0]} did not end within {timeout:.0f} seconds.") from error


def find_installation(major: int | None = None) -> Installation:
    """Find the PostgreSQL to use.

    The folder named by ``GROUNDFRAME_PG_BIN`` is taken as it is. Otherwise the newest installed version that
    has PostGIS wins, and a version without it only where there is no other.

    Parameters
    ----------
    major : int, optional
        The version that made an existing data folder; no other can open it.

    Raises
    ------
    DatabaseError
        If there is no PostgreSQL, or none of that version.
    """
    named = os.environ.get("GROUNDFRAME_PG_BIN")
    if named:
        chosen = _inspect(Path(named))
        if chosen is None:
            raise DatabaseError(
                f"GROUNDFRAME_PG_BIN is {named}, where there is no initdb and pg_ctl.",
                hint="Set it to the bin folder of a PostgreSQL server, or unset it.",
            )
        found = [chosen]
    else:
        found = [item for item in map(_inspect, _candidates()) if item is not None]
    if not found:
        raise DatabaseError(
            "No PostgreSQL server is installed here.",
            hint=_install_hint("postgresql", "postgresql-postgis")
            + " Or set DATABASE_URL to a database that exists.",
        )
    fitting = [item for item in found if major in (None, item.major)]
    if not fitting:
        raise DatabaseError(
            f"The local database was made by PostgreSQL {major}, which is not installed any more.",
            hint=_install_hint(f"postgresql-{major}-postgis-3")
            + " Or remove the local database and load the data again.",
        )
    return max(fitting, key=lambda item: (item.postgis, item.major))


def _candidates() -> list[Path]:
    """Folders that may hold a server, without repetition."""
    folders = [folder for pattern in _USUAL_PLACES for folder in sorted(Path("/").glob(pattern[1:]))]
    for program in ("pg_config", "pg_ctl"):
        where = shutil.which(program)
        if where is None:
            continue
        # Debian's pg_config in the path is a wrapper outside the bin folder, hence the question.
        answer = _ask(where, "--bindir") if program == "pg_config" else str(Path(where).resolve().parent)
        if answer:
            folders.append(Path(answer))
    return list(dict.fromkeys(folders))


def _inspect(folder: Path) -> Installation | None:
    """The installation in a folder, or None when it holds no server."""
    if not all(os.access(folder / name, os.X_OK) for name in ("initdb", "pg_ctl", "postgres")):
        return None
    match = re.search(r"\) (\d+)", _ask(str(folder / "postgres"), "--version"))
    if match is None:
        return None
    share = _ask(str(folder / "pg_config"), "--sharedir")
    # Without pg_config (some distributions leave it to the development package) the answer is left to
    # CREATE EXTENSION.
    postgis = not share or (Path(share) / "extension" / "postgis.control").exists()
    return Installation(bin=folder, major=int(match.group(1)), postgis=postgis)


def _ask(program: str, option: str) -> str:
    """What a program answers to an option; empty when it cannot be run."""
    try:
        done = subprocess.run(
            [program, option], capture_output=True, check=False, encoding="utf-8", timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _install_hint(*packages: str) -> str:
    """The command that installs what is missing."""
    if shutil.which("apt-get"):
        return f"Install it with: {'' if is_root() else 'sudo '}apt-get install {' '.join(packages)}"
    if shutil.which("brew"):
        return "Install it with: brew install postgis"
    return "Install PostgreSQL 14 or later with PostGIS 3."
