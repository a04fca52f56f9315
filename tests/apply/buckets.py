"""A bucket server on loopback: as much of Cloud Storage's XML API as the client needs, with its preconditions.

Objects have generations; `x-goog-if-generation-match` guards a write, 0 meaning that nothing may be there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "acme-runs"
DATE = "Mon, 30 Nov 2026 02:00:00 GMT"


class Objects:
    """What is in the bucket: by name, the body and the generation.

    `refuses` denies everything; so many answers to writes as `lose` says come as 503 although the write was done.
    """

    def __init__(self) -> None:
        self.stored: dict[str, tuple[bytes, int]] = {}
        self.lock = threading.Lock()
        self.generation = 0
        self.refuses = False
        self.lose = 0
        self.writes = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    objects: Objects

    def do_PUT(self) -> None:
        body, name = self.rfile.read(int(self.headers["Content-Length"])), self._name()
        expected = self.headers.get("x-goog-if-generation-match")
        with self.objects.lock:
            self.objects.writes += 1
            _, there = self.objects.stored.get(name, (b"", 0))
            if self.objects.refuses:
                return self._answer(403)
            if expected is not None and int(expected) != there:
                return self._answer(412)
            self.objects.generation += 1
            self.objects.stored[name] = (body, self.objects.generation)
            if self.objects.lose:
                self.objects.lose -= 1
                return self._answer(503)
            return self._answer(200, generation=self.objects.generation)

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        with self.objects.lock:
            if self.objects.refuses:
                return self._answer(403)
            if "list-type" in query:
                return self._answer(200, self._listing(query))
            if self._name() not in self.objects.stored:
                return self._answer(404)
            body, generation = self.objects.stored[self._name()]
            return self._answer(200, body, generation=generation)

    def do_DELETE(self) -> None:
        with self.objects.lock:
            if self.objects.refuses:
                return self._answer(403)
            self.objects.stored.pop(self._name(), None)
            return self._answer(204)

    def _listing(self, query: dict[str, list[str]]) -> bytes:
        prefix, delimiter = query.get("prefix", [""])[0], query.get("delimiter", [""])[0]
        contents, folders = [], set()
        for name, (body, generation) in sorted(self.objects.stored.items()):
            if not name.startswith(prefix):
                continue
            inner, cut, _ = name.removeprefix(prefix).partition(delimiter) if delimiter else (name, "", "")
            if cut:
                folders.add(f"{prefix}{inner}{delimiter}")
                continue
            contents.append(
                f"<Contents><Key>{escape(name)}</Key><Size>{len(body)}</Size><ETag>{generation}</ETag>"
                "<LastModified>2026-11-30T02:00:00.000Z</LastModified></Contents>"
            )
        common = "".join(f"<CommonPrefixes><Prefix>{escape(f)}</Prefix></CommonPrefixes>" for f in sorted(folders))
        return f"<ListBucketResult>{''.join(contents)}{common}</ListBucketResult>".encode()

    def _name(self) -> str:
        return unquote(urlsplit(self.path).path).removeprefix(f"/{BUCKET}/")

    def _answer(self, status: int, body: bytes = b"", *, generation: int = 0) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if status == 200:
            self.send_header("ETag", f'"{generation}"')
            self.send_header("x-goog-generation", str(generation))
            self.send_header("Last-Modified", DATE)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        del format, args


@contextmanager
def bucket_server() -> Iterator[tuple[Objects, str]]:
    """The bucket, and the endpoint to reach it."""
    objects = Objects()
    handler = type("BoundHandler", (Handler,), {"objects": objects})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield objects, f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
