"""A runner with real weights on a real GPU: a stack of layers of MODEL_GB gigabytes in bfloat16, which are random.

It needs PyTorch. A call {"tokens": 512, "rounds": 8} sends that many vectors through all layers, so many times, and gives back how
long they are at the end: nothing anybody would want to know, computed for real.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from switchyard_runner import serve

HIDDEN = 8192
BYTES_OF_A_LAYER = HIDDEN * HIDDEN * 2


def load():
    import torch

    on_host = torch.empty((HIDDEN, HIDDEN), dtype=torch.bfloat16, pin_memory=True)
    layers = []
    for number in range(max(1, round(float(os.environ.get("MODEL_GB", "8")) * 1e9 / BYTES_OF_A_LAYER))):
        torch.manual_seed(number % 4)
        if number < 4:
            on_host.normal_(0, HIDDEN**-0.5)
        layers.append(on_host.to("cuda"))
    torch.cuda.synchronize()
    return torch, layers


def run(model, call):
    torch, layers = model
    wish = call.input if isinstance(call.input, dict) else {}
    x = torch.ones((int(wish.get("tokens", 512)), HIDDEN), dtype=torch.bfloat16, device="cuda")
    for _ in range(int(wish.get("rounds", 1))):
        for layer in layers:
            x = torch.nn.functional.rms_norm(x @ layer, (HIDDEN,))
    length = float(x.float().norm())
    call.peak_memory_mb = torch.cuda.max_memory_reserved() / 1e6
    return {"length": length, "layers": len(layers)}


serve(load, run)
