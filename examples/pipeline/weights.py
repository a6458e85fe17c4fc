"""A model's weights as files, one for each layer, so that a node reads only what it is to hold.

    python3 weights.py FOLDER --layers 16 --hidden 64

writes them once: random numbers from a seed. The model says nothing that means anything; it takes its place for those that do.
Numbers are of four bytes, little-endian, row after row, in files named for what they are; model.json has the shape.
"""

import argparse
import dataclasses
import hashlib
import json
import random
import sys
from array import array
from pathlib import Path

from model import Layer, Shape

NOTE = "The weights are random numbers: what this model says means nothing."


def write(folder, shape, seed):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _write_matrices(folder / "embedding.f32", f"{seed} embedding", [(shape.vocab, shape.hidden, 1.0)])
    _write_matrices(folder / "head.f32", f"{seed} head", [(shape.vocab, shape.hidden, shape.hidden**-0.5)])
    for number in range(shape.layers):
        matrices = [(rows, columns, columns**-0.5) for _, rows, columns in shape.matrices()]
        _write_matrices(_layer_file(folder, number), f"{seed} layer {number}", matrices)
    about = {"note": NOTE, "seed": seed, "shape": dataclasses.asdict(shape)}
    (folder / "model.json").write_text(json.dumps(about, indent=1) + "\n")  # last: a folder that has it is whole


def read_shape(folder):
    return Shape(**json.loads((Path(folder) / "model.json").read_text())["shape"])


def digest(folder):
    """The same for two folders that hold the same model."""
    return hashlib.sha256((Path(folder) / "model.json").read_bytes()).hexdigest()


def read_layer(folder, shape, number):
    rows = _read_matrices(_layer_file(Path(folder), number), [(rows, columns) for _, rows, columns in shape.matrices()])
    return Layer(shape, {name: matrix for (name, _, _), matrix in zip(shape.matrices(), rows)})


def read_embedding(folder, shape):
    return _read_matrices(Path(folder) / "embedding.f32", [(shape.vocab, shape.hidden)])[0]


def read_head(folder, shape):
    return _read_matrices(Path(folder) / "head.f32", [(shape.vocab, shape.hidden)])[0]


def _layer_file(folder, number):
    return folder / f"layer-{number:03}.f32"


def _write_matrices(path, seed, matrices):
    draw = random.Random(seed).gauss
    numbers = array("f", [draw(0.0, spread) for rows, columns, spread in matrices for _ in range(rows * columns)])
    path.write_bytes(_little_endian(numbers).tobytes())


def _read_matrices(path, sizes):
    """Each as a list of rows. A file that is too short or too long is not this model's."""
    data, wanted = path.read_bytes(), 4 * sum(rows * columns for rows, columns in sizes)
    if len(data) != wanted:
        raise ValueError(f"{path} has {len(data)} bytes, of this model it would have {wanted}")
    numbers = _little_endian(array("f", data))
    matrices, at = [], 0
    for rows, columns in sizes:
        matrices.append([numbers[at + row * columns : at + (row + 1) * columns] for row in range(rows)])
        at += rows * columns
    return matrices


def _little_endian(numbers):
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def main():
    usual = Shape()
    parser = argparse.ArgumentParser(description=NOTE)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    for field in dataclasses.fields(Shape):
        parser.add_argument("--" + field.name.replace("_", "-"), type=int, default=getattr(usual, field.name))
    said = vars(parser.parse_args())
    write(said.pop("folder"), seed=said.pop("seed"), shape=Shape(**said))


if __name__ == "__main__":
    main()
