"""Settings of services outside of the program: a section of the user's file; the environment wins."""

from __future__ import annotations

import ipaddress
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from groundframe.errors import UsageError

__all__ = ["Section", "is_loopback"]


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the configuration file, and the variables that say the same.

    Parameters
    ----------
    name : str
        Of the section, and of the service in messages.
    main : str
        The setting that the variable without a suffix gives.
    """

    name: str
    main: str

    @property
    def variable(self) -> str:
        """The variable of the main setting; those of the others begin with it."""
        return f"GROUNDFRAME_{self.name.upper()}"

    def read(self, environ: Mapping[str, str] | None = None, config: Path | None = None) -> dict[str, str]:
        """The settings as text, without empty ones.

        Parameters
        ----------
        environ : mapping, optional
            An empty value takes a setting of the file away. By default the process's environment.
        config : Path, optional
            A TOML file; by default ``config.toml`` in the user's folder.

        Raises
        ------
        UsageError
            When the file cannot be read, or a setting in it is neither text nor a number.

        Examples
        --------
        >>> Section("model", "name").read({"GROUNDFRAME_MODEL_TIMEOUT": "3"}, Path("none"))
        {'timeout': '3'}
        """
        settings = self._from_file(config or Path(platformdirs.user_config_dir("groundframe"), "config.toml"))
        for name, value in (os.environ if environ is None else environ).items():
            if name == self.variable:
                settings[self.main] = value
            elif name.startswith(f"{self.variable}_"):
                settings[name.removeprefix(f"{self.variable}_").lower()] = value
        return {name: value.strip() for name, value in sorted(settings.items()) if value.strip()}

    def _from_file(self, path: Path) -> dict[str, str]:
        try:
            section = tomllib.loads(path.read_text(encoding="utf-8")).get(self.name, {})
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise UsageError(f"{path} cannot be read ({error.strerror}).") from None
        except ValueError as error:
            raise UsageError(f"{path} is not TOML ({error}).") from None
        if not isinstance(section, dict):
            raise UsageError(
                f"{path}: '{self.name}' is no section.", f"Write [{self.name}] and its settings below."
            )
        for name, value in section.items():
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise UsageError(f"{path}: {name} in [{self.name}] is neither text nor a number.")
        return {name: str(value) for name, value in section.items()}

    def named(self, name: str) -> str:
        """How a person writes a setting, for messages.

        Examples
        --------
        >>> Section("geocoder", "service").named("api_key")
        'GROUNDFRAME_GEOCODER_API_KEY (api_key in the configuration file)'
        """
        variable = self.variable if name == self.main else f"{self.variable}_{name.upper()}"
        return f"{variable} ({name} in the configuration file)"

    def number(
        self,
        settings: Mapping[str, str],
        name: str,
        default: float,
        least: float,
        most: float,
        what: str = "number of seconds",
    ) -> float:
        """A setting that is a number.

        Raises
        ------
        UsageError
            When it is no number from `least` to `most`.
        """
        try:
            value = float(settings.get(name, default))
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            raise UsageError(
                f"'{settings[name]}' is not the {what} that the {self.name}'s {name} must be.",
                f"Set {self.named(name)} to a number from {least:g} to {most:g}.",
            )
        return value

    def address(self, url: str) -> tuple[str, str, str]:
        """Scheme, network location with path, and host of the service's address.

        Raises
        ------
        UsageError
            When it is no plain address, or its requests could be read on the way.

        Examples
        --------
        >>> Section("geocoder", "service").address("https://maps.example.org/nominatim/")
        ('https', 'maps.example.org/nominatim', 'maps.example.org')
        """
        action = f"Set {self.named('url')} to an address like https://host/path."
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            host = None
        if host is None or not url.isascii() or not url.isprintable() or " " in url:
            raise UsageError(f"The {self.name}'s address is not a web address.", action)
        if parts.username is not None or parts.query or parts.fragment:
            raise UsageError(f"The {self.name}'s address holds more than a host and a path.", action)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
            raise UsageError(
                f"The {self.name}'s address begins with {parts.scheme}://, "
                "so others could read what is asked.",
                "Use https://; http:// is for this machine only (localhost).",
            )
        return parts.scheme, (parts.netloc + parts.path).rstrip("/"), host


def is_loopback(host: str | None) -> bool:
    """Whether the host is this machine.

    Examples
    --------
    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("127.0.0.1.example.org")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
