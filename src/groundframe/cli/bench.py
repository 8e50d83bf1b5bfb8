"""``groundframe bench``: how quick answers are, beside others who answer the same questions."""

from __future__ import annotations

import json
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundframe.cli.terminal import print_json, print_line, progress_bars, say

if TYPE_CHECKING:
    from groundframe.eval.bench.report import Report

__all__ = ["add_to"]

bench = typer.Typer(
    help="Measure speed on a synthetic state, beside statements by hand and other tools.",
    no_args_is_help=True,
)


class Size(StrEnum):
    """How large the state is."""

    small = "small"
    state = "state"


class Peer(StrEnum):
    """The other tools."""

    geopandas = "geopandas"
    duckdb = "duckdb"
    sedonadb = "sedonadb"


SizeOption = Annotated[Size, typer.Option(help="'state' has 1.5 million events, 'small' a fiftieth of it.")]
DatasetOption = Annotated[
    str | None,
    typer.Option(
        "--dataset", metavar="NAME", help="Dataset; by default named after the size.", show_default=False
    ),
]
ClassOption = Annotated[
    list[str] | None,
    typer.Option(
        "--class", metavar="NAME", help="Only classes whose name begins so; repeatable.", show_default=False
    ),
]
JsonOption = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all figures as JSON.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(bench, name="bench", rich_help_panel="Quality")


@bench.command()
def load(
    size: SizeOption = Size.small,
    dataset: DatasetOption = None,
    month: Annotated[
        bool, typer.Option("--month", help="Add the events of the last month after all others.")
    ] = False,
) -> None:
    """Load a synthetic state of that size, and an analyst's plain tables of the same rows beside it."""
    from groundframe.cli.load import owner_url
    from groundframe.cli.schema import chosen_pack
    from groundframe.eval.bench.classes import load_catalogue
    from groundframe.eval.bench.loading import ADDING, MAKING_UP, PLAIN, SIZES, Phases, load_bench
    from groundframe.postgis.connect import Database
    from groundframe.schema.packs import load_pack

    name = _dataset(size, dataset)
    with progress_bars() as progress, Database(owner_url()) as database:
        pack, phases = load_pack(chosen_pack(None)), Phases(progress)
        last = load_bench(database, pack, load_catalogue(), name, SIZES[size], phases, month=month)
    first, added = [0.0, 0.0], [0.0, 0.0]
    for what, passed, own in phases.seconds():
        say(f"{passed:8.1f} s, {own:6.1f} s of them by this process: {what}")
        if what not in (PLAIN, MAKING_UP):
            spent = added if what.startswith(ADDING) else first
            spent[0] += passed
            spent[1] += own
    say(f"The dataset '{name}' is loaded, after {first[0]:,.0f} seconds ({first[1]:,.0f} by this process).")
    if month:
        took = f"{added[0]:,.1f} seconds ({added[1]:,.1f} by this process)"
        say(f"The events of {last.month:%Y-%m} were added to it in {took}.")


@bench.command()
def run(
    size: SizeOption = Size.small,
    dataset: DatasetOption = None,
    only: ClassOption = None,
    peers: Annotated[
        list[Peer] | None,
        typer.Option("--peer", help="Ask this tool as well; repeatable.", show_default=False),
    ] = None,
    all_peers: Annotated[bool, typer.Option("--peers", help="Ask all other tools as well.")] = False,
    seed: Annotated[
        int, typer.Option(metavar="S", help="What radii, places and filters are drawn from.")
    ] = 1,
    drawn: Annotated[int, typer.Option(min=0, metavar="N", help="Cases drawn of each class.")] = 2,
    rounds: Annotated[int, typer.Option(min=1, metavar="N", help="How often each case is measured.")] = 5,
    limit: Annotated[
        float, typer.Option(min=0.001, metavar="SECONDS", help="When an answer is cut off.")
    ] = 60.0,
    json_file: JsonOption = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a chart of the ratios.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Put the tables into this page, between its marks.")
    ] = None,
) -> None:
    """Answer every class of questions, in turn with statements by hand and other tools.

    All must give the same answers, or the run fails. Nothing is kept from one answer for another.
    """
    from groundframe.api import connect
    from groundframe.eval.bench.bench import run_bench
    from groundframe.eval.bench.classes import load_catalogue
    from groundframe.eval.bench.page import put_between

    if markdown is not None:
        put_between(markdown, "bench", "")
    chosen = list(Peer) if all_peers else list(dict.fromkeys(peers or ()))
    with connect(dataset=_dataset(size, dataset), timeout_s=limit) as gis, progress_bars() as progress:
        report = run_bench(
            gis.dataset,
            load_catalogue(),
            classes=only or (),
            peers=[peer.value for peer in chosen],
            seed=seed,
            drawn=drawn,
            rounds=rounds,
            limit_s=limit,
            progress=progress,
        )
    _write(report, json_file, svg, markdown)
    _print(report.markdown())


def _write(report: Report, json_file: Path | None, svg: Path | None, markdown: Path | None) -> None:
    from groundframe.eval.bench.chart import bar_chart
    from groundframe.eval.bench.page import put_between
    from groundframe.formats.files import written_whole

    texts = []
    if json_file is not None:
        texts.append((json_file, f"{json.dumps(report.as_dict(), indent=1)}\n"))
    if svg is not None:
        texts.append((svg, bar_chart(report)))
    if markdown is not None:
        texts.append((markdown, put_between(markdown, "bench", report.markdown())))
    for path, text in texts:
        with written_whole(path) as out:
            out.write(text.encode())


@bench.command()
def scale(
    part: Annotated[
        list[float] | None,
        typer.Option(
            min=0.001, max=10, metavar="PART", help="Part of the whole state; repeatable.", show_default=False
        ),
    ] = None,
    only: ClassOption = None,
    rounds: Annotated[int, typer.Option(min=1, metavar="N", help="How often each case is measured.")] = 5,
    keep: Annotated[
        bool, typer.Option("--keep", help="Use the datasets that are there, and keep them.")
    ] = False,
) -> None:
    """Repeat the classes at growing sizes (1/50, 1/10, 1 and 3), and print how the time grows with the data.

    An exponent of 1 means twice the time for twice the data.
    """
    from groundframe.cli.load import owner_url
    from groundframe.cli.schema import chosen_pack
    from groundframe.eval.bench.classes import load_catalogue
    from groundframe.eval.bench.scale import SCALES, growth
    from groundframe.postgis.connect import Database
    from groundframe.schema.packs import load_pack

    with progress_bars() as progress, Database(owner_url()) as database:
        found = growth(
            database,
            load_pack(chosen_pack(None)),
            load_catalogue(),
            parts=sorted(part or SCALES),
            classes=only or (),
            rounds=rounds,
            keep=keep,
            progress=progress,
        )
    _print(found.markdown())


@bench.command()
def concurrency(
    planners: Annotated[
        list[int] | None,
        typer.Option(
            min=1, max=200, metavar="N", help="How many ask at a time; repeatable.", show_default=False
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="How long each lasts.")] = 60.0,
    size: SizeOption = Size.small,
    dataset: DatasetOption = None,
    connections: Annotated[int, typer.Option(min=1, metavar="N", help="Connections of the pool.")] = 5,
    loading: Annotated[
        bool, typer.Option("--loading", help="Load a small state beside them, again and again.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="S", help="What is asked is drawn from this.")] = 1,
) -> None:
    """Let 1, 8 and 32 planners ask the mixed classes, one after the other, and show how long they wait."""
    from groundframe.api import connect
    from groundframe.cli.load import owner_url
    from groundframe.eval.bench.classes import load_catalogue
    from groundframe.eval.bench.concurrency import PLANNERS, crowd
    from groundframe.eval.bench.loading import load_and_drop
    from groundframe.postgis.connect import Database
    from groundframe.postgis.datasets import open_dataset

    name = _dataset(size, dataset)
    with connect(dataset=name) as gis:
        url, pack = gis.dataset.database.url, gis.pack
    load = partial(load_and_drop, owner_url(), pack) if loading else None
    failed = 0
    print_line("| planners | answers/s | p50 ms | p95 ms | slowest ms | errors | loads |")
    print_line("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for count in planners or PLANNERS:
        with Database(url, reading=True, pool_size=connections, acquire_timeout=60.0) as database:
            found = crowd(open_dataset(database, name), load_catalogue(), count, seconds, seed, load)
        print_line(found.line())
        for message in found.errors[:3]:
            say(message, "red")
        failed += len(found.errors)
    if failed:
        raise typer.Exit(1)


@bench.command(name="compile")
def compile_frames(
    size: SizeOption = Size.small,
    dataset: DatasetOption = None,
    seed: Annotated[int, typer.Option(metavar="S", help="What is asked is drawn from this.")] = 1,
    drawn: Annotated[int, typer.Option(min=0, metavar="N", help="Cases drawn of each class.")] = 3,
    rounds: Annotated[int, typer.Option(min=1, metavar="N", help="How often each case is compiled.")] = 20,
) -> None:
    """Compile the classes, one after the other: milliseconds from a checked frame to SQL."""
    from groundframe.api import connect
    from groundframe.eval.bench.classes import load_catalogue
    from groundframe.eval.bench.compiling import compile_all

    with connect(dataset=_dataset(size, dataset)) as gis:
        print_json(compile_all(gis.dataset, load_catalogue(), seed=seed, drawn=drawn, rounds=rounds))


@bench.command()
def stream(size: SizeOption = Size.small, dataset: DatasetOption = None) -> None:
    """Stream all events, ordered, to GeoJSON: features a second, and the memory that this process needed."""
    from groundframe.api import connect
    from groundframe.eval.bench.streaming import stream_all

    with connect(dataset=_dataset(size, dataset)) as gis:
        print_json(stream_all(gis.dataset))


def _print(text: str) -> None:
    for line in text.splitlines():
        print_line(line)


def _dataset(size: Size, dataset: str | None) -> str:
    return dataset or f"bench_{size.value}"
