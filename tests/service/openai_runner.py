"""A runner for the tests of the OpenAI front: what a call says decides how it is answered.

The text of the last message (or the prompt) is the wish: "sleep 2" takes that long, "fail WHY" fails, "number" is answered with a number,
"echo WORDS" with its words, "spell WORD" letter by letter; an embedding is the lengths of the texts. STARTED, where it is set, names a file that gets a line when a call
begins; LOAD_S is how long loading takes.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/runner"))
from switchyard_runner import Failed, serve


def load():
    note("loading")
    time.sleep(float(os.environ.get("LOAD_S", "0")))


def note(text):
    if "STARTED" in os.environ:
        with open(os.environ["STARTED"], "a", encoding="utf-8") as file:
            file.write(text + "\n")


def wish_of(body):
    return body["prompt"] if "prompt" in body else str(body["messages"][-1]["content"])


def run(_, call):
    path, body = call.input["path"], call.input["body"]
    if path == "/v1/embeddings":
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        return [[float(len(text)), 0.5] for text in texts]
    word, _, rest = wish_of(body).partition(" ")
    note(f"{word} {rest}")
    if word == "sleep":
        call.cancelled.wait(float(rest))
        if call.cancelled.is_set():
            note("cancelled")
            raise Failed("cancelled")
        return "slept"
    if word == "fail":
        raise Failed(rest)
    if word == "spell":
        for letter in rest:
            if call.cancelled.is_set():
                raise Failed("cancelled")
            call.piece(letter)
            time.sleep(0.05 if len(rest) < 10 else 0.0005)
        return rest
    if word == "number":
        return 42
    if word == "keys":
        return sorted(body)
    if word == "whole":
        return {"id": "own", "object": "chat.completion", "created": 1, "model": "own", "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "mine"}, "finish_reason": "length"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}}
    return rest


serve(load, run)
