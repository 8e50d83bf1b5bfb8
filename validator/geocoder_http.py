"""How geopy reaches a geocoder here: politely, and without trusting what comes back."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, NoReturn
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from geopy.adapters import AdapterHTTPError, BaseSyncAdapter, get_retry_after
from geopy.exc import (
    GeocoderAuthenticationFailure,
    GeocoderInsufficientPrivileges,
    GeocoderServiceError,
    GeopyError,
)

from groundframe.settings import is_loopback
from groundframe.validator.geocoder_pace import Pace
from groundframe.validator.geocoder_settings import setting_names

__all__ = ["CHECK_ADDRESS", "LARGEST_REPLY", "PoliteAdapter", "explain"]

CHECK_ADDRESS = f"Check {setting_names('service')} and {setting_names('url')}."
_CHECK_RIGHTS = "Check the key, and the service's conditions of use."
_LATER = "Try again later, give longitude and latitude, or configure another geocoder (docs/geocoding.md)."

LARGEST_REPLY = 1_000_000
"""Bytes of an answer that are read at most."""

# Without a handler, what geopy logs of an answer would go to the terminal as the server wrote it.
logging.getLogger("geopy").addHandler(logging.NullHandler())

_BUSY = (429, 503)
_BACKOFF = (2.0, 4.0)
_LONGEST_WAIT = 10.0


class _NoAnswerError(GeocoderServiceError):  # type: ignore[misc] # geopy has no types
    """What is wrong, said of the geocoder as "it"."""


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    headers: Mapping[str, str]
    text: str


class PoliteAdapter(BaseSyncAdapter):  # type: ignore[misc] # geopy has no types
    """A geopy adapter that keeps the rules of public geocoders and the limits of this program.

    Every request waits for its turn; 429 and 503 are tried again twice, later each time; a redirect is an
    error, as what is asked goes to the configured host only; an answer has one deadline and a largest size.
    """

    def __init__(
        self,
        *,
        proxies: dict[str, str] | None,
        ssl_context: Any,
        pace: Pace,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(proxies=proxies, ssl_context=ssl_context)
        self._pace = pace
        self._sleep = sleep
        # No redirect handler, and no handler for files or FTP.
        self._opener = OpenerDirector()
        for handler in (
            ProxyHandler(proxies),
            HTTPHandler(),
            HTTPSHandler(context=ssl_context),
            HTTPErrorProcessor(),
            HTTPDefaultErrorHandler(),
        ):
            self._opener.add_handler(handler)

    def get_json(self, url: str, *, timeout: float, headers: Mapping[str, str]) -> Any:
        text = self.get_text(url, timeout=timeout, headers=headers)
        try:
            answer = json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError):
            what = "is not JSON" if text.strip() else "is empty"
            raise _NoAnswerError(f"its answer {what}") from None
        if not isinstance(answer, list) and not (isinstance(answer, dict) and answer):
            raise _NoAnswerError("its answer holds no places")
        return answer

    def get_text(self, url: str, *, timeout: float, headers: Mapping[str, str]) -> str:
        parts = urlsplit(url)
        if parts.scheme != "https" and not is_loopback(parts.hostname):
            raise _NoAnswerError("it would be asked without encryption")
        for backoff in (*_BACKOFF, None):
            with self._pace.turn():
                reply = self._fetch_in_time(Request(url, headers=dict(headers)), timeout)  # noqa: S310 - see above
            if reply.status not in _BUSY or backoff is None:
                break
            wait = max(backoff, get_retry_after(reply.headers) or 0.0)
            if wait > _LONGEST_WAIT:
                break
            self._sleep(wait)
        if not 200 <= reply.status < 300:
            raise AdapterHTTPError(
                f"HTTP {reply.status}", status_code=reply.status, headers=reply.headers, text=reply.text
            )
        return reply.text

    def _fetch_in_time(self, request: Request, timeout: float) -> _Reply:
        """The reply before the deadline, however it drips: a socket's timeout starts anew with each byte."""
        reply: Future[_Reply] = Future()

        def work() -> None:
            try:
                reply.set_result(self._fetch(request, timeout))
            except Exception as error:
                reply.set_exception(error)

        threading.Thread(target=work, daemon=True).start()
        try:
            return reply.result(timeout)
        except (TimeoutError, URLError, OSError, HTTPException) as error:
            reason = error.reason if isinstance(error, URLError) else error
            if isinstance(reason, TimeoutError):
                raise _NoAnswerError(f"it did not answer within {timeout:g} s") from None
            why = getattr(reason, "strerror", None) or type(reason).__name__
            raise _NoAnswerError(f"it cannot be reached ({why})") from None

    def _fetch(self, request: Request, timeout: float) -> _Reply:
        try:
            response = self._opener.open(request, timeout=timeout)
        except HTTPError as error:
            response = error
        with response:
            body = response.read(LARGEST_REPLY + 1)
            if len(body) > LARGEST_REPLY:
                raise _NoAnswerError(f"its answer is larger than {LARGEST_REPLY / 1e6:g} MB")
            names = {name.lower(): value for name, value in response.headers.items()}
            return _Reply(response.status, names, body.decode("utf-8", errors="replace"))


def explain(error: GeopyError) -> tuple[str, str]:
    """Why there is no answer, and what to do; never in the server's words, which may repeat a key."""
    if isinstance(error, _NoAnswerError):
        return str(error), _LATER
    cause = error.__cause__
    if not isinstance(cause, AdapterHTTPError):
        if isinstance(error, GeocoderAuthenticationFailure | GeocoderInsufficientPrivileges):
            return "it refuses the key", _CHECK_RIGHTS
        return f"it refuses the question ({type(error).__name__})", _LATER
    status = cause.status_code
    if 300 <= status < 400:
        return f"it sends to another address (HTTP {status}), which is not followed", CHECK_ADDRESS
    if status in (401, 402, 403, 407):
        return f"it refuses the request (HTTP {status})", _CHECK_RIGHTS
    if status in _BUSY:
        return f"it has too much to do (HTTP {status})", _LATER
    return f"it answered HTTP {status}", _LATER


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
