"""Which model is asked, where, and how patiently; without an address none is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast, get_args

import platformdirs

from groundframe.errors import ModelError, UsageError
from groundframe.settings import Section, is_loopback

__all__ = ["HOW_TO_TURN_ON", "Form", "ModelSettings", "model_settings", "require_model_settings"]

Form = Literal["slots", "frame"]
_MODEL = Section("model", main="name")
_SETTINGS = ("name", "url", "key", "timeout", "tokens", "retries", "form", "cache")

HOW_TO_TURN_ON = (
    f"Set {_MODEL.variable}_URL to the address of an OpenAI-compatible endpoint, such as "
    "http://localhost:8080/v1 for 'groundframe model serve FILE'. docs/models.md has the other settings."
)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A model and its endpoint.

    Parameters
    ----------
    url : str
        Base address, up to ``/v1``.
    name : str
        The endpoint's name of the model; empty where it serves only one.
    key : str
        Empty where none is needed.
    timeout_s : float
        Seconds that one reply may take.
    tokens : int
        The most that a reply may have.
    retries : int
        How often a request that the endpoint had no time for is sent again.
    form : {'slots', 'frame'}
        What the model fills in: flat slots for small ones, a whole frame for large ones.
    cache : Path or None
        The folder of replies; None keeps none.
    """

    url: str
    name: str = ""
    key: str = field(default="", repr=False)
    timeout_s: float = 60.0
    tokens: int = 1024
    retries: int = 0
    form: Form = "slots"
    cache: Path | None = None

    @property
    def host(self) -> str:
        """The endpoint's host."""
        return _MODEL.address(self.url)[2]

    @property
    def local(self) -> bool:
        """Whether nothing that is asked leaves this machine."""
        return is_loopback(self.host)


def model_settings(
    environ: Mapping[str, str] | None = None, config: Path | None = None
) -> ModelSettings | None:
    """The model of the user's settings: ``GROUNDFRAME_MODEL…`` and the section ``[model]``; None without one.

    Raises
    ------
    UsageError
        When a setting cannot be used.

    Examples
    --------
    >>> given = {"GROUNDFRAME_MODEL_URL": "http://localhost:8080/v1", "GROUNDFRAME_MODEL_TIMEOUT": "90"}
    >>> found = model_settings(given, Path("none"))
    >>> found.timeout_s, found.local
    (90.0, True)
    """
    settings = _MODEL.read(environ, config)
    if settings.get("name") == "off" or "url" not in settings:
        return None
    for name in sorted(settings.keys() - set(_SETTINGS)):
        raise UsageError(f"The model has no setting '{name}'.", f"Settings: {', '.join(_SETTINGS)}.")
    scheme, rest, host = _MODEL.address(settings["url"])
    form = settings.get("form", "slots")
    if form not in get_args(Form):
        raise UsageError(
            f"There is no form '{form}' of the model's reply.",
            f"Set {_MODEL.named('form')} to slots or frame.",
        )
    key = settings.get("key", "")
    if not (key.isascii() and key.isprintable()):
        raise UsageError("The model's key is not a line of plain text.", f"Set {_MODEL.named('key')}.")
    cache = settings.get("cache", "")
    folder = Path(cache).expanduser() if cache else Path(platformdirs.user_cache_dir("groundframe"), "model")
    number, own = "number", is_loopback(host)
    return ModelSettings(
        url=f"{scheme}://{rest}",
        name=settings.get("name", ""),
        key=key,
        # On one's own machine the instructions are read once, and that takes a small one a minute or two.
        timeout_s=_MODEL.number(settings, "timeout", default=300.0 if own else 60.0, least=0.1, most=3600.0),
        tokens=int(_MODEL.number(settings, "tokens", 1024, 16, 32_768, number)),
        # A busy host of many is asked again; one's own machine would only be asked the same twice.
        retries=int(_MODEL.number(settings, "retries", 0 if own else 2, 0, 5, number)),
        form=cast("Form", form),
        cache=None if cache == "off" else folder,
    )


def require_model_settings() -> ModelSettings:
    """The same.

    Raises
    ------
    ModelError
        When none is configured.
    """
    found = model_settings()
    if found is None:
        raise ModelError("No model is configured.", HOW_TO_TURN_ON, kind="not_configured")
    return found
