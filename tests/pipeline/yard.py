"""A real service, real nodes and real clients of examples/pipeline, as processes of a test on the loopback.

Whatever was started is ended by its id when the test is over, whichever way it went.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "pipeline"
sys.path.insert(0, str(EXAMPLE))

import ask  # noqa: E402
import offer  # noqa: E402
import service  # noqa: E402
import weights  # noqa: E402
from model import Shape, whole_answer  # noqa: E402

PATIENCE_S = 60
PYTHON = [sys.executable, "-S"]  # the standard library is enough, and all of it there is sooner
# Where a test does not ask for more, nodes are given up late and layers that are served stay where they are: on a busy machine a node may
# be slow for a while, and to move its layers then would be right, and another story.
SCHEDULING = {"gather_s": 1, "heartbeat_timeout_s": 20, "drain_s": 0.5, "rest_s": 600}


def wait_for(what, ready, seconds=PATIENCE_S):
    end = time.monotonic() + seconds
    while True:
        value = ready()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come about in {seconds} s")
        time.sleep(0.02)


class Model:
    """Weights in a folder, and what the whole model says."""

    SHAPE = Shape(layers=8, hidden=16, intermediate=32, heads=2, kv_heads=1, head_size=8, max_positions=160)

    def __init__(self, folder, seed=1):
        self.folder = str(folder)
        weights.write(folder, self.SHAPE, seed)
        self.embedding, self.head = weights.read_embedding(folder, self.SHAPE), weights.read_head(folder, self.SHAPE)
        self.layers = [weights.read_layer(folder, self.SHAPE, number) for number in range(self.SHAPE.layers)]
        self._said = {}

    def answer(self, prompt, count):
        if (prompt, count) not in self._said:
            self._said[prompt, count] = whole_answer(self.SHAPE, self.embedding, self.layers, self.head, prompt.encode(), count)
        return self._said[prompt, count]


class Client:
    """A request that goes on as far as it is told to, and what happened to it so far."""

    def __init__(self, at, prompt, count, patience_s):
        self.prompt, self.count = prompt, count
        self.events, self.answer = [], []
        self._asking = ask.Asking(at, patience_s, self.events.append)
        self._tokens = self._asking.tokens(prompt.encode(), count)

    def come_to(self, count):
        while len(self.answer) < count:
            self.answer.append(next(self._tokens))

    def finish(self):
        try:
            self.answer += self._tokens
        finally:
            self._asking.end()

    def said(self, what):
        return [event[what] for event in list(self.events) if what in event]

    def nodes(self):
        """Of its present way."""
        return [node for node, _, _ in self.said("way")[-1]]


def all_at_once(acts):
    """Each in a thread of its own; the first thing that went wrong is raised."""
    with ThreadPoolExecutor(len(acts)) as threads:
        for result in [threads.submit(act) for act in acts]:
            result.result(PATIENCE_S)


class Yard:
    """Nodes and commands speak to the service over its socket, or over TCP with tokens of their roles."""

    def __init__(self, binary, model, scheduling=None, over_tcp=False):
        self.binary, self.model, self.over_tcp = binary, model, over_tcp
        self.scheduling = {**SCHEDULING, **(scheduling or {})}
        self.folder = tempfile.mkdtemp(prefix="switchyard-pipeline-")
        self.server = f"unix:{self.folder}/yard/api.sock"
        self.service = service.Service(self.server, "tiny")
        self.processes, self.nodes = [], {}

    def __enter__(self):
        try:
            self.start_service()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(self, wrong, *_):
        if wrong:
            print(self.logs(), file=sys.stderr)
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdout, process.stderr):
                if pipe:
                    pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, words, **how):
        self.processes.append(subprocess.Popen(words, text=True, **how))
        return self.processes[-1]

    def _log(self, name):
        return open(os.path.join(self.folder, name), "a")

    def logs(self, name="*"):
        return "\n".join(f"== {path.name}\n{path.read_text()}" for path in sorted(Path(self.folder).glob(f"{name}.log")))

    def start_service(self):
        words = ["--gpus", "none", "--folder", f"{self.folder}/yard", *(("--listen", "127.0.0.1:0") if self.over_tcp else ())]
        with self._log("service.log") as log:
            self.yard = self._start([self.binary, "serve", *words], stdout=log, stderr=log)
        wait_for("the service", self._answers)

    def how_to_reach_it(self, role):
        if not self.over_tcp:
            return ["--server", self.server]
        token = Path(self.folder) / f"{role}.token"
        if not token.exists():
            made = subprocess.run([self.binary, "token", "create", "--role", role, "--owner", "test", "--folder", f"{self.folder}/yard"],
                                  check=True, capture_output=True, timeout=PATIENCE_S)
            token.write_bytes(made.stdout)
        return ["--server", re.search(r"http://\S+", self.logs("service")).group(), "--token-file", str(token)]

    def _answers(self):
        try:
            return self.service._ask("GET", "") is not None
        except service.Unreachable:
            assert self.yard.poll() is None, self.logs()
            return False

    def offer(self):
        """Nodes that were started before join now, all at the same time."""
        for name in self.nodes:
            wait_for(f"node {name}", lambda: "there is no pipeline" in self.logs(name))
        self.service.offer(offer.order_of("tiny", self.model.SHAPE, self.scheduling))
        if self.nodes:
            wait_for("a service of all layers", lambda: self.shown()["servable"])

    def node(self, name, *words, weights_folder=None, max_layers=None):
        words = [*words, "--max-layers", str(max_layers)] if max_layers else words
        with self._log(f"{name}.log") as log:
            self.nodes[name] = self._start(
                [*PYTHON, str(EXAMPLE / "node.py"), str(weights_folder or self.model.folder), "--name", name,
                 "--beat-s", "0.1", "--links-s", "1", *self.how_to_reach_it("operate"), *words], stdout=log, stderr=log)
        return self.nodes[name]

    def ask(self, prompt, count, patience_s=PATIENCE_S):
        return Client(self.service, prompt, count, patience_s)

    def start_ask(self, prompt, count):
        """The same as a command."""
        words = [*PYTHON, str(EXAMPLE / "ask.py"), prompt, "--tokens", str(count), "--json", *self.how_to_reach_it("submit")]
        return self._start(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def shown(self):
        return self.service.shown()

    def counts(self):
        return self.shown()["counts"]

    def state(self, name):
        return next((node["state"] for node in self.shown()["nodes"] if node["id"] == name), None)

    def holds(self, name):
        return next((node["holds"] for node in self.shown()["nodes"] if node["id"] == name), None)

    def signal(self, name, which):
        self.nodes[name].send_signal(which)
