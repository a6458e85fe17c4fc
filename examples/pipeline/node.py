"""A node: holds the layers that the service tells it to, and passes requests through them.

    python3 node.py WEIGHTS --name a --memory-mib 6 --server unix:/tmp/yard/api.sock

It joins with what it measured, beats, reads layers from the folder and gives others up as it is told, and says how long a layer takes. On
SIGTERM it leaves: the service sends nobody here any more and has others take over its layers, and those who are here go on until they have
ended, for --grace-s at most.
"""

import argparse
import signal
import sys
import threading

import figures
import service
from door import Door
from passage import Pace
from share import Share


class Node:
    def __init__(self, said):
        self.name, self.said = said.name, said
        self.service = service.from_options(said)
        self.share = Share(said.weights, self.say)
        self.pace = Pace()
        self.door = Door(said.listen, said.name, self.share, self.pace, said.most_lines)
        self.address = said.address or self.door.address
        self.figures = figures.of_this_node(self.share.shape)
        self.is_told_to_stop = False
        self.has_joined = threading.Event()
        self.trouble = None  # as said last

    def say(self, words):
        print(f"{self.name}: {words}", file=sys.stderr, flush=True)

    def stop(self, *_):
        self.is_told_to_stop = True  # and nothing else: a signal may come while this very thread holds a lock

    def run(self):
        self.say(f"at {self.address}")
        threading.Thread(target=self.measure_links, daemon=True).start()
        while not self.is_told_to_stop and not self.share.error:
            self.try_to(self.beat)
            self.share.changed.wait(self.said.beat_s)
            self.share.changed.clear()
        if self.share.error:
            self.try_to(self.say_that_loading_failed)
            return f"{self.name}: cannot load: {self.share.error}"
        self.leave()

    def try_to(self, act):
        """A service that does not answer or has no such model yet is asked again with the next beat."""
        try:
            act()
            trouble = None
        except (service.Refused, service.Unreachable) as error:
            if getattr(error, "status", 404) not in (404, 503):
                raise
            trouble = str(error)
        if trouble and trouble != self.trouble:
            self.say(trouble)
        self.trouble = trouble

    def join(self):
        self.share.hold(*self.share.range)  # what was still to come is not known there any more
        about = {"id": self.name, "memory_gib": self.said.memory_mib / 1024, **self.figures}
        if self.said.max_layers:
            about["max_layers"] = self.said.max_layers
        self.follow(self.service.tell("join", {"node": about, "address": self.address, "holds": list(self.share.range)}))
        self.say("joined")
        self.has_joined.set()

    def beat(self):
        said = {"node": self.name, **self.pace.taken()}
        if not self.share.is_loading():
            said["holds"] = list(self.share.range)
        answer = self.service.tell("beat", said)
        if answer.get("join"):
            self.join()
        self.follow(answer)

    def follow(self, answer):
        if "load" in answer:
            self.share.hold(answer["load"]["first"], answer["load"]["end"])

    def measure_links(self):
        """Whenever it has joined, and now and then. Not between beats: nodes that hang would have this one be taken for dead."""
        while True:
            self.has_joined.wait(self.said.links_s)
            self.has_joined.clear()
            try:
                nodes = self.service.shown()["nodes"]
                others = [(node["id"], node["address"]) for node in nodes if node["id"] != self.name and "address" in node]
                self.service.tell("links", {"links": figures.links(self.name, others)})
            except (service.Refused, service.Unreachable):
                pass  # beats complain of it

    def say_that_loading_failed(self):
        self.service.tell("beat", {"node": self.name, "load_failed": True})

    def leave(self):
        self.try_to(lambda: self.service.tell("leave", {"node": self.name}))
        is_empty = self.door.wait_until_empty(self.said.grace_s)
        self.say("left" if is_empty else f"left; some were still here after {self.said.grace_s} s, and go another way")


def main():
    parser = argparse.ArgumentParser(description="Hold some layers of a model and pass requests through them.")
    parser.add_argument("weights", help="a folder that weights.py wrote")
    parser.add_argument("--name", required=True)
    parser.add_argument("--memory-mib", type=float, default=6, help="for weights, keys and values (default 6)")
    parser.add_argument("--max-layers", type=int, help="hold no more, whatever the memory")
    parser.add_argument("--listen", default="127.0.0.1:0", metavar="HOST:PORT", help="for clients and other nodes")
    parser.add_argument("--address", metavar="HOST:PORT", help="where they find it, if not there")
    parser.add_argument("--most-lines", type=int, default=64, help="requests at once (default 64)")
    parser.add_argument("--beat-s", type=float, default=1.0)
    parser.add_argument("--links-s", type=float, default=60.0, help="between two measurements of round trips")
    parser.add_argument("--grace-s", type=float, default=30.0, help="for requests under way when it leaves")
    service.add_options(parser)
    said = parser.parse_args()
    try:
        node = Node(said)
        signal.signal(signal.SIGTERM, node.stop)
        signal.signal(signal.SIGINT, node.stop)
        sys.exit(node.run())
    except (OSError, ValueError, service.Refused, service.Unreachable) as error:
        sys.exit(f"{said.name}: {error}")


if __name__ == "__main__":
    main()
