"""The geocoder against a local server that answers as Nominatim does, or as it should not."""

from __future__ import annotations

import itertools
import json
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg
import pyproj
import pytest

from groundframe.api import connect
from groundframe.cli import main
from groundframe.errors import Issue, UsageError
from groundframe.frames.model import Coordinates
from groundframe.frames.names import NameIndex
from groundframe.frames.reading import read_frame
from groundframe.postgis.names import DatasetNames
from groundframe.schema.packs import load_pack
from groundframe.validator.engine import validate
from groundframe.validator.geocoder import (
    ConfiguredGeocoder,
    Geocode,
    Geocoder,
    GeocoderError,
    geocoder_from_settings,
)
from groundframe.validator.geocoder_pace import Pace
from groundframe.validator.geocoder_settings import HOW_TO_TURN_ON, read_settings
from groundframe.validator.outcomes import Checked, NeedsChoice, Rejected

PACK = load_pack("massachusetts")
LICENCE = "Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright"


def place(name: str, lon: object, lat: object, **more: object) -> dict[str, object]:
    """A place as Nominatim writes it: the coordinates are text."""
    return {
        "place_id": 1,
        "licence": LICENCE,
        "osm_type": "way",
        "lat": lat,
        "lon": lon,
        "class": "amenity",
        "type": "library",
        "importance": 0.41,
        "addresstype": "amenity",
        "name": name.partition(",")[0],
        "display_name": name,
        "boundingbox": ["42.3", "42.4", "-71.1", "-71.0"],
    } | more


LIBRARY = place("Boston Public Library, Boylston Street, Boston", "-71.0781", "42.3493")
ATHENS = place("Library, Athens", "23.7351", "37.9800")


@dataclass
class Answer:
    """One answer of the server: `parts` are sent one by one, with `pause` before each."""

    parts: tuple[bytes, ...]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0


def answer(places: object, **more: Any) -> Answer:
    return Answer((json.dumps(places).encode(),), **more)


class Server:
    """A web server on this machine; answers in turn, the last one again and again."""

    def __init__(self) -> None:
        self.answers = [answer([LIBRARY])]
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.clock: Callable[[], float] = time.time
        self.times: list[float] = []
        self.released = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                given = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                outer.times.append(outer.clock())
                outer.requests.append(
                    (self.path, {name.lower(): text for name, text in self.headers.items()})
                )
                try:
                    self.send_response(given.status)
                    for name, text in given.headers.items():
                        self.send_header(name, text)
                    self.end_headers()
                    for part in given.parts:
                        outer.released.wait(given.pause)
                        self.wfile.write(part)
                except OSError:
                    pass

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def parameters(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.requests[-1][0]).query)


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


class Time:
    """A clock that only sleeping moves on."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.slept: list[float] = []
        self._lock = threading.Lock()

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
            self.now += seconds


Make = Callable[..., Geocoder]


@pytest.fixture
def hours() -> Time:
    return Time()


@pytest.fixture
def make(server: Server, tmp_path: Path, hours: Time) -> Make:
    def maker(**settings: str) -> Geocoder:
        given = {"service": "nominatim", "url": server.url, "cache": str(tmp_path / "cache")} | settings
        geocoder = geocoder_from_settings(given, PACK, clock=hours.clock, sleep=hours.sleep)
        assert geocoder is not None
        return geocoder

    return maker


def failure(geocoder: Geocoder, query: str = "Copley Library") -> GeocoderError:
    with pytest.raises(GeocoderError) as caught:
        geocoder.geocode(query)
    assert caught.value.code == "geocoder"
    assert caught.value.hint
    return caught.value


def test_one_place(make: Make, server: Server) -> None:
    reply = make().geocode("  Copley\n Library ")
    assert reply.query == "Copley Library"
    assert reply.candidates == (
        Geocode("Boston Public Library, Boylston Street, Boston", -71.0781, 42.3493, "amenity", 0.41),
    )
    assert reply.source == "127.0.0.1"
    assert reply.note == LICENCE


def test_nothing_but_the_query_text_and_the_bounds_are_sent(make: Make, server: Server) -> None:
    make().geocode("Smith & Sons, 100% Café?")
    path, headers = server.requests[0]
    assert urlsplit(path).path == "/search"
    assert server.parameters() == {
        "q": ["Smith & Sons, 100% Café?"],
        "format": ["json"],
        "limit": ["10"],
        "viewbox": ["-73.6,41.1,-69.8,42.95"],
        "bounded": ["1"],
        "accept-language": ["en"],
    }
    assert headers["user-agent"] == f"groundframe/{version('groundframe')}"
    assert set(headers) == {"user-agent", "host", "accept-encoding", "connection"}


def test_the_user_agent_also_says_who_asks(make: Make, server: Server) -> None:
    make(user_agent="Town of X, gis@x.example").geocode("a")
    expected = f"groundframe/{version('groundframe')} (Town of X, gis@x.example)"
    assert server.requests[0][1]["user-agent"] == expected


def test_several_places_are_all_returned_in_order_without_doubles(make: Make, server: Server) -> None:
    names = [("A", "-71.1", "42.1"), ("B", "-71.2", "42.2"), ("A", "-71.1", "42.1"), ("A", "-71.3", "42.3")]
    server.answers = [answer([place(*name) for name in names])]
    found = make().geocode("main street").candidates
    assert [(one.label, one.longitude) for one in found] == [("A", -71.1), ("B", -71.2), ("A", -71.3)]


def test_no_place_is_an_answer_and_is_remembered(make: Make, server: Server) -> None:
    server.answers = [answer([])]
    assert make().geocode("nowhere").candidates == ()
    again = make().geocode("nowhere")
    assert (again.candidates, again.source) == ((), "cache")
    assert len(server.requests) == 1


def test_places_outside_the_bounds_are_left_out_and_counted(make: Make, server: Server) -> None:
    corner = place("Corner", "-73.6", "41.1")
    server.answers = [answer([ATHENS, LIBRARY, corner])]
    for _ in range(2):
        reply = make().geocode("library")
        assert [one.longitude for one in reply.candidates] == [-71.0781, -73.6]
        assert reply.note == f"1 of 3 places lie outside the area of the data. {LICENCE}"


def test_more_places_than_can_be_chosen_from_are_cut(make: Make, server: Server) -> None:
    server.answers = [answer([place(f"P{number}", "-71.1", "42.1") for number in range(12)])]
    reply = make().geocode("library")
    assert [one.label for one in reply.candidates] == [f"P{number}" for number in range(10)]
    assert reply.note.startswith("The first 10 of 12 places are shown.")


def test_a_cached_answer_makes_no_request_and_says_the_same(make: Make, server: Server) -> None:
    server.answers = [answer([LIBRARY, ATHENS])]
    asked = make().geocode("Copley Library")
    server.answers = [answer([], status=500)]
    cached = make().geocode("Copley   Library")
    assert (cached.query, cached.candidates, cached.note) == (asked.query, asked.candidates, asked.note)
    assert cached.source == "cache"
    assert len(server.requests) == 1


def test_the_cache_tells_questions_servers_and_bounds_apart(
    server: Server, tmp_path: Path, hours: Time
) -> None:
    settings = {"service": "nominatim", "url": server.url, "cache": str(tmp_path)}
    smaller = PACK.model_copy(update={"bounds": (-71.2, 42.2, -71.0, 42.4)})
    for given, pack, query in (
        (settings, PACK, "a"),
        (settings, PACK, "b"),
        (settings | {"url": f"{server.url}/other"}, PACK, "a"),
        (settings | {"service": "photon"}, PACK, "a"),
        (settings, smaller, "a"),
    ):
        if given["service"] == "photon":
            server.answers = [answer({"features": []})]
        geocoder = geocoder_from_settings(given, pack, clock=hours.clock, sleep=hours.sleep)
        assert geocoder is not None
        assert geocoder.geocode(query).source == "127.0.0.1"
        server.answers = [answer([LIBRARY])]
    assert len(server.requests) == 5
    assert urlsplit(server.requests[2][0]).path == "/other/search"


def test_a_damaged_cache_file_is_asked_for_again(make: Make, server: Server, tmp_path: Path) -> None:
    make().geocode("a")
    (stored,) = (tmp_path / "cache").glob("*.json")
    whole = stored.read_text(encoding="utf-8")
    for damaged in ("", whole[:-20], whole.replace("-71.0781", "1e999"), whole.replace("42.3493", "NaN")):
        stored.write_text(damaged, encoding="utf-8")
        assert make().geocode("a").source == "127.0.0.1"
        assert stored.read_text(encoding="utf-8") == whole
    assert make().geocode("a").source == "cache"


def test_what_was_asked_is_private_and_no_part_file_is_left(make: Make, tmp_path: Path) -> None:
    make().geocode("../../Copley Library")
    folder = tmp_path / "cache"
    (stored,) = folder.glob("*.json")
    assert {path.name for path in folder.iterdir()} == {stored.name, "127.0.0.1.turn"}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600


def test_an_unusable_folder_is_said(make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    error = failure(make(cache=str(tmp_path / "file" / "cache")))
    assert "folder" in error.message
    assert "GROUNDFRAME_GEOCODER_CACHE" in error.hint


def test_too_many_requests_then_an_answer(make: Make, server: Server, hours: Time) -> None:
    busy = answer([], status=429, headers={"Retry-After": "0"})
    server.answers = [busy, answer([], status=503), answer([LIBRARY])]
    assert len(make().geocode("a").candidates) == 1
    assert hours.slept == [2.0, 4.0]


def test_the_server_says_when_to_come_back(make: Make, server: Server, hours: Time) -> None:
    server.answers = [answer([], status=429, headers={"Retry-After": "7"}), answer([LIBRARY])]
    assert len(make().geocode("a").candidates) == 1
    assert hours.slept == [7.0]


@pytest.mark.parametrize("status", [429, 503])
def test_always_too_busy_is_a_failure_after_three_requests(make: Make, server: Server, status: int) -> None:
    server.answers = [answer([], status=status, headers={"Retry-After": "0"})]
    error = failure(make())
    assert error.message == (
        f"The geocoder 127.0.0.1 could not look up 'Copley Library': it has too much to do (HTTP {status})."
    )
    assert len(server.requests) == 3
    server.answers = [answer([LIBRARY])]
    assert make().geocode("Copley Library").source == "127.0.0.1"


def test_a_long_wait_is_left_to_the_user(make: Make, server: Server, hours: Time) -> None:
    server.answers = [answer([], status=429, headers={"Retry-After": "3600"})]
    failure(make())
    assert (len(server.requests), hours.slept) == (1, [])


@pytest.mark.parametrize("parts", [(b"[]",), (b" ",) * 200])
def test_a_slow_answer_is_given_up_at_the_deadline(
    make: Make, server: Server, parts: tuple[bytes, ...]
) -> None:
    pause = 2.0 if len(parts) == 1 else 0.05
    server.answers = [Answer(parts, pause=pause)]
    geocoder = make(timeout="0.3")
    began = time.monotonic()
    error = failure(geocoder)
    assert time.monotonic() - began < 1.5
    assert error.message.endswith("it did not answer within 0.3 s.")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (Answer((b"[" + b" " * 2_000_000 + b"]",)), "its answer is larger than 1 MB."),
        (Answer((b'[{"lat": "42.1",',)), "its answer is not JSON."),
        (Answer((b"<html>busy</html>",)), "its answer is not JSON."),
        (Answer((b"[" * 200_000,)), "its answer is not JSON."),
        (Answer((b'[{"lat": NaN}]',)), "its answer is not JSON."),
        (Answer((b"\xff\xfe[]",)), "its answer is not JSON."),
        (Answer(()), "its answer is empty."),
        (
            Answer((b"[]",), headers={"Content-Length": "40", "Transfer-Encoding": "chunked"}),
            "it cannot be reached",
        ),
        (answer(None), "its answer holds no places."),
        (answer("Boston"), "its answer holds no places."),
        (answer({}), "its answer holds no places."),
        (answer({"error": "key=SECRET"}), "it refuses the question (GeocoderQueryError)."),
        (answer([1, 2]), "its answer is not that of 'nominatim'."),
        (answer([{}]), "its answer is not that of 'nominatim'."),
        (answer([place("A", None, "42.1")]), "its answer is not that of 'nominatim'."),
        (answer([place("A", "Boston", "42.1")]), "its answer is not that of 'nominatim'."),
        (answer([place("A", "nan", "42.1")]), "its answer is not that of 'nominatim'."),
        (answer([place("A", "-71.1", "inf")]), "its answer is not that of 'nominatim'."),
        (answer([place("A", "-71.1", "142.1")]), "its answer is not that of 'nominatim'."),
        (answer([LIBRARY | {"display_name": 5}]), "its answer is not that of 'nominatim'."),
        (answer([], status=500), "it answered HTTP 500."),
        (answer([], status=404), "it answered HTTP 404."),
        (answer([], status=403), "it refuses the request (HTTP 403)."),
    ],
)
def test_an_unusable_answer_is_a_clear_failure(make: Make, server: Server, given: Answer, why: str) -> None:
    server.answers = [given]
    error = failure(make())
    assert error.message.startswith("The geocoder 127.0.0.1 could not look up 'Copley Library': ")
    assert why in error.message
    assert "SECRET" not in str(error)
    assert len(server.requests) == 1
    server.answers = [answer([LIBRARY])]
    assert make().geocode("Copley Library").source == "127.0.0.1"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(make: Make, server: Server, status: int) -> None:
    other = Server()
    try:
        server.answers = [answer([], status=status, headers={"Location": f"{other.url}/search?q=a"})]
        error = failure(make())
        assert other.requests == []
    finally:
        other.stop()
    assert f"it sends to another address (HTTP {status}), which is not followed" in error.message
    assert "GROUNDFRAME_GEOCODER_URL" in error.hint


def test_nobody_there(make: Make) -> None:
    gone = Server()
    gone.stop()
    assert "it cannot be reached (Connection refused)" in failure(make(url=gone.url)).message


def test_a_proxy_is_not_asked_for_this_machine(
    make: Make, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    assert len(make().geocode("a").candidates) == 1


@pytest.mark.parametrize("query", ["", " \n ", "a" * 201, "a\0b", "a\x1b[2Jb", "a\ud800"])
def test_what_is_no_name_is_not_sent(make: Make, server: Server, query: str) -> None:
    failure(make(), query)
    assert server.requests == []


def test_labels_are_one_plain_line(make: Make, server: Server) -> None:
    server.answers = [answer([place("Bell\x07 \x1b[31mTower\r\n" + "x" * 500, "-71.1", "42.1")])]
    label = make().geocode("a").candidates[0].label
    assert label.startswith("Bell [31mTower xxx")
    assert len(label) == 200


def test_two_threads_keep_a_second_apart(make: Make, server: Server, hours: Time) -> None:
    """By the clock of the test, which only waiting moves on, whether in one geocoder or in several."""
    server.clock = hours.clock
    geocoders = [make(), make()]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda number: geocoders[number % 2].geocode(f"place {number // 2}"), range(4)))
        list(pool.map(geocoders[0].geocode, ("b", "c")))
    assert server.times == [1_000_000.0 + second for second in range(len(server.times))]
    assert len(server.times) >= 4


def test_processes_keep_apart_too(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from groundframe.validator.geocoder_pace import Pace\n"
        "file = Path(sys.argv[1])\n"
        "for _ in range(3):\n"
        "    with Pace(file, 0.1).turn(): print(file.read_text())\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "turn")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    began = sorted(float(line) for process in running for line in process.communicate(timeout=30)[0].split())
    assert len(began) == 6
    # A hundredth for a wall clock that is being adjusted.
    assert min(later - earlier for earlier, later in itertools.pairwise(began)) > 0.09


def test_turns_are_kept_over_time_and_a_clock_set_back(tmp_path: Path, hours: Time) -> None:
    pace = Pace(tmp_path / "turn", 1.0, hours.clock, hours.sleep)
    began = []
    for passes in (0.0, 0.25, 5.0, -1000.0, 1.0):
        hours.now += passes
        with pace.turn():
            began.append(hours.now)
    assert hours.slept == [0.75, 1.0]
    (tmp_path / "turn").write_text("broken", encoding="ascii")
    with pace.turn():
        assert len(hours.slept) == 2


def test_off_unless_configured() -> None:
    for settings in ({}, {"service": ""}, {"service": "off"}, {"url": "https://maps.example"}):
        assert geocoder_from_settings(settings, PACK) is None
    assert "GROUNDFRAME_GEOCODER=nominatim" in HOW_TO_TURN_ON


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"service": "nominatimm"}, "There is no geocoder 'nominatimm'."),
        ({"url": "http://maps.example/"}, "begins with http://"),
        ({"url": "http://127.0.0.1.maps.example/"}, "begins with http://"),
        ({"url": "ftp://localhost/"}, "begins with ftp://"),
        ({"url": "file:///etc/passwd"}, "not a web address"),
        ({"url": "maps.example"}, "not a web address"),
        ({"url": "https://[::1/"}, "not a web address"),
        ({"url": "https://maps.example:port/"}, "not a web address"),
        ({"url": "https://maps.example/a b"}, "not a web address"),
        ({"url": "https://maps.example@other.example/"}, "more than a host and a path"),
        ({"url": "https://maps.example/search?q=1"}, "more than a host and a path"),
        ({"timeout": "soon"}, "'soon' is not the number of seconds"),
        ({"timeout": "nan"}, "'nan' is not the number of seconds"),
        ({"timeout": "0"}, "'0' is not the number of seconds"),
        ({"interval": "0.5"}, "'0.5' is not the number of seconds"),
        ({"user_agent": "a\r\nCookie: b"}, "user_agent is not a line of plain text"),
        ({"tiemout": "5"}, "has no setting 'tiemout'"),
        ({"proxies": "maps.example"}, "has no setting 'proxies'"),
        ({"service": "opencage"}, "needs one more setting"),
        ({"service": "pelias"}, "needs one more setting"),
        ({"service": "baidu", "api_key": "k", "url": "https://maps.example"}, "has one address only"),
        ({"service": "arcgis", "username": "u"}, "geopy's geocoder 'arcgis' says"),
    ],
)
def test_a_wrong_setting_is_refused_when_configured(settings: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        geocoder_from_settings({"service": "nominatim"} | settings, PACK)
    assert says in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("service", "parameter", "box"),
    [
        ("photon", "bbox", "-73.6,41.1,-69.8,42.95"),
        ("mapbox", "bbox", "-73.6,41.1,-69.8,42.95"),
        ("maptiler", "bbox", "-73.6,41.1,-69.8,42.95"),
        ("opencage", "bounds", "-73.6,41.1,-69.8,42.95"),
        ("google", "bounds", "41.1,-73.6|42.95,-69.8"),
        ("mapquest", "boundingBox", "42.95,-73.6,41.1,-69.8"),
        ("pelias", "boundary.rect.min_lon", "-73.6"),
        ("geocodeearth", "boundary.rect.max_lat", "42.95"),
        ("openmapquest", "viewbox", "-73.6,41.1,-69.8,42.95"),
        ("pickpoint", "viewbox", "-73.6,41.1,-69.8,42.95"),
    ],
)
def test_other_services_of_geopy_are_asked_within_the_bounds(
    make: Make, server: Server, service: str, parameter: str, box: str
) -> None:
    server.answers = [answer([], status=500)]
    keys = {} if service == "photon" else {"api_key": "SECRET"}
    error = failure(make(service=service, **keys))
    assert server.parameters()[parameter] == [box]
    assert "SECRET" not in str(error)


def test_another_service_of_geopy(make: Make, server: Server) -> None:
    feature = {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [-71.0781, 42.3493]},
        "properties": {"name": "Library", "city": "Boston", "type": "house"},
    }
    server.answers = [answer({"type": "FeatureCollection", "features": [feature]})]
    (found,) = make(service="photon").geocode("library").candidates
    assert (found.longitude, found.latitude, found.kind) == (-71.0781, 42.3493, "house")
    assert found.label.startswith("Library")


def test_a_key_is_neither_shown_nor_stored(make: Make, server: Server, tmp_path: Path) -> None:
    geocoder = make(service="pickpoint", api_key="SECRET")
    geocoder.geocode("a")
    assert server.parameters()["key"] == ["SECRET"]
    assert "SECRET" not in repr(geocoder)
    for path in (tmp_path / "cache").iterdir():
        assert "SECRET" not in path.read_text(encoding="utf-8")


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        '[geocoder]\nservice = "photon"\ntimeout = 3\nurl = "https://maps.example"\n', encoding="utf-8"
    )
    environment = {
        "GROUNDFRAME_GEOCODER": "nominatim",
        "GROUNDFRAME_GEOCODER_URL": "",
        "GROUNDFRAME_HOME": "/x",
    }
    assert read_settings({}, config) == {"service": "photon", "timeout": "3", "url": "https://maps.example"}
    assert read_settings(environment, config) == {"service": "nominatim", "timeout": "3"}
    assert read_settings({}, tmp_path / "none.toml") == {}


def test_the_file_is_found_in_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_config_dir", lambda name: str(tmp_path / name))
    (tmp_path / "groundframe").mkdir()
    (tmp_path / "groundframe" / "config.toml").write_text(
        '[geocoder]\nservice = "photon"\n', encoding="utf-8"
    )
    assert read_settings({}) == {"service": "photon"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[geocoder", "is not TOML"),
        ("geocoder = 5", "is no section"),
        ("[geocoder]\nservice = true", "service in [geocoder] is neither text nor a number"),
        ("[geocoder]\nurl = ['https://maps.example']", "url in [geocoder] is neither text nor a number"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_settings({}, config)
    assert says in caught.value.message


def near(*names: str, **more: Any) -> dict[str, Any]:
    """Crashes near a place."""
    ends = {"target_role": "primary", "reference_role": "anchor"}
    return {
        "targets": [{"entity": "Crash", "role": "primary"}],
        "references": [{"names": list(names), "role": "anchor", **more}],
        "spatial_constraints": [{"relation": "within_distance", **ends, "distance_m": 500}],
    }


def checked(frame: dict[str, Any], names: NameIndex, geocoder: Geocoder, **choices: str) -> Checked:
    outcome = validate(read_frame(frame), PACK, names, choices=choices, geocoder=geocoder)
    assert isinstance(outcome, Checked), outcome
    again = validate(outcome.frame, PACK, names, geocoder=geocoder)
    assert isinstance(again, Checked)
    assert (again.frame, again.repairs, again.normalised) == (outcome.frame, (), ())
    return outcome


def refused(frame: dict[str, Any], names: NameIndex, geocoder: Geocoder | None) -> Issue:
    outcome = validate(read_frame(frame), PACK, names, geocoder=geocoder)
    assert isinstance(outcome, Rejected), outcome
    (issue,) = outcome.issues
    return issue


def test_an_unknown_place_becomes_a_point(make: Make, server: Server, names: NameIndex) -> None:
    outcome = checked(near("Copley Library"), names, make())
    (reference,) = outcome.frame.references
    assert reference.coordinates == Coordinates(longitude=-71.0781, latitude=42.3493)
    (anchor,) = outcome.anchors
    assert (anchor.origin, anchor.basis, anchor.notice) == ("geocoder", "geocoded", LICENCE)
    assert anchor.chosen[0].name == LIBRARY["display_name"]
    assert any("Boston Public Library" in note for note in outcome.notes)
    assert "127.0.0.1" not in json.dumps(anchor.as_dict())
    assert len(server.requests) == 1


GOTHAM = {"entity": "Town", "role": "scope", "names": ["Gotham"]}


@pytest.mark.parametrize(
    "frame",
    [
        near("Harvard Square"),
        near("Harvrd Square"),
        near("Quincy"),
        near("42.3755, -72.5195"),
        near("Lincoln School", entity="School"),
        near("Massachusetts Ave & Prospect St"),
        near("Gotham", entity="Town"),
        near("Elm Park", entity="School"),
        {"targets": [{"entity": "Town", "role": "primary", "names": ["Gotham"]}]},
        {"targets": [{"entity": "Crash", "role": "primary"}, GOTHAM]},
    ],
)
def test_what_is_known_or_an_area_is_never_looked_up(
    make: Make, server: Server, names: NameIndex, frame: dict[str, Any]
) -> None:
    validate(read_frame(frame), PACK, names, geocoder=make())
    assert server.requests == []


def test_several_places_are_asked_about(make: Make, server: Server, names: NameIndex) -> None:
    server.answers = [answer([LIBRARY, place("Library, Quincy", "-71.0020", "42.2500")])]
    frame = near("Copley Library")
    frame["targets"].append({"entity": "Town", "role": "scope", "names": ["Quincy"]})
    outcome = validate(read_frame(frame), PACK, names, geocoder=make())
    assert isinstance(outcome, NeedsChoice)
    (choice,) = outcome.choices
    keys = ["geocoder:42.3493,-71.0781", "geocoder:42.25,-71.002"]
    assert [one.key for one in choice.candidates] == keys
    assert choice.candidates[1].label().startswith("Library, Quincy (amenity) at 42.25000 N, 71.00200 W, ")
    assert all(one.distance_from == "Quincy" for one in choice.candidates)
    taken = checked(frame, names, make(), **{choice.id: keys[1]})
    assert taken.frame.references[0].coordinates == Coordinates(longitude=-71.002, latitude=42.25)
    (anchor,) = (one for one in taken.anchors if one.path == choice.id)
    assert (anchor.basis, [one.key for one in anchor.offered]) == ("chosen", keys)


def test_what_is_alike_in_the_data_is_offered_beside(make: Make, names: NameIndex) -> None:
    outcome = validate(read_frame(near("Hiatt")), PACK, names, geocoder=make())
    assert isinstance(outcome, NeedsChoice)
    assert [one.key for one in outcome.choices[0].candidates] == ["geocoder:42.3493,-71.0781", "s1"]
    taken = checked(near("Hiatt"), names, make(), **{"/references/0/names/0": "s1"})
    assert (taken.frame.references[0].entity, taken.anchors[0].origin) == ("School", "dataset")


def test_the_town_of_a_reference_is_looked_up_with_it(make: Make, server: Server, names: NameIndex) -> None:
    checked(near("Copley Library", town="boston"), names, make())
    assert server.parameters()["q"] == ["Copley Library, Boston"]


def test_a_place_of_the_gazetteer_in_another_town_is_looked_up(
    make: Make, server: Server, names: NameIndex
) -> None:
    server.answers = [answer([place("Harvard Square, Quincy", "-71.0", "42.25")])]
    outcome = checked(near("Harvard Square, Quincy"), names, make())
    assert outcome.frame.references[0].coordinates == Coordinates(longitude=-71.0, latitude=42.25)
    assert server.parameters()["q"] == ["Harvard Square, Quincy"]
    assert refused(near("Harvard Square, Quincy"), names, None).code == "not_in_town"


def test_no_place_or_no_answer_is_an_issue(make: Make, server: Server, names: NameIndex) -> None:
    server.answers = [answer([])]
    issue = refused(near("Copley Library"), names, make())
    assert (issue.code, issue.path) == ("unknown_name", "/references/0/names/0")
    assert "The geocoder knows no such place" in issue.message
    server.answers = [answer([], status=500)]
    issue = refused(near("Trinity Church"), names, make())
    assert "it answered HTTP 500" in issue.message
    assert "Try again later" in issue.action


@pytest.mark.parametrize("frame", [near("Copley Library"), near("Copley Academy", entity="School")])
def test_off_says_how_to_turn_it_on(
    frame: dict[str, Any], names: NameIndex, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("GROUNDFRAME_GEOCODER", raising=False)
    for geocoder in (None, ConfiguredGeocoder(PACK)):
        assert refused(frame, names, geocoder).action == HOW_TO_TURN_ON


def test_a_school_is_the_one_nearest_to_where_its_name_is(
    make: Make, server: Server, names: NameIndex
) -> None:
    # All schools of the small dataset lie at 42.3 N, 71.5 W; a thousandth of a degree is 111 m.
    server.answers = [answer([place("Copley Academy, Main Street", "-71.5", "42.301")])]
    outcome = checked(near("Copley Academy", entity="School"), names, make())
    assert outcome.frame.references[0].keys == ("s1",)
    (anchor,) = outcome.anchors
    assert (anchor.origin, anchor.basis, anchor.notice) == ("geocoder", "geocoded", LICENCE)
    assert anchor.chosen[0].distance_m == pytest.approx(111, abs=1)
    (repair,) = outcome.repairs
    assert (repair.before, repair.after) == ("Copley Academy", "Jacob Hiatt Magnet School")
    assert "111 m from Copley Academy" in repair.message


def test_a_school_farther_away_is_not_taken(make: Make, server: Server, names: NameIndex) -> None:
    server.answers = [answer([place("Copley Academy, Main Street", "-71.5", "42.303")])]
    issue = refused(near("Copley Academy", entity="School"), names, make())
    assert (issue.code, issue.nearest) == ("too_far", ("Jacob Hiatt Magnet School",))
    assert "is 334 m away, farther than the 200 m" in issue.message


def test_one_of_two_geocodes_near_a_school_is_asked_about(
    make: Make, server: Server, names: NameIndex
) -> None:
    server.answers = [answer([place("A", "-71.5", "42.301"), place("B", "-71.5", "42.4")])]
    frame = near("Copley Academy", entity="School")
    outcome = validate(read_frame(frame), PACK, names, geocoder=make())
    assert isinstance(outcome, NeedsChoice)
    assert [one.key for one in outcome.choices[0].candidates] == ["s1"]


def test_an_answer_says_where_its_place_comes_from(
    server: Server,
    demo_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """On a loaded dataset, through the command line; asked or cached, the bytes are the same."""
    frame = tmp_path / "frame.json"
    frame.write_text(json.dumps(near("Copley Library")), encoding="utf-8")
    settings = {"": "nominatim", "_URL": server.url, "_CACHE": str(tmp_path / "cache")}
    for name, value in settings.items():
        monkeypatch.setenv(f"GROUNDFRAME_GEOCODER{name}", value)
    monkeypatch.setenv("DATABASE_URL", demo_url)
    out = []
    for _ in range(2):
        assert main(["run", str(frame), "--format", "geojson"]) == 0
        out.append(capfd.readouterr().out)
    assert out[0] == out[1]
    assert len(server.requests) == 1
    record = json.loads(out[0])["groundframe"]
    assert record["anchors"][0]["origin"] == "geocoder"
    assert LICENCE in record["notices"]


def test_the_nearest_feature_of_a_dataset(demo_url: str) -> None:
    """Of all named schools and streets, compared with their geometry as it is stored."""
    with connect(demo_url) as gis, psycopg.connect(demo_url) as connection:
        found = DatasetNames(gis.dataset)
        for entity, table in (("School", "school"), ("Road", "road")):
            feature, metres = found.nearest(entity, -71.06, 42.35) or (None, 0.0)
            assert feature is not None
            point = pyproj.Transformer.from_pipeline(PACK.pipeline).transform(-71.06, 42.35)
            rows = connection.execute(
                f"SELECT key, geom <-> ST_SetSRID(ST_MakePoint(%s, %s), 26986) AS d FROM gf_demo.{table} "
                "WHERE name IS NOT NULL AND geom IS NOT NULL",
                point,
            ).fetchall()
            key, distance = min(rows, key=lambda row: (round(row[1], 3), row[0]))
            assert feature.key == key
            assert metres == pytest.approx(distance, abs=0.002)
