"""An endpoint on this machine that answers as models do, or as they should not."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Said:
    """One answer of the endpoint; ``pause`` is waited before each of its parts."""

    parts: tuple[bytes, ...]
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    pause: float = 0.0


def chat(content: str | None, finish: str = "stop", **message: Any) -> Said:
    """A reply in the format of OpenAI."""
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": content, **message},
    }
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": "tiny", "choices": [choice]}
    return Said((json.dumps(body).encode(),))


class Endpoint:
    """Answers in turn, the last one again and again; keeps what it was asked."""

    said = Said
    chat = staticmethod(chat)

    def __init__(self) -> None:
        self.answers = [chat('{"asked_for": "Crash"}')]
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.released = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._send(Said((b'{"object": "list", "data": [{"id": "tiny", "object": "model"}]}',)))

            def do_POST(self) -> None:
                outer.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                outer.headers.append({name.lower(): text for name, text in self.headers.items()})
                self._send(outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0])

            def _send(self, said: Said) -> None:
                try:
                    self.send_response(said.status)
                    for name, text in said.headers.items():
                        self.send_header(name, text)
                    self.end_headers()
                    for part in said.parts:
                        outer.released.wait(said.pause)
                        self.wfile.write(part)
                        self.wfile.flush()
                except OSError:
                    pass

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def replies(self, *answers: Said | str) -> None:
        """What it answers from here on."""
        self.answers = [chat(one) if isinstance(one, str) else one for one in answers]

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    running = Endpoint()
    yield running
    running.close()
