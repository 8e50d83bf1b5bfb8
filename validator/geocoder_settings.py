"""Where the settings of the geocoder come from; without any it is off."""

from __future__ import annotations

import inspect
import ipaddress
import os
import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs

from groundframe.errors import UsageError

__all__ = [
    "HOW_TO_TURN_ON",
    "check_url",
    "is_loopback",
    "number_setting",
    "read_settings",
    "service_options",
    "setting_names",
    "user_agent",
]

_VARIABLE = "GROUNDFRAME_GEOCODER"
_SECTION = "geocoder"
_LONGEST_NAME = 200

# What groundframe decides about a geopy geocoder; all else that its constructor takes is a setting.
_OWN = {"adapter_factory", "domain", "proxies", "scheme", "ssl_context", "timeout", "user_agent"}
_SETTINGS = {"service", "url", "user_agent", "timeout", "interval", "cache"}

HOW_TO_TURN_ON = (
    f"No geocoder is configured: set {_VARIABLE}=nominatim to look such names up at OpenStreetMap, "
    "or give longitude and latitude. docs/geocoding.md has the other settings."
)


def read_settings(environ: Mapping[str, str] | None = None, config: Path | None = None) -> dict[str, str]:
    """The geocoder's settings from the configuration file and the environment, which wins.

    Parameters
    ----------
    environ : mapping, optional
        ``GROUNDFRAME_GEOCODER`` is the setting ``service``, ``GROUNDFRAME_GEOCODER_URL`` is ``url``, and so
        on. An empty value takes a setting of the file away. By default the process's environment.
    config : Path, optional
        A TOML file with a section ``[geocoder]``; by default ``config.toml`` in the user's folder.

    Raises
    ------
    UsageError
        When the file cannot be read, or a setting in it is neither text nor a number.

    Examples
    --------
    >>> read_settings(
    ...     {"GROUNDFRAME_GEOCODER": "nominatim", "GROUNDFRAME_GEOCODER_TIMEOUT": "3"}, Path("none")
    ... )
    {'service': 'nominatim', 'timeout': '3'}
    """
    path = config or Path(platformdirs.user_config_dir("groundframe"), "config.toml")
    settings = _section(path)
    for name, value in (os.environ if environ is None else environ).items():
        if name == _VARIABLE:
            settings["service"] = value
        elif name.startswith(f"{_VARIABLE}_"):
            settings[name.removeprefix(f"{_VARIABLE}_").lower()] = value
    return {name: value.strip() for name, value in sorted(settings.items()) if value.strip()}


def _section(path: Path) -> dict[str, str]:
    try:
        section = tomllib.loads(path.read_text(encoding="utf-8")).get(_SECTION, {})
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}).") from None
    except ValueError as error:
        raise UsageError(f"{path} is not TOML ({error}).") from None
    if not isinstance(section, dict):
        raise UsageError(
            f"{path}: '{_SECTION}' is no section.", f"Write [{_SECTION}] and its settings below."
        )
    for name, value in section.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise UsageError(f"{path}: {name} in [{_SECTION}] is neither text nor a number.")
    return {name: str(value) for name, value in section.items()}


def setting_names(name: str) -> str:
    """How a person writes a setting, for messages.

    Examples
    --------
    >>> setting_names("api_key")
    'GROUNDFRAME_GEOCODER_API_KEY (api_key in the configuration file)'
    """
    variable = _VARIABLE if name == "service" else f"{_VARIABLE}_{name.upper()}"
    return f"{variable} ({name} in the configuration file)"


def number_setting(
    settings: Mapping[str, str], name: str, default: float, least: float, most: float
) -> float:
    """A setting that is a number of seconds.

    Raises
    ------
    UsageError
        When it is no number from `least` to `most`.
    """
    try:
        seconds = float(settings.get(name, default))
    except ValueError:
        seconds = float("nan")
    if not least <= seconds <= most:
        raise UsageError(
            f"'{settings[name]}' is not the number of seconds that the geocoder's {name} must be.",
            f"Set {setting_names(name)} to a number from {least:g} to {most:g}.",
        )
    return seconds


def check_url(url: str) -> tuple[str, str, str]:
    """Scheme, network location with path, and host of the geocoder's address.

    Raises
    ------
    UsageError
        When it is no plain address, or its requests could be read on the way.

    Examples
    --------
    >>> check_url("https://maps.example.org/nominatim/")
    ('https', 'maps.example.org/nominatim', 'maps.example.org')
    """
    action = f"Set {setting_names('url')} to an address like https://host/path."
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or not url.isascii() or not url.isprintable() or " " in url:
        raise UsageError("The geocoder's address is not a web address.", action)
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError("The geocoder's address holds more than a host and a path.", action)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise UsageError(
            f"The geocoder's address begins with {parts.scheme}://, so others could read what is asked.",
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


def service_options(
    settings: Mapping[str, str], service: str, parameters: Mapping[str, inspect.Parameter]
) -> dict[str, Any]:
    """The service's own settings, checked against the parameters of geopy's geocoder.

    Raises
    ------
    UsageError
        When one is unknown, or one that is needed is missing.
    """
    allowed = parameters.keys() - _OWN
    options = {name: value for name, value in settings.items() if name not in _SETTINGS}
    for name in sorted(options.keys() - allowed):
        known = ", ".join(sorted(allowed | _SETTINGS))
        raise UsageError(f"The geocoder '{service}' has no setting '{name}'.", f"Settings: {known}.")
    if "url" in settings and "domain" not in parameters:
        raise UsageError(
            f"The geocoder '{service}' has one address only.", f"Take out {setting_names('url')}."
        )
    given = options.keys() | ({"domain"} if "url" in settings else set())
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in given:
            missing = setting_names("url" if name == "domain" else name)
            raise UsageError(f"The geocoder '{service}' needs one more setting.", f"Set {missing}.")
    return options


def user_agent(who: str) -> str:
    """What the program calls itself, with who is asking.

    Raises
    ------
    UsageError
        When that cannot stand in a header.
    """
    if not (who.isascii() and who.isprintable() and len(who) <= _LONGEST_NAME):
        raise UsageError(
            "The geocoder's user_agent is not a line of plain text.",
            f"Set {setting_names('user_agent')} to a name and address of at most {_LONGEST_NAME} characters.",
        )
    return f"groundframe/{version('groundframe')}" + (f" ({who})" if who else "")
