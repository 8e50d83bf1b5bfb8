"""The configured geocoder: geopy asks and reads; the answer is checked, narrowed to the area and kept."""

from __future__ import annotations

import inspect
import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs
from geopy import exc
from geopy.geocoders import SERVICE_TO_GEOCODER
from pydantic import BaseModel, ConfigDict

from groundframe.errors import UsageError
from groundframe.kept import Cache
from groundframe.settings import is_loopback
from groundframe.validator.geocoder import Geocode, Geocoder, GeocodeReply, GeocoderError
from groundframe.validator.geocoder_http import CHECK_ADDRESS, PoliteAdapter, explain
from groundframe.validator.geocoder_pace import Pace
from groundframe.validator.geocoder_settings import (
    check_url,
    number_setting,
    service_options,
    setting_names,
    user_agent,
)

__all__ = ["geopy_geocoder"]

_LONGEST_QUERY = 200
_LONGEST_LABEL = 200
_MOST = 10

# How geopy's geocoders take the area to search; of the others, what lies outside is left out of the answer.
_NOMINATIM = {"bounded": True, "limit": _MOST, "language": "en"}
_AREA: dict[str, tuple[str, dict[str, object]]] = {
    **dict.fromkeys(("nominatim", "openmapquest", "pickpoint"), ("viewbox", _NOMINATIM)),
    **dict.fromkeys(("mapbox", "maptiler", "photon"), ("bbox", {})),
    **dict.fromkeys(("google", "googlev3", "mapquest", "opencage"), ("bounds", {})),
    **dict.fromkeys(("geocodeearth", "pelias"), ("boundary_rect", {})),
}


class _Stored(BaseModel):
    """An answer as it is kept; service, host and query are there for people who look into the folder."""

    model_config = ConfigDict(strict=True, extra="forbid")

    service: str
    host: str
    query: str
    candidates: tuple[Geocode, ...]
    note: str


@dataclass(frozen=True)
class _GeopyGeocoder:
    service: str
    address: str
    host: str
    bounds: tuple[float, float, float, float]
    cache: Cache
    client: Any = field(repr=False)

    def geocode(self, query: str) -> GeocodeReply:
        words = unicodedata.normalize("NFC", " ".join(query.split()))
        if not words or len(words) > _LONGEST_QUERY or not words.isprintable():
            raise GeocoderError(
                f"A name of {len(words)} characters cannot be looked up.",
                f"Give a name of 1 to {_LONGEST_QUERY} printable characters.",
            )
        # The format of what is stored is part of the question.
        path = self.cache.path(1, self.service, self.address, words, self.bounds)
        try:
            stored = _Stored.model_validate_json(path.read_bytes())
        except (OSError, ValueError):
            pass
        else:
            return GeocodeReply(words, stored.candidates, "cache", stored.note)
        try:
            candidates, note = self._ask(words)
            stored = _Stored(
                service=self.service, host=self.host, query=words, candidates=candidates, note=note
            )
            self.cache.write(path, stored.model_dump_json(indent=1))
        except exc.GeopyError as error:
            raise self._failure(words, *explain(error)) from None
        except OSError as error:
            raise GeocoderError(
                f"The geocoder's folder {self.cache.folder} cannot be used ({error.strerror}).",
                f"Set {setting_names('cache')} to a folder that you can write to.",
            ) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, UserWarning):
            # geopy reads the answer without checking its shape, and warns of a latitude beyond the poles.
            raise self._failure(words, f"its answer is not that of '{self.service}'", CHECK_ADDRESS) from None
        return GeocodeReply(words, candidates, self.host, note)

    def _ask(self, words: str) -> tuple[tuple[Geocode, ...], str]:
        west, south, east, north = self.bounds
        keyword, more = _AREA.get(self.service, ("", {}))
        area = {keyword: ((south, west), (north, east))} if keyword else {}
        found = self.client.geocode(words, exactly_one=False, **area, **more) or ()
        places = tuple(dict.fromkeys(_geocode(location) for location in found))
        inside = [
            place for place in places if west <= place.longitude <= east and south <= place.latitude <= north
        ]
        notes = []
        if len(inside) < len(places):
            notes.append(
                f"{len(places) - len(inside)} of {len(places)} places lie outside the area of the data."
            )
        if len(inside) > _MOST:
            notes.append(f"The first {_MOST} of {len(inside)} places are shown.")
        notes += _licences(found)
        return tuple(inside[:_MOST]), " ".join(notes)

    def _failure(self, words: str, why: str, action: str) -> GeocoderError:
        return GeocoderError(f"The geocoder {self.host} could not look up '{words}': {why}.", action)


def _geocode(location: Any) -> Geocode:
    """The place as read by geopy."""
    raw = location.raw if isinstance(location.raw, dict) else {}
    facts = {**raw, **(raw.get("properties") or {})}
    kinds = (facts.get(name) for name in ("addresstype", "type"))
    kind = next((kind for kind in kinds if isinstance(kind, str) and kind != "Feature"), "")
    weight = facts.get("importance")
    importance = float(weight) if isinstance(weight, float | int) else math.nan
    return Geocode(
        label=_plain(location.address),
        longitude=round(float(location.longitude), 7),
        latitude=round(float(location.latitude), 7),
        kind=_plain(kind),
        importance=importance if math.isfinite(importance) else None,
    )


def _licences(found: Iterable[Any]) -> list[str]:
    """The terms that Nominatim's answers carry; OpenStreetMap's ask to be shown."""
    raws = (location.raw for location in found if isinstance(location.raw, dict))
    return list(dict.fromkeys(_plain(raw["licence"]) for raw in raws if isinstance(raw.get("licence"), str)))


def _plain(text: str) -> str:
    """A stranger's text on one line, without control characters, and not too long."""
    printable = "".join(character for character in " ".join(text.split()) if character.isprintable())
    return printable[:_LONGEST_LABEL]


def geopy_geocoder(
    service: str,
    settings: Mapping[str, str],
    bounds: tuple[float, float, float, float],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Geocoder:
    """The geocoder that geopy has by that name, with these settings; see `geocoder_from_settings`."""
    if service not in SERVICE_TO_GEOCODER:
        known = ", ".join(sorted(SERVICE_TO_GEOCODER))
        raise UsageError(
            f"There is no geocoder '{service}'.", f"Set {setting_names('service')} to one of: {known}."
        )
    maker = SERVICE_TO_GEOCODER[service]
    parameters = inspect.signature(maker).parameters
    options = service_options(settings, service, parameters)
    if "url" in settings:
        scheme, domain, host = check_url(settings["url"])
        options["domain"] = domain
    else:
        scheme = "https"
        domain = host = (parameters["domain"].default if "domain" in parameters else None) or service
    if "scheme" in parameters:
        options["scheme"] = scheme
    cache = Cache(Path(settings.get("cache") or Path(platformdirs.user_cache_dir("groundframe"), "geocoder")))
    interval = number_setting(settings, "interval", default=1.0, least=1.0, most=3600.0)
    pace = Pace(cache.folder / f"{host}.turn", interval, clock, sleep)
    try:
        client = maker(
            **options,
            # A proxy would ask its own machine.
            proxies={} if is_loopback(host) else None,
            timeout=number_setting(settings, "timeout", default=5.0, least=0.1, most=60.0),
            user_agent=user_agent(settings.get("user_agent", "")),
            adapter_factory=partial(PoliteAdapter, pace=pace, sleep=sleep),
        )
    except exc.ConfigurationError as error:
        raise UsageError(f"geopy's geocoder '{service}' says: {error}", "See docs/geocoding.md.") from None
    return _GeopyGeocoder(service, f"{scheme}://{domain}", host, bounds, cache, client)
