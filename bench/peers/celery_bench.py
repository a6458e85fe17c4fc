"""Celery end to end: the application that the worker runs, and, run as a program, the one who hands in and waits."""

import os
import sys
import time

from celery import Celery

SOCKET = os.environ["BENCH_REDIS"]
app = Celery("celery_bench", broker=f"redis+socket://{SOCKET}?virtual_host=0", backend=f"redis+socket://{SOCKET}?virtual_host=1")
app.conf.update(task_acks_late=True, worker_prefetch_multiplier=16, broker_connection_retry_on_startup=True)


@app.task
def call(value):
    return value


def main():
    import redis

    count = int(sys.argv[1])
    results = redis.Redis(unix_socket_path=SOCKET, db=1)
    for _ in range(20):  # whoever comes first pays for the lines
        call.delay(0)
    while results.dbsize() < 20:
        time.sleep(0.01)
    begin = time.time()
    for _ in range(count):
        call.delay(1)
    accepted = time.time()
    while results.dbsize() < count + 20:
        time.sleep(0.005)
    print("begin", begin, "accepted", accepted, "ended", time.time())


if __name__ == "__main__":
    main()
