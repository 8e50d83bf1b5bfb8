"""The public API: frames in, answers out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Literal, get_args

from groundframe.answer import Answer, sql_of
from groundframe.arguments import (
    checked_choices,
    checked_count,
    checked_path,
    checked_row_limit,
    checked_seconds,
    require_type,
)
from groundframe.compiler.compile import compile_frame
from groundframe.errors import DatabaseError, DatasetError, UsageError
from groundframe.outcomes import require_checked
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import Dataset, dataset_names, open_dataset
from groundframe.postgis.execute import analyze as run_counts
from groundframe.postgis.names import DatasetNames
from groundframe.postgis.server import LocalServer
from groundframe.query import Query
from groundframe.schema.model import Pack
from groundframe.schema.packs import load_pack, only_pack
from groundframe.source import FrameSource, read_source
from groundframe.validator.engine import validate as check
from groundframe.validator.geocoder import ConfiguredGeocoder
from groundframe.validator.outcomes import Checked, NeedsChoice, Outcome, Rejected

if TYPE_CHECKING:
    from groundframe.asking import Reply
    from groundframe.audit.reading import RecordSource
    from groundframe.batch.choices import Answered
    from groundframe.batch.pool import Watch
    from groundframe.batch.reading import Frames
    from groundframe.batch.report import BatchReport
    from groundframe.frames.interpretation import Interpretation
    from groundframe.replay import Replay

__all__ = ["Connection", "connect", "validate"]

Form = Literal["words", "dot", "json", "sql"]
FORMS = get_args(Form)
InterpreterName = Literal["auto", "lexical", "model"]
ROW_LIMIT = 10_000
TIMEOUT_S = 60.0


def connect(
    url: str | None = None, dataset: str | None = None, *, timeout_s: float = TIMEOUT_S
) -> Connection:
    """Connect to a dataset.

    Parameters
    ----------
    url : str, optional
        A libpq URL; by default ``DATABASE_URL``, else the local server, which is started when it is down.
    dataset : str, optional
        Name of the dataset; needed where the database holds several.
    timeout_s : float
        Seconds that one answer may take.

    Returns
    -------
    Connection
        Close it when done, or use it in a ``with`` statement.

    Raises
    ------
    UsageError
        When an argument is of another kind.
    DatabaseError
        When there is no database.
    """
    checked_seconds(timeout_s, "timeout_s")
    for value, what in ((url, "The URL of a database"), (dataset, "The name of a dataset")):
        require_type(value, (str, type(None)), f"{what} is a text")
    return Connection(url or os.environ.get("DATABASE_URL", "").strip() or _local_url(), dataset, timeout_s)


def _local_url() -> str:
    server = LocalServer()
    status = server.status()
    if status.state == "absent":
        raise DatabaseError("There is no database yet.", "Make one with data: groundframe load demo")
    if not status.running:
        server.start()
    return server.reader_url


def validate(
    frame: FrameSource, *, pack: str | Pack | None = None, choices: Mapping[str, str] | None = None
) -> Outcome:
    """Check a frame without a database: everything but the names of places and features.

    Parameters
    ----------
    frame : FrameSource
        The frame.
    pack : str or Pack, optional
        The schema pack, or its name; needed where there are several.
    choices : mapping, optional
        Answers to an earlier `NeedsChoice`: path to key.

    Examples
    --------
    >>> outcome = validate({"targets": [{"entity": "Spaceship", "role": "primary"}]})
    >>> [issue.path for issue in outcome.issues]
    ['/targets/0/entity']
    """
    require_type(pack, (str, Pack, type(None)), "A pack, or its name, belongs here")
    found = pack if isinstance(pack, Pack) else load_pack(only_pack() if pack is None else pack)
    return check(read_source(frame), found, None, choices=checked_choices(choices))


class Connection:
    """A dataset in a database, ready for frames; see :func:`connect`."""

    def __init__(
        self, url: str, dataset: str | None, timeout_s: float, connections: int = 5, *, pinned: bool = False
    ) -> None:
        self._url = url
        self._database = Database(url, reading=True, pool_size=connections)
        self._name = dataset
        self._timeout = timeout_s
        self._pinned = pinned
        self._opened: DatasetNames | None = None

    @property
    def dataset(self) -> Dataset:
        """The dataset, opened when it is first needed, and again after a load has replaced it."""
        return self._names.dataset

    @property
    def pack(self) -> Pack:
        """The schema pack that the dataset was loaded under."""
        return self.dataset.pack

    def datasets(self) -> tuple[str, ...]:
        """Names of all datasets in the database."""
        return dataset_names(self._database)

    def validate(self, frame: FrameSource, choices: Mapping[str, str] | None = None) -> Outcome:
        """Check a frame.

        What neither the dataset nor the pack's gazetteer know is looked up by the geocoder of the user's
        settings, where there is one.

        Returns
        -------
        Checked, NeedsChoice or Rejected
            The checked frame with its repairs, the choices that are open, or every issue.

        Raises
        ------
        FrameError
            When the document is no frame at all.
        """
        chosen = checked_choices(choices)
        return check(read_source(frame), self.pack, self._names, choices=chosen, geocoder=self._geocoder)

    def compile(self, frame: FrameSource | Outcome, choices: Mapping[str, str] | None = None) -> Query:
        """Compile a frame, or the outcome of its validation.

        Raises
        ------
        RejectedError, UnsupportedError, NeedsChoiceError
            When the frame cannot be answered as it stands.
        """
        checked_choices(choices)
        outcome = (
            frame if isinstance(frame, Checked | NeedsChoice | Rejected) else self.validate(frame, choices)
        )
        checked = require_checked(outcome)
        began = perf_counter()
        plan = compile_frame(checked.frame, self.pack, self.dataset.physical)
        return Query(checked, plan, self.pack, self.dataset.data_version, perf_counter() - began)

    def execute(self, query: Query, row_limit: int | None = ROW_LIMIT) -> Answer:
        """Run a compiled frame.

        Parameters
        ----------
        query : Query
            What :meth:`compile` gives.
        row_limit : int or None
            The most rows to read; when there are more the answer says ``truncated`` and how many. None
            streams all of them, without holding them in memory.

        Raises
        ------
        UsageError
            When the row limit is no positive number.
        DatasetError
            When the query was compiled for data that a load has replaced.
        """
        _require_query(query)
        checked_row_limit(row_limit)
        if query.data_version not in ("", self.dataset.data_version):
            raise DatasetError(
                f"Dataset '{self.dataset.name}' was loaded anew after the query was compiled.",
                "Compile the frame again.",
            )
        return Answer(query, self.dataset, row_limit=row_limit, timeout_s=self._timeout)

    def run(
        self,
        frame: FrameSource,
        choices: Mapping[str, str] | None = None,
        row_limit: int | None = ROW_LIMIT,
    ) -> Answer:
        """Answer a frame: validate, compile and execute it.

        Parameters
        ----------
        frame : FrameSource
            A path, a dictionary, JSON text or a :class:`Frame`.
        choices : mapping, optional
            Which candidate is meant where a name has several: path to key, as a `NeedsChoiceError` lists
            them.
        row_limit : int or None
            See :meth:`execute`.

        Raises
        ------
        FrameError, RejectedError, UnsupportedError, NeedsChoiceError
            When the frame cannot be answered as it stands.
        DatabaseError
            When the database stops the query.
        """
        while True:
            # Names, plan and rows of one dataset, should another thread find that it was replaced.
            dataset = self.dataset
            answer = self.execute(self.compile(frame, choices), row_limit)
            if self.dataset is dataset:
                return answer

    def interpret(self, question: str, interpreter: InterpreterName = "auto") -> Interpretation:
        """Read a question in plain words.

        Parameters
        ----------
        question : str
            At most 1,000 characters.
        interpreter : {'auto', 'lexical', 'model'}
            Who reads it; ``auto`` tries one after the other until every word is understood.

        Returns
        -------
        Interpretation
            The frame, which is still to be validated; or the words that were not understood; or the reason
            why the question is not answered.
        """
        from groundframe.asking import interpreted

        require_type(question, str, "A question is a text")
        return interpreted(question, interpreter, self.pack, self._names)

    def ask(
        self,
        question: str,
        interpreter: InterpreterName = "auto",
        choices: Mapping[str, str] | None = None,
        row_limit: int | None = ROW_LIMIT,
    ) -> Reply:
        """Answer a question in plain words.

        Returns
        -------
        Reply
            The answer, how the question was read, and the answer in one sentence.

        Raises
        ------
        NotUnderstoodError
            When a word is not understood; what the others say is not answered alone.
        RejectedError, UnsupportedError, NeedsChoiceError
            When the question cannot be answered as it stands.
        """
        from groundframe.asking import asked, chosen_question

        interpretation = chosen_question(
            self.interpret(question, interpreter),
            checked_choices(choices),
            lambda meant: self.interpret(meant, interpreter),
        )
        frame = asked(interpretation, self.pack)
        return self.reply(interpretation, self.validate(frame, choices), row_limit)

    def reply(
        self, interpretation: Interpretation, outcome: Outcome, row_limit: int | None = ROW_LIMIT
    ) -> Reply:
        """Answer what :meth:`interpret` read and :meth:`validate` checked; see :meth:`ask`."""
        from groundframe.asking import Reply, checked_in_words, reading_of, understood
        from groundframe.frames.interpretation import Interpretation
        from groundframe.sentences import sentence

        require_type(interpretation, Interpretation, "What interpret() gives belongs here")
        require_type(outcome, (Checked, NeedsChoice, Rejected), "What validate() gives belongs here")
        checked = checked_in_words(interpretation, outcome, self.pack)
        answer = self.execute(self.compile(checked), row_limit)
        answer.reading = reading_of(interpretation)
        said = understood(answer, checked, self.dataset, interpretation)
        return Reply(interpretation, answer, said, sentence(answer))

    def batch(
        self,
        frames: Frames,
        out: str | os.PathLike[str],
        *,
        format: str = "geojson",
        workers: int | None = None,
        row_limit: int | None = None,
        choices: Answered | None = None,
        fail_fast: bool = False,
        restart: bool = False,
        patience_s: float = 30.0,
        progress: Watch | None = None,
    ) -> BatchReport:
        """Answer many frames, each into a file of its own; what was finished before is not done again.

        Parameters
        ----------
        frames : Frames
            A list of frames, or the path of a folder or of a file in JSON Lines.
        out : path-like
            The folder of the batch: answers, ``manifest.jsonl``, ``choices.jsonl``.
        format : {'geojson', 'csv', 'xlsx', 'gpkg', 'parquet', 'json'}
            Of the answers.
        workers : int, optional
            How many frames are answered at a time; by default as many as there are processors, up to 4.
        row_limit : int, optional
            The most rows of an answer.
        choices : path-like or iterable of dict, optional
            ``choices.jsonl``, or its lines, with the answers filled in.
        fail_fast : bool
            Whether to end at the first frame that is not answered.
        restart : bool
            Whether to remove what an earlier batch has left in the folder.
        patience_s : float
            Seconds to wait for a database that went away.
        progress : callable, optional
            Is given a `BatchProgress` after every frame.

        Returns
        -------
        BatchReport
            How many frames ended how, the manifest, and the questions that are open.

        Raises
        ------
        UsageError
            When there are no frames, or `out` holds something else.
        OutputError
            When there is no room for the answers.
        """
        from groundframe.batch.batch import run_batch

        self._require_open()
        checked_path(out)
        checked_seconds(patience_s, "patience_s", least=False)
        checked_row_limit(row_limit)
        if progress is not None and not callable(progress):
            raise UsageError(f"What is told of the progress is to be called, and {progress!r} cannot be.")
        workers = checked_count(workers, "workers") or min(4, os.cpu_count() or 1)
        # As many connections as there are workers, so that none waits for another.
        with Connection(self._url, self._name, self._timeout, workers, pinned=True) as own:
            return run_batch(
                own,
                frames,
                out,
                workers=workers,
                format=format,
                row_limit=row_limit,
                choices=choices,
                fail_fast=fail_fast,
                restart=restart,
                patience_s=patience_s,
                watch=progress or (lambda _: None),
            )

    def replay(self, record: RecordSource) -> Replay:
        """Run the frame of an audit record again, with the recorded choices, and compare.

        The recorded SQL is never run.

        Parameters
        ----------
        record : RecordSource
            The record as :meth:`Answer.audit` gives it, JSON text, or the path of a file.

        Returns
        -------
        Replay
            Whether the answer is the same, and what differs at which stage.

        Raises
        ------
        RecordError
            When the record cannot be used.
        """
        from groundframe.replay import replayed

        kinds = (Mapping, str, bytes, os.PathLike)
        require_type(record, kinds, "A record is a mapping, JSON text or the path of a file")
        return replayed(self, record)

    def explain(self, query: Query, form: Form = "words", *, analyze: bool = False) -> str:
        """How a compiled frame is answered.

        Parameters
        ----------
        query : Query
            What :meth:`compile` gives.
        form : {'words', 'dot', 'json', 'sql'}
            Numbered steps, a drawing for Graphviz, the plan as JSON, or the two statements with their
            parameters.
        analyze : bool
            Count the rows that leave every node of the plan, and write them behind the steps; takes longer.
        """
        from groundframe.compiler import explain

        self._require_open()
        _require_query(query)
        if form not in FORMS:
            raise UsageError(f"There is no form '{form}'.", f"Forms: {', '.join(FORMS)}.")
        if analyze and form != "words":
            raise UsageError(f"Rows are counted in the plan in words, not in its form '{form}'.")
        if form == "sql":
            return sql_of(query, self.dataset)
        if form == "words":
            counts = run_counts(self.dataset, query.plan, timeout_s=self._timeout) if analyze else None
            return explain.in_words(query.plan, counts)
        return explain.as_dot(query.plan) if form == "dot" else explain.as_json(query.plan)

    def close(self) -> None:
        """Close the connections to the database; what is asked of it from then on is refused.

        An answer whose rows were read with a limit has them, and can still be shown and written.
        """
        self._database.close()

    def __enter__(self) -> Connection:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _require_open(self) -> None:
        self._database.require_open()

    @property
    def _names(self) -> DatasetNames:
        self._require_open()
        opened = self._opened
        if opened is None or (opened.dataset.replaced.is_set() and not self._pinned):
            opened = self._opened = DatasetNames(open_dataset(self._database, self._name))
        return opened

    @cached_property
    def _geocoder(self) -> ConfiguredGeocoder:
        return ConfiguredGeocoder(self.pack)


def _require_query(query: Query) -> None:
    """Refuse a frame, and whatever else is no compiled frame."""
    hint = "Compile a frame first: compile(frame); run(frame) does all of it at once."
    require_type(query, Query, "A compiled frame belongs here", hint)
