"""A batch that is killed in the middle and resumed, against the same batch undisturbed.

    DATABASE_URL=... python tests/batch/kill_and_resume.py --frames 500 --workers 1 4

Answers so many frames without disturbance. Then, for every number of workers: runs the batch in a process
that kills itself (SIGKILL) when half of the files are there and one more is half-written, looks whether what
is left is a beginning of the whole, tears the last lines, runs the batch again, and compares every file.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

import groundframe as gf

# These differ from run to run: they hold times, and the order in which frames were finished.
OWN = {"timings.jsonl", ".journal.jsonl"}


def make_frames(gis: gf.Connection, number: int) -> list[str]:
    """So many lines, most of them frames: lists, rankings, counts, groups, and what cannot be answered."""
    towns = [feature["properties"]["name"] for feature in gis.run(primary("Town"))]
    schools = Counter(feature["properties"]["name"] for feature in gis.run(primary("School")))
    namesakes = sorted(name for name, count in schools.items() if count > 1)
    return [line(n, towns[n % len(towns)], namesakes[n % len(namesakes)]) for n in range(number)]


def primary(entity: str, *more: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"targets": [{"entity": entity, "role": "primary"}, *more], **parts}


def line(n: int, town: str, namesake: str) -> str:
    scope = {"entity": "Town", "role": "scope", "names": [town]}
    support = {"entity": "Crash", "role": "support"}
    ranking = {"metric": "crash_count", "target_role": "primary", "order": "highest", "top_n": 5}
    near = {
        "target_role": "support",
        "reference_role": "primary",
        "relation": "within_distance",
        "distance_m": 300,
    }
    counted = {"measure": "crash_count", "target_role": "primary"}
    frames: tuple[Any, ...] = (
        primary("Crash", scope),
        primary("School", support, scope, spatial_constraints=[near], ranking=ranking),
        primary("BusStop", scope, question=f"Bus stops of {town}?"),
        primary("Crash", scope, measures=[counted], group_by=[{"target_role": "primary", "time": "year"}]),
        primary(
            "Crash",
            scope,
            attribute_constraints=[{"target_role": "primary", "field": "severity", "value": "Fatal"}],
        ),
        primary("Road", support, scope, ranking=ranking),
        primary("Spaceship", scope),
        '{"targets": [',
        primary("Crash", references=[{"entity": "School", "role": "anchor", "names": [namesake]}]),
        {"id": f"frame {n}", "frame": primary("Crosswalk", scope)},
    )
    frame = frames[n % len(frames)]
    return frame if isinstance(frame, str) else json.dumps(frame)


def killed_child(frames: Path, out: Path, workers: int, files: int) -> None:
    """Run the batch, and end this process when a file is written but has not got its name yet."""
    replace, left = Path.replace, [files]

    def replace_or_die(path: Path, target: Any) -> Path:
        if Path(target).suffix == ".geojson":
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return replace(path, target)

    Path.replace = replace_or_die  # type: ignore[assignment, method-assign]
    with gf.connect(os.environ["DATABASE_URL"]) as gis:
        gis.batch(frames, out, workers=workers)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in OWN}


def kill_and_resume(frames: Path, out: Path, workers: int, expected: dict[str, bytes]) -> str:
    """Kill, look, resume, compare; gives what was seen in words."""
    files = sum(name.endswith(".geojson") for name in expected)
    child = [sys.executable, __file__, "--child", str(frames), str(out), str(workers), str(files // 2)]
    killed = subprocess.run(child, check=False)
    assert killed.returncode == -signal.SIGKILL, killed
    left = content(out)
    manifest = left["manifest.jsonl"]
    assert expected["manifest.jsonl"].startswith(manifest), "the manifest is no beginning of the whole"
    unfinished = [name for name in left if name.startswith(".groundframe-")]
    assert unfinished, "nothing was half-written"
    whole = {name: (out / name).stat().st_mtime_ns for name in left if name.endswith(".geojson")}
    assert all(left[name] == expected[name] for name in whole), "a finished file is not whole"
    journal = (out / ".journal.jsonl").read_bytes().splitlines()
    for name in ("manifest.jsonl", ".journal.jsonl", "timings.jsonl"):
        with (out / name).open("ab") as file:
            file.write(b'{"line": 17, "sta')
    began = perf_counter()
    with gf.connect(os.environ["DATABASE_URL"]) as gis:
        report = gis.batch(frames, out, workers=workers)
    seconds = perf_counter() - began
    assert report.reused == len(journal), (report.reused, len(journal))
    again = content(out)
    assert again.keys() == expected.keys(), again.keys() ^ expected.keys()
    differing = [name for name, text in again.items() if text != expected[name]]
    assert not differing, differing
    kept = sum((out / name).stat().st_mtime_ns == time for name, time in whole.items())
    assert kept >= len(whole) - workers, "finished frames were answered again"
    return (
        f"{workers} workers: killed with {len(whole)} of {files} files, {len(manifest.splitlines())} "
        f"lines of the manifest, {len(unfinished)} of the files half-written; the next run took over "
        f"{report.reused} frames, and made the same {len(again)} files in {seconds:.1f} s."
    )


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--child"]:
        killed_child(Path(arguments[1]), Path(arguments[2]), int(arguments[3]), int(arguments[4]))
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4])
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name, gf.connect(os.environ["DATABASE_URL"]) as gis:
        folder = Path(name)
        frames = folder / "frames.jsonl"
        frames.write_text("".join(f"{text}\n" for text in make_frames(gis, options.frames)), encoding="utf-8")
        began = perf_counter()
        report = gis.batch(frames, folder / "whole", workers=2)
        say(f"Undisturbed, in {perf_counter() - began:.1f} s: {dict(sorted(report.states.items()))}")
        expected = content(folder / "whole")
        for workers in options.workers:
            say(kill_and_resume(frames, folder / f"killed_{workers}", workers, expected))


if __name__ == "__main__":
    main(sys.argv[1:])
