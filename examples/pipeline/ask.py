"""Asks a model that nodes hold between them: a way from the service, tokens from the nodes.

    python3 ask.py "What is a switchyard?" --tokens 32 --server unix:/tmp/yard/api.sock

When a node on the way fails, the service is told so and gives another way, and the answer goes on where it was: the new way is sent the
prompt and all tokens so far. Ends with status 0 when every token came, otherwise with the reason. --json prints what happens, a line each.
"""

import argparse
import json
import sys
import time

import service
from wire import Gone, Line

FULL_S = 1  # until a node that had no room for a request is asked again
MOST_WAIT_S = 120  # for a way; the service has its own limit, patience_s


class Broken(Exception):
    def __init__(self, node, kind, why):
        super().__init__(f"{node}: {why}")
        self.node, self.kind = node, kind


class NoAnswer(Exception):
    pass


class Asking:
    """One request, from its first way to its end."""

    def __init__(self, at, patience_s, say):
        self.at, self.patience_s, self.say = at, patience_s, say
        self.request, self.way = None, None
        self.answer = []

    def tokens(self, prompt, count):
        """Each of them with its score, as soon as it is known."""
        self._take(self._route({"prompt_tokens": len(prompt), "output_tokens": count}))
        while len(self.answer) < count:
            try:
                yield from self._along_the_way(prompt, count)
            except Broken as broken:
                self.say({"broken": broken.node, "kind": broken.kind, "why": str(broken), "tokens": len(self.answer)})
                self._take(self._another_way(broken))

    def end(self):
        """Whatever became of it: its load is given back."""
        if self.request is None:
            return
        try:
            self.at.tell("end", {"request": self.request})
        except (service.Refused, service.Unreachable):
            pass  # it is not known there (any more), which is as good

    def _along_the_way(self, prompt, count):
        stages = self.way
        begin = {"way": stages, "stage": 0, "patience_s": self.patience_s}
        try:
            line = Line(stages[0]["address"], self.patience_s * len(stages))
        except Gone as gone:
            raise Broken(stages[0]["node"], "gone", str(gone)) from gone
        with line:
            self._ask(line, {"begin": begin})
            fresh = list(prompt) + self.answer
            while len(self.answer) < count:
                made = self._ask(line, {"tokens": fresh})
                fresh = [made["token"]]
                self.answer += fresh
                yield made["token"], made["score"]

    def _ask(self, line, message):
        try:
            answer = line.ask(message)
        except Gone as gone:
            raise Broken(self.way[0]["node"], "gone", str(gone)) from gone
        if "failed" in answer:
            raise Broken(answer["failed"], answer["kind"], answer["why"])
        if "refused" in answer:
            raise NoAnswer(answer["refused"])
        return answer

    def _another_way(self, broken):
        """Layers that moved away were expected to: whoever asks again is told where they are now. Anything else is a failure."""
        if broken.kind == "moved":
            given = self._route({"request": self.request})
            if given["stages"] != self.way:
                return given
        if broken.kind == "full":
            time.sleep(FULL_S)
        try:
            return self._ask_way("failed", {"request": self.request, "node": broken.node})
        except service.Refused as refused:
            if refused.status != 404:
                raise
            return self._route({"request": self.request})  # the service was started anew

    def _route(self, body):
        return self._ask_way("route", body)

    def _ask_way(self, what, body):
        """Who has part of an answer does not give up at once where nobody holds the layers: a service that was started anew hears of its
        nodes when they beat."""
        end = time.monotonic() + MOST_WAIT_S
        while True:
            try:
                return self.at.ask_way(what, body, MOST_WAIT_S)
            except service.Refused as refused:
                if not self.answer or refused.answer.get("why") != "not_servable" or time.monotonic() > end:
                    raise
            time.sleep(0.2)

    def _take(self, given):
        self.request, self.way = given["request"], given["stages"]
        self.say({"request": self.request, "way": [[stage["node"], stage["first"], stage["end"]] for stage in self.way]})


def main():
    parser = argparse.ArgumentParser(description="Ask a model that nodes hold between them. Its weights are random, its answer means nothing.")
    parser.add_argument("prompt")
    parser.add_argument("--tokens", type=int, default=32, help="how many to make (default 32)")
    parser.add_argument("--patience-s", type=float, default=10.0, help="how long a node may take for a step")
    parser.add_argument("--json", action="store_true", help="print what happens, a JSON line each")
    service.add_options(parser)
    said = parser.parse_args()

    def say(what):
        print(json.dumps(what) if said.json else f"  {what}", file=sys.stdout if said.json else sys.stderr, flush=True)

    at = service.from_options(said)
    asking = Asking(at, said.patience_s, say)
    try:
        for token, score in asking.tokens(said.prompt.encode(), said.tokens):
            if said.json:
                say({"token": token, "score": score})
            else:
                print(token, end=" ", flush=True)
    except (NoAnswer, service.Refused, service.Unreachable) as error:
        sys.exit(f"ask: {error} (after {len(asking.answer)} of {said.tokens} tokens)")
    finally:
        asking.end()
    if not said.json:
        print()


if __name__ == "__main__":
    main()
