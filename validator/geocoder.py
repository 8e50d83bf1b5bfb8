"""Places that neither the data nor the gazetteer know, asked of a geocoder; off unless configured."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from groundframe.errors import GroundframeError
from groundframe.schema.model import Pack
from groundframe.validator.geocoder_settings import HOW_TO_TURN_ON, read_settings

__all__ = [
    "ConfiguredGeocoder",
    "Geocode",
    "GeocodeReply",
    "Geocoder",
    "GeocoderError",
    "GeocoderOffError",
    "geocoder_from_settings",
]


class GeocoderError(GroundframeError):
    """A geocoder was asked and gave no usable answer; the message says which, why, and what to do."""

    def __post_init__(self) -> None:
        self.code = "geocoder"


class GeocoderOffError(GeocoderError):
    """No geocoder is configured; nothing was asked of anybody."""


@dataclass(frozen=True)
class Geocode:
    """One place that a geocoder offers, in WGS 84 degrees.

    ``kind`` is the geocoder's own word, such as ``school``, or empty; ``importance`` its own number, or None.
    """

    label: str
    longitude: float
    latitude: float
    kind: str
    importance: float | None

    def __post_init__(self) -> None:
        # Comparisons with NaN are false.
        if not (abs(self.longitude) <= 180 and abs(self.latitude) <= 90):
            raise ValueError("a geocode must lie on the Earth")


@dataclass(frozen=True)
class GeocodeReply:
    """What a geocoder answered.

    Attributes
    ----------
    query : str
        The text that was sent.
    candidates : tuple of Geocode
        All places within the pack's bounds, in the geocoder's order; choosing is left to the caller.
    source : str
        The host that was asked, or ``cache``.
    note : str
        What was left out, and the data's licence; the same whether asked or cached.
    """

    query: str
    candidates: tuple[Geocode, ...]
    source: str
    note: str


class Geocoder(Protocol):
    """Something that knows where a named place is."""

    def geocode(self, query: str) -> GeocodeReply:
        """The places that the words may stand for; none is an answer too.

        Raises
        ------
        GeocoderError
            When there is no answer.
        """
        ...


class ConfiguredGeocoder:
    """The geocoder of the user's settings, which are read when it is first asked."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def geocode(self, query: str) -> GeocodeReply:
        """The places that the words may stand for.

        Raises
        ------
        GeocoderError
            When there is no answer, or no geocoder (`GeocoderOffError`).
        UsageError
            When a setting is wrong.
        """
        if self._geocoder is None:
            raise GeocoderOffError(f"'{query}' was not looked up.", HOW_TO_TURN_ON)
        return self._geocoder.geocode(query)

    @cached_property
    def _geocoder(self) -> Geocoder | None:
        return geocoder_from_settings(read_settings(), self._pack)


def geocoder_from_settings(
    settings: Mapping[str, str],
    pack: Pack,
    *,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> Geocoder | None:
    """The configured geocoder; None when there is none.

    Parameters
    ----------
    settings : mapping
        As `read_settings` gives them: ``service`` (geopy's name of the geocoder), ``url``, ``user_agent``
        (who is asking, added to groundframe's own), ``timeout`` and ``interval`` in seconds, ``cache`` (a
        folder); all others go to the service.
    pack : Pack
        Places outside its bounds are left out.
    clock, sleep : callable
        For tests.

    Raises
    ------
    UsageError
        When a setting is wrong.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> geocoder_from_settings({}, load_pack("massachusetts")) is None
    True
    """
    service = settings.get("service", "").lower()
    if service in ("", "off", "none"):
        return None
    # geopy takes a tenth of a second to import, which those without a geocoder need not wait for.
    from groundframe.validator.geocoder_geopy import geopy_geocoder

    return geopy_geocoder(service, settings, pack.bounds, clock, sleep)
