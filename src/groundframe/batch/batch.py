"""A batch from beginning to end."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from groundframe.batch.answering import Asker, Came, Writer
from groundframe.batch.choices import Answered, open_questions, read_answers
from groundframe.batch.folder import CHOICES, Folder
from groundframe.batch.pool import BatchProgress, Run, Task, Watch
from groundframe.batch.reading import Frames, Job, read_jobs
from groundframe.batch.report import BatchReport, frames_in_words
from groundframe.errors import OutputError, UsageError
from groundframe.formats.registry import format_named
from groundframe.serialise import encode
from groundframe.validator.geocoder_settings import read_settings

__all__ = ["run_batch"]

_AGAIN = "run the same batch again: it goes on from there."


def run_batch(
    gis: Asker,
    frames: Frames,
    out: str | os.PathLike[str],
    *,
    workers: int,
    format: str,
    row_limit: int | None,
    choices: Answered | None,
    fail_fast: bool,
    restart: bool,
    patience_s: float,
    watch: Watch,
) -> BatchReport:
    """Answer frames into a folder; see :meth:`groundframe.Connection.batch`."""
    if workers < 1:
        raise UsageError(f"A batch needs a worker, and {workers} are none.", "Give 1 or more.")
    chosen = format_named(format)
    jobs = read_jobs(frames)
    settings = _settings(gis, chosen.name, row_limit)
    given = {} if choices is None else read_answers(choices)
    _check_given(given, jobs)
    with Folder.opened(Path(out)) as folder:
        if restart:
            folder.restart()
        _check_folder(folder, jobs, given)
        remembered = folder.answers()
        tasks = [_task(job, remembered, given, settings) for job in jobs]
        writer = Writer(gis, folder.path, chosen, row_limit)
        run = Run(writer, folder, tasks, fail_fast=fail_fast, watch=watch)

        def say(text: str) -> None:
            watch(BatchProgress(sum(came is not None for came in run.came), len(jobs), text))

        for text in _beginning(folder, settings, run, len(jobs)):
            say(text)
        try:
            run.begin(settings)
            run.finish(workers, patience_s)
            came = _finish(folder, run, jobs, say)
        except OutputError as error:
            raise OutputError(error.message, f"What is finished stays. Make room, and {_AGAIN}") from error
        if run.interrupted:
            say(f"Interrupted. What is finished stays; {_AGAIN}")
            raise KeyboardInterrupt
    states = Counter(str(one.entry["state"]) for one in came)
    return BatchReport(folder.path, len(jobs), dict(states), run.reused)


def _finish(folder: Folder, run: Run, jobs: list[Job], say: Callable[[str], None]) -> list[Came]:
    """Leave in the folder what belongs to the lines of the manifest, and give these."""
    came = [one for one in run.came[: run.written] if one is not None]
    folder.ask(
        [open_questions(job, one.choices) for job, one in zip(jobs, came, strict=False) if one.choices]
    )
    if len(came) == len(jobs):
        removed = folder.remove_all_but({name for one in came for name in one.entry.get("sha256", ())})
        if removed:
            say(f"Removed files of earlier runs that belong to no frame any more: {removed:,}.")
    return came


def _settings(gis: Asker, format: str, row_limit: int | None) -> dict[str, Any]:
    """What all answers have in common, and depend on."""
    dataset, geocoder = gis.dataset, read_settings()
    return {
        "program": f"groundframe {version('groundframe')}",
        "dataset": dataset.name,
        "data_version": dataset.data_version,
        "pack": dataset.pack.name,
        "pack_digest": dataset.pack.digest,
        "format": format,
        "row_limit": row_limit,
        # Digested, as there may be keys of services among the settings.
        "geocoder": _digest(geocoder) if geocoder else None,
    }


_CHANGES = {
    "program": "the program was {old} and is {new}",
    "data_version": "the data were others",
    "pack_digest": "the schema pack was another",
    "format": "the format was {old} and is {new}",
    "row_limit": "the limit of rows was {old} and is {new}",
    "geocoder": "the settings of the geocoder were others",
}


def _beginning(folder: Folder, settings: Mapping[str, Any], run: Run, total: int) -> Iterator[str]:
    """What to say before the first frame: what is not done again, and why something is."""
    before = folder.settings
    changes = [
        words.format(old=before[name] or "none", new=settings[name] or "none")
        for name, words in _CHANGES.items()
        if name in before and before[name] != settings[name]
    ]
    if changes:
        yield f"All frames are answered again: {'; '.join(changes)}."
    if folder.damaged:
        yield f"Answered again, as files are missing or were changed: {frames_in_words(folder.damaged)}."
    if run.reused:
        yield f"Finished before: {run.reused:,} of {frames_in_words(total)}."


def _task(
    job: Job,
    remembered: Mapping[str, Mapping[str, str]],
    given: Mapping[str, Mapping[str, str]],
    settings: Mapping[str, Any],
) -> Task:
    """The frame with its choices: what it came with, what was answered before, what is answered now."""
    choices = {**job.choices, **remembered.get(job.digest, {}), **given.get(job.digest, {})}
    depends = {name: part for name, part in settings.items() if name in _CHANGES}
    return Task(job, choices, _digest([job.stem, job.digest, sorted(choices.items()), depends]))


def _check_given(given: Mapping[str, Mapping[str, str]], jobs: list[Job]) -> None:
    """Refuse answers to frames that are not here."""
    strange = given.keys() - {job.digest for job in jobs}
    if strange:
        count = frames_in_words(len(strange))
        raise UsageError(
            f"Choices are for {count} that this batch does not have.", "Give those of this batch."
        )


def _check_folder(folder: Folder, jobs: list[Job], given: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse to lose what is in the folder."""
    there = folder.frames()
    if there and there.isdisjoint(job.digest for job in jobs):
        raise UsageError(
            f"'{folder.path}' holds a batch of other frames.",
            "Choose another folder, or replace it: --restart",
        )
    path = folder.path / CHOICES
    filled = read_answers(path) if path.exists() else {}
    if any(given.get(frame) != answers for frame, answers in filled.items()):
        raise UsageError(f"'{path}' holds answers that were not handed in.", f"Add --choices '{path}'.")


def _digest(content: Any) -> str:
    return hashlib.sha256(encode(content).encode()).hexdigest()
