"""What a node knows of itself and of the ways to others, measured."""

import time

from model import times
from wire import Gone, Line


def of_this_node(shape, seconds=0.02):
    """Operations and bytes a second of what it does all day: a matrix times a vector, in plain Python."""
    matrix, vector = [[0.5] * shape.hidden] * shape.hidden, [0.5] * shape.hidden
    rounds, begun = 0, time.perf_counter()
    while time.perf_counter() < begun + seconds:
        times(matrix, vector)
        rounds += 1
    products = rounds * shape.hidden**2 / (time.perf_counter() - begun)
    return {"tflops": 2 * products / 1e12, "bandwidth_gb_s": 4 * products / 1e9}


def links(name, others, most=16):
    """Round trips from here to so many other nodes, for both directions; those that do not answer are left out."""
    found = []
    for other, address in others[:most]:
        rtt_ms = round_trip_ms(address)
        if rtt_ms is not None:
            found += [{"from": a, "to": b, "rtt_ms": rtt_ms} for a, b in ((name, other), (other, name))]
    return found


def round_trip_ms(address, tries=3):
    """The shortest of some: the others have waited for something else as well."""
    try:
        with Line(address, patience_s=1) as line:
            return min(_asked(line) for _ in range(tries))
    except Gone:
        return None


def _asked(line):
    begun = time.perf_counter()
    line.ask({"ping": True})
    return 1000 * (time.perf_counter() - begun)
