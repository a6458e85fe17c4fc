"""What is said to a Switchyard service about one model over many nodes (docs/pipelines.md), over its socket or TCP."""

import argparse
import http.client
import json
import os
import socket
import ssl
import time
from pathlib import Path
from urllib.parse import urlsplit


class Unreachable(Exception):
    """Nobody answers there, or not any more."""


class Refused(Exception):
    def __init__(self, status, answer):
        super().__init__(answer.get("error", f"status {status}"))
        self.status, self.answer = status, answer


class _Socket(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Service:
    """`server` is unix:/path/api.sock, http://host:port or https://host:port. May be used by several threads."""

    def __init__(self, server, model, token_file=None, ca_file=None):
        self.server, self.model = server, model
        self.headers = {"Content-Type": "application/json"}
        if token_file:
            self.headers["Authorization"] = "Bearer " + Path(token_file).read_text().strip()
        self.trusted = ssl.create_default_context(cafile=ca_file) if server.startswith("https:") else None

    def offer(self, order):
        return self._ask("POST", "", order)

    def shown(self):
        return self._ask("GET", "/" + self.model)

    def tell(self, what, body, timeout_s=10):
        """join, beat, leave, links, end."""
        return self._ask("POST", f"/{self.model}/{what}", body, timeout_s)

    def ask_way(self, what, body, patience_s):
        """route or failed: waits for a way, and for a service that is being started anew."""
        end = time.monotonic() + patience_s
        while True:
            try:
                return self._ask("POST", f"/{self.model}/{what}", body, timeout_s=max(1, end - time.monotonic()))
            except Unreachable:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def _ask(self, method, path, body=None, timeout_s=10):
        line = self._dial(timeout_s)
        try:
            line.request(method, "/api/v1/pipelines" + path, None if body is None else json.dumps(body), self.headers)
            response = line.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable(f"{self.server}: {error or type(error).__name__}") from error
        finally:
            line.close()
        if response.status >= 300:
            raise Refused(response.status, answer)
        return answer

    def _dial(self, timeout_s):
        if self.server.startswith("unix:"):
            return _Socket(self.server.removeprefix("unix:"), timeout_s)
        there = urlsplit(self.server)
        if there.scheme == "https":
            return http.client.HTTPSConnection(there.hostname, there.port, timeout=timeout_s, context=self.trusted)
        return http.client.HTTPConnection(there.hostname, there.port, timeout=timeout_s)


def add_options(parser: argparse.ArgumentParser):
    said = os.environ.get
    parser.add_argument("--server", default=said("SWITCHYARD_SERVER", "http://127.0.0.1:7878"), help="unix:/path/api.sock, http:// or https://")
    parser.add_argument("--token-file", default=said("SWITCHYARD_TOKEN_FILE"), help="a file that holds your token, where one is needed")
    parser.add_argument("--ca-file", default=said("SWITCHYARD_CA_FILE"), help="who vouches for an https:// server")
    parser.add_argument("--model", default="tiny", help="the pipeline's name at the service")


def from_options(said):
    return Service(said.server, said.model, said.token_file, said.ca_file)
