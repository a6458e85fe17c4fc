"""A transformer decoder in plain Python: embedding, layers with a cache of keys and values, head; greedy decoding.

The weights are random (weights.py), so what it says means nothing. What it computes is real: grouped attention with rotary positions,
a gated MLP, root-mean-square norms. A layer does the same sums in the same order wherever it is held, and what goes from node to node are
the very bits of the numbers, so every division of the layers gives the same tokens as the whole model in one process:

    python3 model.py WEIGHTS "a prompt" --tokens 32
"""

import argparse
import dataclasses
from array import array
from functools import lru_cache
from math import cos, exp, sin, sqrt
from operator import add, mul


@dataclasses.dataclass(frozen=True)
class Shape:
    """How a model is built, in the words of a mesh file (docs/schema/mesh.schema.json)."""

    layers: int = 16
    hidden: int = 64
    intermediate: int = 176
    heads: int = 4
    kv_heads: int = 2
    head_size: int = 16
    vocab: int = 256  # a token is a byte
    max_positions: int = 256

    def matrices(self):
        """Of one layer, in the order in which its file has them: name, rows, columns."""
        queries, keys = self.heads * self.head_size, self.kv_heads * self.head_size
        return [("query", queries, self.hidden), ("key", keys, self.hidden), ("value", keys, self.hidden),
                ("output", self.hidden, queries), ("gate", self.intermediate, self.hidden),
                ("up", self.intermediate, self.hidden), ("down", self.hidden, self.intermediate)]


def times(matrix, vector):
    return [sum(map(mul, row, vector)) for row in matrix]


def normed(vector):
    scale = 1.0 / sqrt(sum(map(mul, vector, vector)) / len(vector) + 1e-6)
    return [x * scale for x in vector]


@lru_cache(maxsize=1024)
def turns(position, size):
    """By how much each pair of numbers is turned at a position."""
    angles = [position * 10000.0 ** (-2 * pair / size) for pair in range(size // 2)]
    return [(cos(angle), sin(angle)) for angle in angles]


def turned(vector, position, size):
    """Each head of it, with the position turned in."""
    heads = []
    for start in range(0, len(vector), size):
        head = []
        for pair, (c, s) in enumerate(turns(position, size)):
            a, b = vector[start + 2 * pair], vector[start + 2 * pair + 1]
            head += (a * c - b * s, a * s + b * c)
        heads.append(head)
    return heads


class Cache:
    """Keys and values of one request in one layer. Values lie by column, so that a sum over positions is one row."""

    def __init__(self, shape):
        self.keys = [[] for _ in range(shape.kv_heads)]
        self.values = [[array("d") for _ in range(shape.head_size)] for _ in range(shape.kv_heads)]

    def __len__(self):
        return len(self.keys[0])

    def add(self, keys, values):
        for kept, key in zip(self.keys, keys):
            kept.append(array("d", key))
        size = len(self.values[0])
        for number, value in enumerate(values):
            self.values[number // size][number % size].append(value)


class Layer:
    def __init__(self, shape, matrices):
        self.shape = shape
        self.__dict__.update(matrices)

    def step(self, x, cache):
        """One more position: the vector that comes out for the one that goes in."""
        size, position = self.shape.head_size, len(cache)
        into = normed(x)
        cache.add(turned(times(self.key, into), position, size), times(self.value, into))
        looked_up = []
        for head, query in enumerate(turned(times(self.query, into), position, size)):
            looked_up += self._attend(query, cache, head * self.shape.kv_heads // self.shape.heads)
        x = list(map(add, x, times(self.output, looked_up)))
        into = normed(x)
        gated = [g / (1.0 + exp(-g)) * u for g, u in zip(times(self.gate, into), times(self.up, into))]
        return list(map(add, x, times(self.down, gated)))

    def _attend(self, query, cache, group):
        scores = [score / sqrt(self.shape.head_size) for score in times(cache.keys[group], query)]
        most = max(scores)
        weights = [exp(score - most) for score in scores]
        total = sum(weights)
        return [found / total for found in times(cache.values[group], weights)]


def likeliest(head, vector):
    """The token that comes next and its score, the largest; of equals the lowest number."""
    scores = times(head, normed(vector))
    most = max(scores)
    return scores.index(most), most


def whole_answer(shape, embedding, layers, head, tokens, count):
    """What any division of the layers must say: `count` tokens that follow these, with their scores."""
    caches = [Cache(shape) for _ in layers]
    answer = []
    fresh = list(tokens)
    while len(answer) < count:
        for token in fresh:
            x = list(embedding[token])
            for layer, cache in zip(layers, caches):
                x = layer.step(x, cache)
        answer.append(likeliest(head, x))
        fresh = [answer[-1][0]]
    return answer


def main():
    import weights

    parser = argparse.ArgumentParser(description="The whole model in this process; its weights are random, its answer means nothing.")
    parser.add_argument("weights")
    parser.add_argument("prompt")
    parser.add_argument("--tokens", type=int, default=32)
    said = parser.parse_args()
    shape = weights.read_shape(said.weights)
    layers = [weights.read_layer(said.weights, shape, number) for number in range(shape.layers)]
    answer = whole_answer(shape, weights.read_embedding(said.weights, shape), layers, weights.read_head(said.weights, shape),
                          said.prompt.encode(), said.tokens)
    print(*(token for token, _ in answer))


if __name__ == "__main__":
    main()
