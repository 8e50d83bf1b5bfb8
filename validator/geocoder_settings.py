"""Where the settings of the geocoder come from; without any it is off."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from groundframe.errors import UsageError
from groundframe.settings import Section

__all__ = [
    "HOW_TO_TURN_ON",
    "check_url",
    "number_setting",
    "read_settings",
    "service_options",
    "setting_names",
    "user_agent",
]

_GEOCODER = Section("geocoder", main="service")
read_settings = _GEOCODER.read
setting_names = _GEOCODER.named
number_setting = _GEOCODER.number
check_url = _GEOCODER.address

_LONGEST_NAME = 200

# What groundframe decides about a geopy geocoder; all else that its constructor takes is a setting.
_OWN = {"adapter_factory", "domain", "proxies", "scheme", "ssl_context", "timeout", "user_agent"}
_SETTINGS = {"service", "url", "user_agent", "timeout", "interval", "cache"}

HOW_TO_TURN_ON = (
    f"No geocoder is configured: set {_GEOCODER.variable}=nominatim to look such names up at OpenStreetMap, "
    "or give longitude and latitude. docs/geocoding.md has the other settings."
)


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
