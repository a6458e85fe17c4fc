"""A model server that misbehaves in one way, for tests: odd_server.py WAY PORT."""

import os
import socket
import sys
import time

WAY, PORT = sys.argv[1], int(sys.argv[2])
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def answer(line):
    if WAY == "garbage":
        line.sendall(b"SSH-2.0-OpenSSH_9.2p1 Debian\r\n")
    elif WAY == "huge":
        line.sendall(HEAD + b"\r\n")
        block = b"x" * 1_000_000
        for _ in range(120):
            line.sendall(block)
    elif WAY == "large":
        line.sendall(HEAD + b"Content-Length: 2000002\r\n\r\n\"" + b"x" * 2_000_000 + b"\"")
    elif WAY == "dies":
        line.sendall(HEAD + b"Content-Length: 100\r\n\r\n{\"half\":")
        print("Segmentation fault", file=sys.stderr, flush=True)
        os._exit(139)
    elif WAY == "hangs-up":
        line.sendall(HEAD + b"Content-Length: 100\r\n\r\n{\"half\":")
    elif WAY == "oom":
        print("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB", file=sys.stderr, flush=True)
        body = b'{"error": {"message": "EngineCore encountered an issue"}}'
        line.sendall(b"HTTP/1.1 500 Oops\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    elif WAY == "hangs":
        time.sleep(1000)


if WAY == "ends":
    print("loading weights\nno such file: weights.gguf", file=sys.stderr, flush=True)
    sys.exit(3)
if WAY == "forks" and os.fork() == 0:
    time.sleep(1000)
if WAY == "deaf":
    print("still loading", flush=True)
    time.sleep(1000)
listener = socket.create_server(("127.0.0.1", PORT))
while True:
    line, _ = listener.accept()
    asked = line.recv(65536)
    try:
        if WAY == "never" and asked.startswith(b"GET"):
            line.sendall(b"HTTP/1.1 503 Loading\r\nContent-Length: 0\r\n\r\n")
        elif asked.startswith(b"GET") or asked.startswith(b"POST /sleep"):
            line.sendall(OK)
        elif asked.startswith(b"POST /wake_up"):
            line.sendall(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
        else:
            answer(line)
    except OSError:
        pass
    line.close()
