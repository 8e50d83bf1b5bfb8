"""The YAML of golden frames: JSON in, the same JSON out, and nothing that YAML makes of words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from groundframe.errors import GoldenError
from groundframe.golden.file import read_golden
from groundframe.golden.text import Line, read_text, written

_WORDS = "on|no|Yes|null|~|08|0x1F|1e3|22:00|2024-01-01|-||a: b|<<|'x'|1_000|=|.5|{a}|# no|!t|&a|*a|\u2028"
_LINES = ["SELECT\n  a\n", "\n", " x\n y", "tail \n", "\ttab\n\x1b[31m", "\r\n", "\ufeffbom\n", "\x85\n"]
_TEXTS = (
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | st.sampled_from(_WORDS.split("|"))
    | st.sampled_from(_LINES)
)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("text") / "a.golden.yaml"


@settings(deadline=None)
@given(content=st.dictionaries(_TEXTS, _VALUES, max_size=4))
def test_what_is_written_is_read(place: Path, content: dict[str, Any]) -> None:
    text = written(content)
    place.write_text(text, encoding="utf-8")
    assert read_text(place) == content
    # Another reader of YAML, which makes numbers and dates of words that are not quoted, reads the same.
    assert yaml.safe_load(text) == content


def test_the_layout() -> None:
    content = {
        "frame": {
            "targets": [
                {"entity": "Crash", "role": "primary"},
                {"entity": "Town", "names": ["Boston", "Quincy"]},
            ],
            "ranking": {"metric": "crash_count", "top_n": 5},
            "question": "at 22:00",
        },
        "sql": {"rows": {"text": "SELECT\n  a", "parameters": {"p1": "08"}}},
        "long": {"inner": {"names": ["x" * 50, "y" * 50], "none": []}},
        "head": [Line(["a", None, 1.5, ["b"] * 40])],
    }
    assert written(content) == (
        "frame:\n"
        "  targets:\n"
        "    - {entity: Crash, role: primary}\n"
        "    - {entity: Town, names: [Boston, Quincy]}\n"
        "  ranking: {metric: crash_count, top_n: 5}\n"
        "  question: at 22:00\n"
        "sql:\n"
        "  rows:\n"
        "    text: |-\n"
        "      SELECT\n"
        "        a\n"
        "    parameters: {p1: '08'}\n"
        "long:\n"
        "  inner:\n"
        "    names:\n"
        f"      - {'x' * 50}\n"
        f"      - {'y' * 50}\n"
        "    none: []\n"
        "head:\n"
        f"  - [a, null, 1.5, [{', '.join(['b'] * 40)}]]\n"
    )


def test_words_and_dates_stay_text(place: Path) -> None:
    place.write_text(
        "{relation: on, value: No, from: 2024-01-01, to: 22:00, n: 1e3, x: 010, y: 1.0, z: true}"
    )
    assert read_text(place) == {
        "relation": "on",
        "value": "No",
        "from": "2024-01-01",
        "to": "22:00",
        "n": 1000.0,
        "x": "010",
        "y": 1.0,
        "z": True,
    }


BROKEN = {
    "empty": (b"", "This is no golden frame: it does not begin with 'golden: 1'. Make one with: "),
    "a list": (b"- 1", "This is no golden frame: "),
    "another's": (b"chart: 1", "This is no golden frame: "),
    "half a file": (b"golden: 1\nframe: {a: [1", "This is not YAML: "),
    "a tab": (b"golden: 1\nframe:\n\ta: 1", "at line 3, column 1."),
    "not UTF-8": (b"golden: \xff", "This is not YAML: "),
    "binary": (b"\x00\x01\x02", "This is not YAML: "),
    "an alias": (b"golden: 1\nframe: &a {a: 1}\nchoices: *a", "This is not YAML: aliases are not allowed."),
    "a key twice": (b"golden: 1\ngolden: 1", "the key 'golden' is given twice at line 2, column 1."),
    "a number as key": (b"golden: 1\n1: 1", "This is not YAML: a key that is no text at line 2, column 1."),
    "a tag": (b"golden: !!python/object:os.system 1", "This is not YAML: "),
    "deep": (b"golden: 1\nframe: " + b"[" * 5000, "This is not YAML: "),
    "another format": (b"golden: 2\nframe: {}", "At 'golden': input should be 1."),
    "an unknown part": (
        b"golden: 1\nframe: {}\nchoises: {}",
        "'choises' is no part of a golden frame. The parts are: ",
    ),
    "a wrong type": (
        b"golden: 1\nframe: {}\nresult: {digest: 1}",
        "At 'result/digest': input should be a valid string.",
    ),
    "no frame": (b"golden: 1", "It holds no frame. Write one under 'frame'."),
}


@pytest.mark.parametrize(("content", "says"), BROKEN.values(), ids=BROKEN)
def test_broken_files(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "broken.golden.yaml"
    path.write_bytes(content)
    with pytest.raises(GoldenError) as raised:
        read_golden(path)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(GoldenError, match=r"^It cannot be read \(Is a directory\)\.$"):
        read_golden(tmp_path)
    huge = tmp_path / "huge.golden.yaml"
    with huge.open("wb") as file:
        file.truncate(11_000_000)
    with pytest.raises(GoldenError, match=r"^This is larger than 10 MB\. Is it the right file\?$"):
        read_golden(huge)
