"""Tells a service that the model in a folder of weights is to be served by nodes that will join.

    python3 offer.py WEIGHTS --server unix:/tmp/yard/api.sock
"""

import argparse
import dataclasses
import json
import sys

import service
import weights


def order_of(name, shape, scheduling):
    """One request is computed at a time (`batch`), and most of a node's memory is for keys and values: its weights are few."""
    return {"name": name,
            "model": {"name": name, "param_bytes": 4, "cache_bytes": 8, **dataclasses.asdict(shape)},
            "settings": {"batch": 1, "max_concurrent": 16, "max_sequence": shape.max_positions, "param_ratio": 0.2, "kv_ratio": 0.7},
            "scheduling": scheduling}


def main():
    parser = argparse.ArgumentParser(description="Tell a service that a model is to be served by nodes that will join.")
    parser.add_argument("weights")
    parser.add_argument("--scheduling", type=json.loads, default={"heartbeat_timeout_s": 10}, help="a JSON object (docs/pipelines.md)")
    service.add_options(parser)
    said = parser.parse_args()
    try:
        print(json.dumps(service.from_options(said).offer(order_of(said.model, weights.read_shape(said.weights), said.scheduling))))
    except (service.Refused, service.Unreachable) as error:
        sys.exit(f"offer: {error}")


if __name__ == "__main__":
    main()
