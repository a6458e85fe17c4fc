"""Passage: one request on its way through this node, for as long as its line is held.

A line carries one request. Its keys and values live and die with the line: a client that goes takes them along, and one that comes again by
another way begins anew. What a node has computed goes straight on to the next node of the way; the token comes back along it.

    {"begin": {"way": [{"node", "address", "first", "end"}, …], "stage": 0, "patience_s": 10}}    {"ready": true}
    {"tokens": […]} at the first stage, vectors at the others                                    {"token": 42, "score": 3.1}

An answer may also be {"failed": NODE, "kind": "gone" | "moved" | "full", "why": …}: which node did not do its part, or {"refused": …}.
"""

import threading
import time

from model import Cache, likeliest
from share import Moved
from wire import Gone, Line


class Ended(Exception):
    """With an answer that is no token; the line is of no use any more."""

    def __init__(self, answer):
        super().__init__(answer)
        self.answer = answer


def failed(node, kind, why):
    return Ended({"failed": node, "kind": kind, "why": why})


class Pace:
    """One token at a time passes through the layers of a node; how long a layer takes, since it was last asked."""

    def __init__(self):
        self.turn = threading.Lock()
        self._seconds, self._layers, self._tokens = 0.0, 0, 0

    def note(self, seconds, layers):
        self._seconds += seconds
        self._layers += layers
        self._tokens += 1

    def taken(self):
        """Milliseconds of a layer and how many steps that is the mean of; nothing where none was made."""
        with self.turn:
            seconds, layers, tokens = self._seconds, self._layers, self._tokens
            self._seconds, self._layers, self._tokens = 0.0, 0, 0
        return {"ms_per_layer": 1000 * seconds / layers, "steps": tokens} if layers else {}


class Passage:
    def __init__(self, name, share, pace, begin):
        self.name, self.share, self.pace = name, share, pace
        self.way, self.stage = begin["way"], begin["stage"]
        if begin.setdefault("weights", share.digest) != share.digest:
            raise Ended({"refused": f"{name} has the weights of another model"})
        self.here = self.way[self.stage]
        self.onward = None
        self._layers()  # refused at once where they are not here
        self.caches = [Cache(share.shape) for _ in range(self.here["first"], self.here["end"])]
        if not self._is_last():
            self._open_onward(begin)

    def step(self, tokens, vectors):
        layers = self._layers()
        if self.stage == 0:
            embedding = self._held(self.share.embedding)
            if not all(0 <= token < len(embedding) for token in tokens):
                raise ValueError(f"a token is a number from 0 to {len(embedding) - 1}")
            vectors = [list(embedding[token]) for token in tokens]
        if not vectors or len(self.caches[0]) + len(vectors) > self.share.shape.max_positions:
            raise Ended({"refused": f"a request has 1 to {self.share.shape.max_positions} tokens, this one would have "
                                    f"{len(self.caches[0]) + len(vectors)}"})
        vectors = [self._through(layers, vector) for vector in vectors]
        if self._is_last():
            token, score = likeliest(self._held(self.share.head), vectors[-1])
            return {"token": token, "score": score}
        return self._ask_onward({}, vectors)

    def close(self):
        if self.onward:
            self.onward.close()

    def _is_last(self):
        return self.stage + 1 == len(self.way)

    def _layers(self):
        return self._held(lambda: self.share.layers(self.here["first"], self.here["end"]))

    def _held(self, get):
        try:
            return get()
        except Moved as moved:
            raise failed(self.name, "moved", str(moved)) from moved

    def _through(self, layers, x):
        with self.pace.turn:
            begun = time.perf_counter()
            for layer, cache in zip(layers, self.caches):
                x = layer.step(x, cache)
            self.pace.note(time.perf_counter() - begun, len(layers))
        return x

    def _open_onward(self, begin):
        # The nearer to the end, the shorter the wait: whoever stands before a node that hangs is the first to say so.
        patience_s = begin["patience_s"] * (len(self.way) - self.stage - 1)
        try:
            self.onward = Line(self.way[self.stage + 1]["address"], patience_s)
        except Gone as gone:
            raise self._gone(gone) from gone
        try:
            self._ask_onward({"begin": {**begin, "stage": self.stage + 1}})
        except Ended:
            self.close()
            raise

    def _ask_onward(self, message, vectors=()):
        try:
            answer = self.onward.ask(message, vectors)
        except Gone as gone:
            raise self._gone(gone) from gone
        if "failed" in answer or "refused" in answer:
            raise Ended(answer)
        return answer

    def _gone(self, gone):
        return failed(self.way[self.stage + 1]["node"], "gone", f"{self.name} to the next: {gone}")
