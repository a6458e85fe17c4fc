"""A model server whose model is pretended, in the way of OpenAI's HTTP interface. Needs nothing but Python 3.

    python3 openai_server.py --port 8000

It takes LOAD_S to load, gives back the words it is asked, one at a time where the answer is streamed (WORD_S apart), and
can sleep (POST /sleep) and be woken (POST /wake_up, which takes WAKE_S). What a real server of this kind is asked for by
Switchyard is here: /health, /v1/chat/completions, /v1/completions, /v1/embeddings, /v1/models, /sleep, /wake_up.
"""

import argparse
import hashlib
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = os.environ.get("SWITCHYARD_MODEL", "echo")


class Model:
    """Loaded after a while, then awake or asleep."""

    def __init__(self):
        self.loaded = threading.Event()
        self.awake = True
        threading.Thread(target=self._load, daemon=True).start()

    def _load(self):
        print(f"loading {NAME}", file=sys.stderr, flush=True)
        time.sleep(float(os.environ.get("LOAD_S", "0.2")))
        self.loaded.set()

    def wake(self):
        time.sleep(float(os.environ.get("WAKE_S", "0.05")))
        self.awake = True


model = Model()


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def words_of(path, body):
    if path == "/v1/completions":
        text = body.get("prompt")
        if not isinstance(text, str):
            raise Refused(400, "prompt must be a text")
        return text.split()
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused(400, "messages must be a list of at least one message")
    return str(messages[-1].get("content", "")).split()


def head_of(path, streamed):
    chat = path == "/v1/chat/completions"
    kind = ("chat.completion.chunk" if streamed else "chat.completion") if chat else "text_completion"
    return {"id": f"echo-{time.time_ns()}", "object": kind, "created": int(time.time()), "model": NAME,
            "system_fingerprint": f"pid-{os.getpid()}"}


def choice_of(path, text, streamed, finish):
    choice = {"index": 0, "finish_reason": finish}
    if path == "/v1/completions":
        choice["text"] = text
    elif streamed:
        choice["delta"] = {"content": text} if text else {}
    else:
        choice["message"] = {"role": "assistant", "content": text}
    return choice


def embeddings(body):
    texts = body.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list):
        raise Refused(400, "input must be a text or a list of texts")
    data = [{"object": "embedding", "index": i,
             "embedding": [byte / 255 for byte in hashlib.sha256(str(text).encode()).digest()[:8]]}
            for i, text in enumerate(texts)]
    return {"object": "list", "data": data, "model": NAME, "usage": {"prompt_tokens": 0, "total_tokens": 0}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        print(self.command, self.path.split("?")[0], *words[1:2], file=sys.stderr, flush=True)

    def answer(self, status, document):
        bytes_ = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(bytes_)))
        self.end_headers()
        self.wfile.write(bytes_)

    def refuse(self, status, message):
        self.answer(status, {"error": {"message": message, "type": "invalid_request_error", "code": status}})

    def do_GET(self):
        if self.path == "/health":
            ready = model.loaded.is_set() and model.awake
            return self.answer(200 if ready else 503, {"status": "ok" if ready else "loading"})
        if self.path == "/v1/models":
            return self.answer(200, {"object": "list", "data": [{"id": NAME, "object": "model"}]})
        self.refuse(404, f"there is no {self.path}")

    def do_POST(self):
        path = self.path.split("?")[0]
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            if path == "/sleep":
                model.awake = False
                return self.answer(200, {})
            if path == "/wake_up":
                model.wake()
                return self.answer(200, {})
            if not model.loaded.is_set() or not model.awake:
                raise Refused(503, "the model is not loaded")
            body = json.loads(raw or b"null")
            if not isinstance(body, dict):
                raise Refused(400, "the body must be a map")
            self.serve(path, body)
        except json.JSONDecodeError as error:
            self.refuse(400, f"the body is no JSON: {error}")
        except Refused as refused:
            self.refuse(refused.status, str(refused))

    def serve(self, path, body):
        if path == "/v1/embeddings":
            return self.answer(200, embeddings(body))
        if path not in ("/v1/chat/completions", "/v1/completions"):
            raise Refused(404, f"there is no {path}")
        words = words_of(path, body)
        if body.get("stream"):
            return self.stream(path, words)
        usage = {"prompt_tokens": len(words), "completion_tokens": len(words), "total_tokens": 2 * len(words)}
        self.answer(200, {**head_of(path, False), "choices": [choice_of(path, " ".join(words), False, "stop")],
                          "usage": usage})

    def stream(self, path, words):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        head = head_of(path, True)
        pieces = [choice_of(path, word if i == 0 else " " + word, True, None) for i, word in enumerate(words)]
        for piece in pieces + [choice_of(path, "", True, "stop")]:
            self.say(json.dumps({**head, "choices": [piece]}))
            time.sleep(float(os.environ.get("WORD_S", "0.005")))
        self.say("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def say(self, text):
        bytes_ = f"data: {text}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(bytes_), bytes_))
        self.wfile.flush()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--host", default="127.0.0.1")
    arguments.add_argument("--port", type=int, default=8000)
    place = arguments.parse_args()
    ThreadingHTTPServer((place.host, place.port), Handler).serve_forever()
