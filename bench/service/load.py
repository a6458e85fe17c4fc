#!/usr/bin/env python3
"""Submits tasks to a running service over several connections and waits for their end; prints rates.

    switchyard serve --folder /tmp/try --gpus simulated:8 --models-file models.yaml &
    bench/service/load.py /tmp/try/api.sock 20000 50 '{"model": "echo", "input": 1}'
    bench/service/load.py /tmp/try/api.sock 4000 50 '{"command": ["/bin/true"], "memory_mb": 100}'
    bench/service/load.py /tmp/try/api.sock 40000 4 '{"model": "echo", "input": 1}' 1000     # 1,000 a request
"""

import json
import socket
import sys
import threading
import time


def connect(path):
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)
    return line


def ask(path, target):
    line = connect(path)
    line.sendall(f"GET {target} HTTP/1.1\r\nHost: switchyard\r\nConnection: close\r\n\r\n".encode())
    heard = b""
    while piece := line.recv(65536):
        heard += piece
    return json.loads(heard.split(b"\r\n\r\n", 1)[1])


def submit(path, requests, body):
    line = connect(path)
    head = f"POST /api/v1/tasks HTTP/1.1\r\nHost: switchyard\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    request = head.encode() + b"\r\n\r\n" + body
    for _ in range(requests):
        line.sendall(request)
        heard = b""
        while not heard.endswith(b"}\n"):
            heard += line.recv(65536)
        assert heard.startswith(b"HTTP/1.1 201"), heard[:200]


def main():
    path, tasks, connections, task = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
    each = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    body = json.dumps(task if each == 1 else {"tasks": [task] * each}).encode()
    requests = tasks // each // connections
    begin = time.monotonic()
    threads = [threading.Thread(target=submit, args=(path, requests, body)) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = requests * connections * each
    print(f"{done / (time.monotonic() - begin):.0f} accepted a second")
    while sum(ask(path, "/api/v1/queue")[key] for key in ("queued", "held", "running")) > 0:
        time.sleep(0.01)
    print(f"{done / (time.monotonic() - begin):.0f} a second from submission to end")


main()
