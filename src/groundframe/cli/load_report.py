"""The load report for people: what was read, what became of it, and what does not fit together."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from groundframe.cli.terminal import print_line
from groundframe.formats.cells import visible
from groundframe.formats.notes import number

if TYPE_CHECKING:
    from groundframe.postgis.load.check import TotalCheck

__all__ = ["notes", "print_checks", "print_report"]

_NAMED = 5


def print_report(report: Mapping[str, Any]) -> None:
    """Print the report: files, sources, and every finding as a sentence."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    for title, headings, rows in (_files(report), _sources(report)):
        if rows:
            table = Table(
                box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False
            )
            for position, heading in enumerate(headings):
                table.add_column(heading, justify="left" if position < 2 else "right", overflow="fold")
            for row in rows:
                table.add_row(*(Text(visible(cell)) for cell in row))
            console.print(table)
    for line in notes(report):
        console.print(Text(visible(line)), soft_wrap=True)


Block = tuple[str, Sequence[str], list[Sequence[str]]]


def print_checks(checks: Sequence[TotalCheck]) -> None:
    """Print how the loaded rows compare with official totals; the ones that should agree one by one."""
    expected = [check for check in checks if check.complete]
    for check in expected:
        stated = "" if check.stated is None else f", {number(check.stated)} state it"
        counted, loaded = number(check.official), number(check.loaded)
        print_line(
            f"{check.area} {check.year}: {counted} counted officially, {loaded} loaded "
            f"({check.difference:+,}){stated}."
        )
    if not checks:
        print_line("There are no official totals to compare with what is loaded.")
        return
    agreeing = sum(check.difference == 0 for check in checks)
    print_line(
        f"{number(len(checks))} official total{'' if len(checks) == 1 else 's'} compared, "
        f"{number(agreeing)} agree{'s' if agreeing == 1 else ''}; {number(len(expected))} "
        f"{'is' if len(expected) == 1 else 'are'} of an area and year that a loaded source covers completely."
    )


def _files(report: Mapping[str, Any]) -> Block:
    rows: list[Sequence[str]] = [
        (
            file["file"],
            file["source"] or "not read",
            *(number(file[part]) for part in ("rows_read", "loaded", "left_out")),
            number(_total(file["rejected"])),
            number(file["without_coordinates"]),
        )
        for file in report["files"]
        if file["source"] and file["sha256"]
    ]
    return "Files", ("file", "source", "read", "loaded", "left out", "rejected", "no coordinates"), rows


def _sources(report: Mapping[str, Any]) -> Block:
    rows: list[Sequence[str]] = [
        (
            source["entity"],
            source["title"],
            number(source["rows"]),
            number(source["rows"] - source["located"]),
            " to ".join(day for day in (source["first"], source["last"]) if day),
            _coverage(source["coverage"]),
        )
        for source in report["sources"]
    ]
    return "In the dataset", ("entity", "source", "rows", "no coordinates", "dates", "coverage"), rows


def _coverage(coverage: Mapping[str, Any] | None) -> str:
    return f"{coverage['area']}, {coverage['completeness']}" if coverage else ""


def notes(report: Mapping[str, Any]) -> Iterator[str]:
    """Every finding as a sentence."""
    said = {source["notice"] for source in report["sources"]}
    for file in report["files"]:
        for sentence in _findings(file):
            if sentence not in said:
                yield f"{file['file']}: {sentence}"
    for source in report["sources"]:
        coverage = source["coverage"] or {}
        for gap in coverage.get("breaks", ()):
            yield f"{source['title']}: {gap}."
        if _outside(source, coverage):
            yield (
                f"{source['title']}: dates from {source['first']} to {source['last']} go beyond the period "
                f"that the source declares, {coverage['first']} to {coverage['last']}."
            )
        if source["notice"] and not source["synthetic"]:
            yield f"{source['title']}: {source['notice']}"
    for came in report["rows"]:
        if came["repeated"]:
            yield f"{came['entity']}: {_rows(came['repeated'])} repeated exactly, and loaded once."
    for link in report["links"]:
        yield from _link(link)
    for overlap in report["overlaps"]:
        one, other = overlap["sources"]
        yield (
            f"{_rows(overlap['rows'])} of {one} and {other} look like the same {overlap['entity']} "
            f"(same day and time, within {overlap['distance_m']:g} m), "
            f"{overlap['first']} to {overlap['last']}; none was merged."
        )
    yield from _end(report)


def _outside(source: Mapping[str, Any], coverage: Mapping[str, Any]) -> bool:
    """Whether a row is dated where the source has none; days as ISO text, which sorts by time."""
    first, last = coverage.get("first"), coverage.get("last")
    early = bool(first and source["first"] and source["first"] < first)
    return early or bool(last and source["last"] and source["last"] > last)


def _findings(file: Mapping[str, Any]) -> Iterator[str]:
    yield from file["notes"]
    if file["collected"]:
        yield f"{_rows(file['collected'])}: further parts of features counted before."
    for reason, finding in file["rejected"].items():
        yield f"{_rows(finding['count'])} rejected, {reason}{_examples(finding)}."
    for reason, finding in file["coordinates_refused"].items():
        yield f"{_rows(finding['count'])} loaded without coordinates, {reason}{_examples(finding)}."
    for kind, names in file["repaired"].items():
        yield f"geometry repaired ({kind}): {_some(names)}."
    for field, strays in file["unknown_values"].items():
        values = sorted(strays, key=lambda value: (-strays[value]["count"], value))
        total = sum(stray["count"] for stray in strays.values())
        shown = _some([f"'{value}' ({number(strays[value]['count'])})" for value in values])
        yield f"{field}: {_rows(total)} with a value outside the vocabulary, counted as unknown: {shown}."
    if file["disagreement"] and file["disagreement"]["count"]:
        apart = file["disagreement"]
        yield (
            f"{_rows(apart['count'])} with two positions more than {apart['threshold_m']:g} m apart, "
            f"at most {apart['max_m']:,.0f} m{_examples(apart)}."
        )


def _link(link: Mapping[str, Any]) -> Iterator[str]:
    name = f"{link['entity']}.{link['link']}"
    bases = ", ".join(f"{basis} {number(count)}" for basis, count in link["basis"].items() if count)
    if bases:
        yield f"{name}: {bases}."
    if link["stated_elsewhere"]:
        pairs = [
            f"{pair['stated']} lies in {pair['found'] or 'no ' + link['to']} ({number(pair['rows'])})"
            for pair in link["examples"]
        ]
        yield f"{name}: {_rows(link['stated_elsewhere'])} not where stated: {_some(pairs)}."
    if link["located_outside"]:
        yield f"{name}: {_rows(link['located_outside'])} with coordinates in no {link['to']}."
    if link["stated_unknown"]:
        yield f"{name}: {_rows(link['stated_unknown'])} with a name stated that no {link['to']} bears."


def _end(report: Mapping[str, Any]) -> Iterator[str]:
    if report["synthetic"]:
        yield "Synthetic: everything in this dataset is invented, whatever names it bears."
    state = "is loaded" if report["changed"] else "held all of this already and is as it was"
    yield (
        f"Dataset '{report['dataset']}' {state}: pack {report['pack']} {report['pack_version']}, "
        f"data version {report['data_version'][:12]}."
    )


def _rows(count: int) -> str:
    return f"{number(count)} row{'' if count == 1 else 's'}"


def _total(findings: Mapping[str, Any]) -> int:
    return sum(finding["count"] for finding in findings.values())


def _examples(finding: Mapping[str, Any]) -> str:
    rows = [str(example["row"]) for example in finding["examples"][:_NAMED]]
    return f" (row{'' if len(rows) == 1 else 's'} {', '.join(rows)})" if rows else ""


def _some(words: Sequence[str]) -> str:
    more = len(words) - _NAMED
    return "; ".join(words[:_NAMED]) + (f"; and {number(more)} more" if more > 0 else "")
