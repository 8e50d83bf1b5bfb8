"""The ratios of a bench as a bar chart in SVG."""

from __future__ import annotations

from collections.abc import Iterator
from math import log10
from xml.sax.saxutils import escape

from groundframe.eval.bench.by_hand import Bound
from groundframe.eval.bench.report import OWN, Report

__all__ = ["bar_chart"]

COLOURS = ("#4c72b0", "#dd8452", "#55a868", "#8172b3", "#937860", "#c44e52", "#8c8c8c", "#ccb974")
_BAR, _GAP, _LEFT, _PLOT, _LEGEND = 9, 10, 90, 640, 22
_LEAST, _MOST = -0.6, 3.6


def bar_chart(report: Report) -> str:
    """Bars per class: how many times as long as groundframe each contestant needs, on a logarithmic scale.

    What was cut off at the limit ends in an arrow.
    """
    return "\n".join([*_lines(report), ""])


def _lines(report: Report) -> Iterator[str]:
    names = [name for name in report.contestants if name not in (OWN, Bound.name)]
    colours = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}
    top = _LEGEND * (1 + (len(names) + 3) // 4) + 20
    heights = {
        spec: _BAR * sum(report.ratio(spec, name) is not None for name in names) + _GAP
        for spec in report.classes
    }
    bottom = top + sum(heights.values())
    width, height = _LEFT + _PLOT + 60, bottom + 30
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">'
    )
    yield f'<rect width="{width}" height="{height}" fill="white"/>'
    title = "Times as long as groundframe (logarithmic; left of 1 is quicker)"
    yield f'<text x="10" y="16" font-size="13">{title}</text>'
    for number, name in enumerate(names):
        left, down = 10 + 200 * (number % 4), _LEGEND * (number // 4) + 28
        yield f'<rect x="{left}" y="{down}" width="10" height="10" fill="{colours[name]}"/>'
        yield f'<text x="{left + 15}" y="{down + 9}">{escape(name)}</text>'
    for power in range(4):
        x = _at(10.0**power)
        stroke = "#ccc" if power else "#000"
        yield f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" stroke="{stroke}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{10**power:,}</text>'
    y: float = top
    for spec in report.classes:
        yield f'<text x="{_LEFT - 8}" y="{y + heights[spec] / 2:.1f}" text-anchor="end">{escape(spec)}</text>'
        for name in names:
            ratio = report.ratio(spec, name)
            if ratio is None:
                continue
            start, end = sorted((_at(1), _at(ratio)))
            yield (
                f'<rect x="{start:.1f}" y="{y}" width="{max(end - start, 0.5):.1f}" height="{_BAR - 1}" '
                f'fill="{colours[name]}"/>'
            )
            label = f"{ratio:,.{1 if ratio < 10 else 0}f}{' →' if report.is_cut_off(spec, name) else ''}"
            yield f'<text x="{end + 4:.1f}" y="{y + 8}" font-size="9">{label}</text>'
            y += _BAR
        y += _GAP
    yield "</svg>"


def _at(ratio: float) -> float:
    """Where on the scale a ratio lies."""
    power = min(max(log10(max(ratio, 1e-9)), _LEAST), _MOST)
    return _LEFT + _PLOT * (power - _LEAST) / (_MOST - _LEAST)
