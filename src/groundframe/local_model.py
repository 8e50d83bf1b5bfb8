"""A small model on this machine: llama.cpp's server on loopback, with weights that the user names."""

from __future__ import annotations

import os
import socket
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from groundframe.errors import ModelError, UsageError

__all__ = ["HOST", "LocalModel", "spare_cores"]

HOST = "127.0.0.1"
_GGUF = b"GGUF"
# Threads that wait would otherwise take a core from the database while they do.
_QUIET = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0"}
_LOADING_S = 600.0
# Tokens that were seen before, and tokens that are guessed to follow them again.
_SEEN, _GUESSED = 3, 6


class LocalModel:
    """A server that runs as long as the object is kept; it listens on loopback only.

    Parameters
    ----------
    file : Path
        Weights in the format GGUF.
    port : int
        0 takes a free one.
    threads : int, optional
        By default one per core that is not busy.
    context : int
        Tokens that a question with its prompt and reply may have.

    Raises
    ------
    UsageError
        When there is no such file, it holds no weights, or the port is taken.
    ModelError
        When the package is not installed, or the weights cannot be loaded.
    """

    def __init__(self, file: Path, port: int = 0, threads: int | None = None, context: int = 8192) -> None:
        _check(file)
        os.environ.update(_QUIET)  # read when the library is loaded
        try:
            import xllamacpp
        except ImportError:
            raise ModelError(
                "The package xllamacpp, which runs models on this machine, is not installed.",
                "Install it: pip install 'groundframe[local]'",
                kind="not_installed",
            ) from None
        self.threads = threads or spare_cores()
        self.port = _free_port(port)
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(file)
        parameters.model_alias = {file.stem}
        parameters.hostnames, parameters.port = [HOST], self.port
        parameters.n_ctx, parameters.n_parallel = context, 1
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = self.threads
        parameters.cpuparams.poll = parameters.cpuparams_batch.poll = 0
        parameters.ui, parameters.endpoint_slots, parameters.endpoint_props = False, False, False
        parameters.warmup, parameters.verbosity = False, 0
        # A reply repeats much of the examples: what followed the same tokens is tried several at a time.
        guess = xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE
        parameters.speculative.types = [guess]
        parameters.speculative.ngram_simple.size_n = _SEEN
        parameters.speculative.ngram_simple.size_m = _GUESSED
        try:
            self._server: Any = xllamacpp.Server(parameters)
        except Exception as error:
            said = " ".join(str(error).split())[:200]
            raise ModelError(f"'{file}' cannot be loaded: {said}", "Use another GGUF file.") from None

    @property
    def url(self) -> str:
        """The address for ``GROUNDFRAME_MODEL_URL``."""
        return f"http://{HOST}:{self.port}/v1"

    def wait(self) -> None:
        """Wait until the weights are loaded.

        Raises
        ------
        ModelError
            When they are not within ten minutes.
        """
        deadline = time.monotonic() + _LOADING_S
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"http://{HOST}:{self.port}/health", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise ModelError(
            "The weights were not loaded within ten minutes.", "Use a smaller model.", kind="timeout"
        )


def spare_cores() -> int:
    """Cores of this process that others leave free, at least one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - round(os.getloadavg()[0]))


def _check(file: Path) -> None:
    try:
        with file.open("rb") as opened:
            begin = opened.read(len(_GGUF))
    except OSError as error:
        raise UsageError(f"'{file}' cannot be read ({error.strerror}).", "Name a GGUF file.") from None
    if begin != _GGUF:
        raise UsageError(
            f"'{file}' holds no weights in the format GGUF.", "docs/models.md says where to get one."
        )


def _free_port(port: int) -> int:
    with socket.socket() as probe:
        # What a server that has just ended leaves in the kernel is no obstacle; one that listens is.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise UsageError(
                f"Port {port} cannot be used ({error.strerror}).", "Name another with --port."
            ) from None
        return int(probe.getsockname()[1])
