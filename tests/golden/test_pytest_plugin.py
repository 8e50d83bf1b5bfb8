"""The plugin for pytest in a repository of its own, as an agency has it.

Only what needs processes of its own is run in one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from groundframe.golden.checking import Connections, check_golden

pytest_plugins = ["pytester"]

# The plugin of hypothesis takes seconds to sum up nothing.
STRICT = """
[pytest]
minversion = 8.0
addopts = --strict-markers --strict-config -ra -p no:hypothesispytest
filterwarnings = error
"""
FRAME = "golden: 1\ndataset: demo\nframe:\n  targets:\n    - {entity: Town, role: primary}\n"


@pytest.fixture(scope="module")
def recorded(demo_url: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of a golden file that holds."""
    path = tmp_path_factory.mktemp("recorded") / "towns.golden.yaml"
    path.write_text(FRAME, encoding="utf-8")
    with Connections(demo_url) as connections:
        assert check_golden(path, connections, update=True).updated
    return path.read_text(encoding="utf-8")


@pytest.fixture
def agency(pytester: pytest.Pytester, demo_url: str, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A repository with strict settings, and the demo as its database."""
    monkeypatch.setenv("DATABASE_URL", demo_url)
    monkeypatch.delenv("CI", raising=False)
    pytester.path.joinpath("pytest.ini").write_text(STRICT)
    return pytester


def put(agency: pytest.Pytester, text: str, name: str = "towns") -> Path:
    path = agency.path / "frames" / f"{name}.golden.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_golden_frame_passes(agency: pytest.Pytester, recorded: str) -> None:
    put(agency, recorded)
    result = agency.runpytest("-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["frames/towns.golden.yaml::towns PASSED*"])


def test_an_edit_fails_readably(agency: pytest.Pytester, recorded: str) -> None:
    put(agency, recorded.replace("{entity: Town, role: primary}", "{entity: School, role: primary}", 1))
    result = agency.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ towns _*",
            "frames/towns.golden.yaml: the checked frame changed first; *",
            "  checked frame",
            '    /targets/0/entity: "Town" → "School"',
            "  plan",
            '    n1 Scan changed: /entity: "Town" → "School"',
            "  SQL",
            "    postgis, rows, line *",
            "  result",
            "    counts/matched: 25 → *",
            "If this is meant, run pytest with --groundframe-update and look at the diff.",
            "FAILED frames/towns.golden.yaml::towns*",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "pytest_plugin.py" not in result.stdout.str()


def test_several_workers(agency: pytest.Pytester, recorded: str) -> None:
    for number in range(4):
        put(agency, recorded, f"towns_{number}")
    put(agency, recorded.replace("matched: 25", "matched: 26").replace("digest: ", "digest: 0"), "changed")
    result = agency.runpytest_subprocess("-n", "2", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        ["frames/changed.golden.yaml: the result changed.", "  result", "    counts/matched: 26 → 25"]
    )


def test_update(agency: pytest.Pytester, recorded: str) -> None:
    path = put(agency, recorded.replace("digest: ", "digest: 0"))
    fresh = put(agency, FRAME, "fresh")
    result = agency.runpytest("--groundframe-update")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "*= golden frames rewritten =*",
            "frames/fresh.golden.yaml: recorded.",
            "frames/towns.golden.yaml: the result changed.",
        ]
    )
    assert path.read_text(encoding="utf-8") == fresh.read_text(encoding="utf-8") == recorded
    agency.runpytest().assert_outcomes(passed=2)


def test_no_database_skips_but_not_on_a_build_server(
    agency: pytest.Pytester, recorded: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(agency, recorded)
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.setenv("GROUNDFRAME_HOME", str(tmp_path / "none"))
    said = "There is no database for golden frames. Set DATABASE_URL or the option groundframe_url, *"
    result = agency.runpytest()
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines([f"SKIPPED * {said}"])
    monkeypatch.setenv("CI", "true")
    result = agency.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([said])


def test_a_database_that_does_not_answer(
    agency: pytest.Pytester, recorded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(agency, recorded)
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    result = agency.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["frames/towns.golden.yaml: No database answers at *"])
    assert "Traceback" not in result.stdout.str()


def test_options(
    agency: pytest.Pytester, recorded: str, demo_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(agency, recorded.replace("dataset: demo", "dataset: ours"))
    result = agency.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["frames/towns.golden.yaml: There is no dataset 'ours'. Datasets: demo.", "FAILED *"]
    )
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    options = ["-o", f"groundframe_url={demo_url}", "-o", "groundframe_dataset=demo"]
    agency.runpytest(*options).assert_outcomes(passed=1)
    result = agency.runpytest(*options, "-o", "groundframe_timeout=soon")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: groundframe_timeout is 'soon'; write seconds, such as 60."])


def test_fixtures_that_are_overridden(
    agency: pytest.Pytester, recorded: str, demo_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(agency, recorded.replace("dataset: demo", "dataset: ours"))
    monkeypatch.delenv("DATABASE_URL")
    agency.makeconftest(
        f"""
        import pytest

        @pytest.fixture(scope="session")
        def loaded():
            return {demo_url!r}

        @pytest.fixture(scope="session")
        def groundframe_url(loaded):
            return loaded

        @pytest.fixture(scope="session")
        def groundframe_dataset():
            return "demo"
        """
    )
    agency.runpytest().assert_outcomes(passed=1)


def test_broken_files_and_other_tests(agency: pytest.Pytester, recorded: str) -> None:
    put(agency, "golden: 1\nframe: [", "broken")
    put(agency, recorded)
    agency.makepyfile("def test_one(): pass")
    result = agency.runpytest()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["frames/broken.golden.yaml: This is not YAML: *"])


def test_selecting(agency: pytest.Pytester, recorded: str) -> None:
    put(agency, recorded)
    agency.makepyfile("def test_one(): pass")
    agency.runpytest("-m", "not golden").assert_outcomes(passed=1, deselected=1)
    agency.runpytest("-p", "no:groundframe").assert_outcomes(passed=1)
    agency.runpytest("frames/towns.golden.yaml").assert_outcomes(passed=1)


def test_nothing_reaches_the_terminal_that_steers_it(agency: pytest.Pytester, recorded: str) -> None:
    red = recorded.replace("'synthetic_town:1', Boston", 'gone, "\\e[31mRed"')
    put(agency, red.replace("digest: ", "digest: 0"))
    result = agency.runpytest("--color=no")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['    row "gone" ([[]31mRed) is no more among the first 5'])
    assert "\x1b" not in result.stdout.str()


def test_a_suite_without_golden_frames_pays_nothing(agency: pytest.Pytester) -> None:
    agency.makepyfile(
        """
        import sys

        def test_one():
            loaded = {name for name in sys.modules if name.partition(".")[0] == "groundframe"}
            assert loaded == {"groundframe", "groundframe.pytest_plugin"}
            assert not {"yaml", "sqlalchemy", "pydantic"} & set(sys.modules)
        """
    )
    agency.runpytest_subprocess().assert_outcomes(passed=1)


def test_connections_are_shared_and_closed(
    agency: pytest.Pytester, recorded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All golden frames of a process have one connection."""
    opened: list[Connections] = []
    made: list[str | None] = []
    to: Callable[..., object] = Connections.to

    def spy(self: Connections, dataset: str) -> object:
        if self not in opened:
            opened.append(self)
        made.append(dataset)
        return to(self, dataset)

    monkeypatch.setattr(Connections, "to", spy)
    for number in range(3):
        put(agency, recorded, f"towns_{number}")
    agency.runpytest().assert_outcomes(passed=3)
    assert (len(opened), made) == (1, ["demo"] * 3)
    assert opened[0]._open == {}
