"""A runner in a few lines: load a model once, answer calls. Needs nothing but Python 3.

    from switchyard_runner import serve

    def load():                 # once; whatever it returns is handed to every call
        return Model(...)

    def run(model, call):       # for each call; what it returns is the task's output
        call.progress(0.5, "half done")
        return model.answer(call.input)

    serve(load, run)

Standard output belongs to the protocol (docs/runner.md): print to standard error, or use `print` as usual, which this
module sends there.
"""

import json
import os
import sys
import threading
import traceback


class Call:
    """One call: its input, and ways to say how it goes."""

    def __init__(self, speak, call_id, input):
        self.id = call_id
        self.input = input
        self.cancelled = threading.Event()
        self.peak_memory_mb = None  # set it to what the GPU held at most, model included, where you know
        self._speak = speak

    def progress(self, fraction, message=""):
        self._speak({"progress": {"id": self.id, "fraction": fraction, "message": message}})

    def piece(self, data):
        """Part of the answer, for whoever listens while it is made; what `run` returns has it all."""
        self._speak({"piece": {"id": self.id, "data": data}})


class Failed(Exception):
    """Raise it to fail a call with a message and a kind: "oom" for want of GPU memory, "input" for what was asked."""

    def __init__(self, message, kind=""):
        super().__init__(message)
        self.kind = kind


def serve(load, run):
    speak = _take_over_output()
    model = load()
    speak({"ready": {}})
    calls = {}
    threading.Thread(target=_listen, args=(calls, speak), daemon=True).start()
    while True:
        call = _next(calls)
        if call is None:
            return
        try:
            result = {"id": call.id, "output": run(model, call)}
            if call.peak_memory_mb is not None:
                result["peak_memory_mb"] = call.peak_memory_mb
            speak({"result": result})
        except BaseException as error:  # the runner outlives what goes wrong in a call
            traceback.print_exc(file=sys.stderr)
            speak({"error": {"id": call.id, "message": _message(error), "kind": _kind(error)}})
            if not isinstance(error, Exception):
                raise


_wake = threading.Condition()


def _take_over_output():
    """The protocol gets the real standard output; whatever else is printed goes to standard error."""
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lock = threading.Lock()

    def speak(word):
        with lock:
            wire.write(json.dumps(word) + "\n")
            wire.flush()

    return speak


def _listen(calls, speak):
    for line in sys.stdin:
        word = json.loads(line)
        with _wake:
            if "run" in word:
                calls["next"] = Call(speak, word["run"]["id"], word["run"].get("input"))
                calls["now"] = calls["next"]
            elif "cancel" in word and "now" in calls:
                calls["now"].cancelled.set()
            elif "unload" in word:
                calls["over"] = True
            _wake.notify()
    with _wake:
        calls["over"] = True
        _wake.notify()


def _next(calls):
    with _wake:
        while "next" not in calls and "over" not in calls:
            _wake.wait()
        return calls.pop("next", None)


def _kind(error):
    if isinstance(error, Failed):
        return error.kind
    return "oom" if "OutOfMemoryError" in type(error).__name__ else ""


def _message(error):
    return str(error) or type(error).__name__
