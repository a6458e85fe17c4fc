"""Messages between nodes, and between a client and a node: a JSON object, and vectors as the very bits of their numbers.

A message is two lengths of four bytes, the JSON, and the vectors (eight bytes a number). `Line` is one connection of a client or a node to a
node. Whoever can reach a node's port is trusted: there is no encryption here and no password. Put nodes on a network of their own.
"""

import json
import socket
import struct
import sys
from array import array

LENGTHS = struct.Struct("<II")
LONGEST_JSON = 1 << 20
LONGEST_VECTORS = 1 << 28


class Gone(Exception):
    """The other end hung up, said nothing for too long, or is not there."""


def send(connection, message, vectors=()):
    text = json.dumps(message).encode()
    numbers = array("d")
    for vector in vectors:
        numbers.extend(vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    data = numbers.tobytes()
    connection.sendall(LENGTHS.pack(len(text), len(data)) + text + data)


def receive(connection, width):
    """The next message and its vectors, each of `width` numbers; nothing where the other end has hung up."""
    start = _exactly(connection, LENGTHS.size)
    if start is None:
        return None
    text_length, data_length = LENGTHS.unpack(start)
    if text_length > LONGEST_JSON or data_length > LONGEST_VECTORS or data_length % (8 * width) != 0:
        raise Gone(f"it sent a message of {text_length} + {data_length} bytes, which is none of ours")
    text, data = _exactly(connection, text_length), _exactly(connection, data_length)
    if text is None or data is None:
        return None
    numbers = array("d", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    try:
        message = json.loads(text)
    except ValueError as error:
        raise Gone(f"it sent what is no JSON: {error}") from error
    return message, [numbers[at : at + width] for at in range(0, len(numbers), width)]


def _exactly(connection, count):
    data = bytearray()
    while len(data) < count:
        piece = connection.recv(min(count - len(data), 1 << 20))
        if not piece:
            return None
        data += piece
    return bytes(data)


class Line:
    """`width`: of the vectors that come back, where any do."""

    def __init__(self, address, patience_s, width=1):
        host, _, port = address.rpartition(":")
        self.width = width
        try:
            self.connection = socket.create_connection((host, int(port)), timeout=patience_s)
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, ValueError) as error:
            raise Gone(f"{address}: {error}") from error

    def ask(self, message, vectors=()):
        try:
            send(self.connection, message, vectors)
            answer = receive(self.connection, self.width)
        except TimeoutError as error:
            raise Gone(f"no answer in {self.connection.gettimeout()} s") from error
        except OSError as error:
            raise Gone(str(error)) from error
        if answer is None:
            raise Gone("it hung up")
        return answer[0]

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
