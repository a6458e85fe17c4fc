"""A runner whose model is pretended: it takes a while to load and gives back what it is asked.

What it understands, to try things out: {"sleep_s": 2}, {"fail": "why"}, {"oom": true}, {"peak_memory_mb": 900}, anything else comes
back.
"""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from switchyard_runner import Failed, serve


def load():
    time.sleep(float(os.environ.get("LOAD_S", "0.2")))
    return {"model": os.environ.get("SWITCHYARD_MODEL", "?"), "calls": 0}


def run(model, call):
    model["calls"] += 1
    wish = call.input if isinstance(call.input, dict) else {}
    if "fail" in wish:
        raise Failed(wish["fail"], "input")
    if wish.get("oom"):
        raise Failed("CUDA out of memory (pretended)", "oom")
    call.peak_memory_mb = wish.get("peak_memory_mb")
    if "sleep_s" in wish:
        call.progress(0.5, "sleeping")
        call.cancelled.wait(wish["sleep_s"])
        if call.cancelled.is_set():
            raise Failed("cancelled")
    return {"echo": call.input, "model": model["model"], "calls": model["calls"]}


serve(load, run)
