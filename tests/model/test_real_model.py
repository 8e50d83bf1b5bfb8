"""The contract with a real model behind HTTP: the 0.5 B one, with short prompts.

The weights are 491 MB. Where CI=true they are fetched beside the other checks; elsewhere
``python tests/fetch_weights.py`` does it. Without them the tests are skipped, and the reason is that they
are not to be had.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from groundframe.errors import ModelError
from groundframe.frames.model_interpreter.checking import check_model
from groundframe.frames.model_interpreter.client import ModelClient
from groundframe.frames.model_interpreter.settings import ModelSettings
from groundframe.frames.model_interpreter.slots import SlotForm
from groundframe.schema.packs import load_pack

FETCH = Path(__file__).resolve().parents[1] / "fetch_weights.py"
POEM = [{"role": "user", "content": "Write a long poem about the sea."}]

pytestmark = pytest.mark.slow


def weights() -> Path:
    """The file, or a skip that says why there is none."""
    # ``./run test`` began to fetch them some minutes ago; this waits until it has done, or tries once more.
    seconds = "120" if os.environ.get("CI") == "true" else "0"
    command = [sys.executable, str(FETCH), "0.5b", seconds]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode == 3:
        pytest.skip(ran.stderr.strip())
    assert ran.returncode == 0, ran.stderr
    return Path(ran.stdout.strip())


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of ``groundframe model serve``."""
    program = Path(sys.executable).with_name("groundframe")
    command = [str(program), "model", "serve", str(weights()), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        assert "GROUNDFRAME_MODEL_URL=" in said, said
        yield said.rpartition("=")[2].strip()
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 130


def client(url: str, **settings: Any) -> ModelClient:
    return ModelClient(ModelSettings(url, **{"timeout_s": 600.0, **settings}))


def test_check(url: str) -> None:
    lines = list(check_model(ModelSettings(url, timeout_s=600.0)))
    assert "qwen2.5-coder-0.5b" in lines[0]
    assert lines[-1] == "It keeps a strict JSON Schema."


def test_a_reply_keeps_the_whole_schema_of_slots(url: str) -> None:
    schema = SlotForm(load_pack("massachusetts")).schema(every=False)
    asked = [{"role": "user", "content": 'Reply with JSON: {"asked_for":"School","in":["Lowell"],"top_n":5}'}]
    reply = client(url).complete(asked, schema, tokens=200)
    jsonschema.validate(json.loads(reply.text), schema)


def test_a_reply_that_is_cut_off_is_no_reply(url: str) -> None:
    with pytest.raises(ModelError) as caught:
        client(url).complete(POEM, tokens=16)
    assert caught.value.kind == "truncated"


def test_a_schema_that_is_none_is_a_wrong_request(url: str) -> None:
    with pytest.raises(ModelError) as caught:
        client(url).complete(POEM, {"type": "nonsense"}, tokens=16)
    assert caught.value.kind == "request"


def test_who_gives_up_leaves_the_model_free(url: str) -> None:
    with pytest.raises(ModelError) as caught:
        client(url, timeout_s=0.5).complete(POEM, tokens=4000)
    assert caught.value.kind == "timeout"
    # The server has one place: were it still at the poem, this would wait for thousands of words.
    assert client(url).complete([{"role": "user", "content": "Hi"}], {"type": "boolean"}, tokens=16).text


def test_a_question_that_is_interrupted_leaves_the_model_free(url: str) -> None:
    code = (
        "from groundframe.frames.model_interpreter.client import ModelClient\n"
        "from groundframe.frames.model_interpreter.settings import ModelSettings\n"
        f"client = ModelClient(ModelSettings({url!r}, timeout_s=600.0))\n"
        f"print(client.model, flush=True)\nclient.complete({POEM!r}, tokens=4000)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as asking:
        assert asking.stdout is not None
        asking.stdout.readline()
        time.sleep(0.5)  # whether it is at the prompt, at the poem or on its way makes no difference
        asking.send_signal(signal.SIGINT)
        assert asking.wait(60) != 0
    assert client(url).complete([{"role": "user", "content": "Hi"}], {"type": "boolean"}, tokens=16).text


def test_it_listens_on_this_machine_only(url: str) -> None:
    port = url.split(":")[2].split("/")[0]
    listening = Path("/proc/net/tcp")
    if not listening.is_file():
        pytest.skip("only Linux lists its ports there")
    mine = [line.split()[1] for line in listening.read_text().splitlines()[1:] if line.split()[3] == "0A"]
    assert [one for one in mine if int(one.split(":")[1], 16) == int(port)] == [f"0100007F:{int(port):04X}"]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60) as answer:
        assert answer.status == 200
