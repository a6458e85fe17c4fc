#!/usr/bin/env python3
"""`switchyard allocate slurm` on a real Slurm with a real service: workers come with the queue and go without it.

    tests/slurm/allocate_test.py [SWITCHYARD]

Simulated: the GPUs, both Slurm's and the workers'. Everything else is real. Takes about a minute.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from slurm import Slurm, free_ports, missing, wait_for  # noqa: E402

GPUS = 3
IDLE_S = 4


class Service:
    """A server without GPUs of its own, and the commands that speak to it."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.url = f"http://127.0.0.1:{free_ports(1)[0]}"
        self.tokens = {}

    def start(self):
        for role in ("admin", "operate", "work"):
            made = subprocess.run([self.program, "token", "create", "--folder", self.folder, "--role", role, "--owner", role],
                                  stdout=subprocess.PIPE, text=True, check=True)
            self.tokens[role] = f"{self.folder}/{role}.token"
            pathlib.Path(self.tokens[role]).write_text(made.stdout)
            os.chmod(self.tokens[role], 0o600)
        log = open(f"{self.folder}/serve.out", "ab")
        self.process = subprocess.Popen([self.program, "serve", "--gpus", "none", "--folder", self.folder, "--listen", self.url[7:],
                                         "--worker-heartbeat-interval-seconds", "1", "--worker-heartbeat-timeout-seconds", "12"],
                                        stdout=log, stderr=log)
        wait_for("the service", lambda: self.ask("queue", may_fail=True) is not None)

    def ask(self, *words, may_fail=False):
        done = subprocess.run([self.program, *words, "--json", "--server", self.url, "--token-file", self.tokens["admin"]],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        if done.returncode != 0 and may_fail:
            return None
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return json.loads(done.stdout)

    def submit(self, count, seconds):
        for _ in range(count):
            subprocess.run([self.program, "submit", "--server", self.url, "--token-file", self.tokens["admin"], "--folder", "/tmp",
                            "--", "sleep", str(seconds)], stdout=subprocess.DEVNULL, check=True, timeout=60)

    def states(self):
        return [task["state"] for task in self.ask("ps")["tasks"]]

    def hosts(self):
        return {host["name"]: host for host in self.ask("hosts")["hosts"]}

    def end(self):
        for _ in range(2):
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                time.sleep(0.2)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Allocate:
    """The program under test; what it told."""

    def __init__(self, service, slurm, most=GPUS):
        self.told = []
        words = [service.program, "allocate", "slurm", "--gpus", str(most), "--time", "10", "--idle", str(IDLE_S), "--drain-ahead", "60",
                 "--every", "0.5", "--server", service.url, "--token-file", service.tokens["operate"],
                 "--worker-token-file", service.tokens["work"], "--worker-gpus", "simulated:1", "--folder", f"{service.folder}/pool", "--json"]
        self.process = subprocess.Popen(words, env=slurm.environment, stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.told.append(json.loads(line))
            print("   ", line.strip(), flush=True)

    def heard(self, what, **rest):
        return [news for news in self.told if news["what"] == what and all(news.get(key) == value for key, value in rest.items())]

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)


def work_comes_and_goes(service, slurm, allocate):
    """Twenty tasks: jobs start, as many as are allowed; a job that Slurm ends in the midst costs no task; then they go."""
    service.submit(20, 1)
    wait_for("three workers", lambda: sum(host["state"] == "here" for host in service.hosts().values()) == GPUS)
    assert len(slurm.jobs()) == GPUS, slurm.jobs()
    wait_for("a worker at work", lambda: service.hosts()["slurm-1"]["busy"] == 1)
    number, _ = slurm.jobs()["slurm-1"]
    slurm.ask("scancel", number)
    wait_for("news of its end", lambda: allocate.heard("ended", job=number))
    assert "CANCELLED" in allocate.heard("ended", job=number)[0]["why"], allocate.heard("ended")
    wait_for("an end of all tasks", lambda: not set(service.states()) & {"queued", "running"}, 60)
    assert service.states() == ["succeeded"] * 20, service.states()
    wait_for("an end of all jobs", lambda: not slurm.jobs(), 40)
    assert allocate.heard("drain") and allocate.heard("cancel"), "idle workers are drained before they go"


def a_restart_finds_its_jobs(service, slurm, allocate):
    """Killed and started anew, it takes what it finds for its own, and no job is started twice."""
    service.submit(2, 6)
    wait_for("two jobs", lambda: sum(state == "RUNNING" for _, state in slurm.jobs().values()) == 2)
    before = slurm.jobs()
    allocate.end(signal.SIGKILL)
    allocate.process.wait()
    again = Allocate(service, slurm)
    time.sleep(3)
    assert {name: number for name, (number, _) in slurm.jobs().items()} == {name: number for name, (number, _) in before.items()}
    assert not again.heard("start"), again.told
    return again


def slurm_is_away_for_a_while(service, slurm, allocate):
    slurm.end("slurmctld")
    wait_for("a word of trouble", lambda: allocate.heard("trouble"), 60)
    slurm.run("slurmctld", "-D")
    wait_for("a word that all is well", lambda: allocate.heard("well"), 60)


def it_leaves_nothing_behind(service, slurm, allocate):
    """SIGTERM: what runs may end, and then no job is left."""
    service.submit(1, 5)
    wait_for("a task that runs", lambda: "running" in service.states())
    allocate.end()
    allocate.process.wait(60)
    assert allocate.process.returncode == 0, allocate.process.returncode
    assert set(service.states()) == {"succeeded"}, service.states()
    wait_for("an end of all jobs", lambda: not slurm.jobs(), 5)


def a_second_signal_does_not_wait(service, slurm, allocate):
    service.submit(1, 600)
    wait_for("a task that runs", lambda: "running" in service.states())
    allocate.end()
    wait_for("its answer", lambda: allocate.heard("closing"))
    allocate.end()
    allocate.process.wait(40)
    assert allocate.process.returncode == 0, allocate.process.returncode
    wait_for("an end of all jobs", lambda: not slurm.jobs(), 5)


def tell(test):
    print(f"{time.strftime('%H:%M:%S')} {test.__name__.replace('_', ' ')}", flush=True)


def main():
    here = pathlib.Path(__file__).resolve().parent
    program = sys.argv[1] if len(sys.argv) > 1 else str(here.parent.parent / "build" / "release" / "switchyard")
    if missing():
        sys.exit(f"not there: {', '.join(missing())}; apt-get install --no-remove --no-install-recommends slurm-wlm munge")
    folder = tempfile.mkdtemp(prefix="switchyard-slurm-")
    slurm = Slurm(folder, GPUS)
    service = Service(program, f"{folder}/service")
    os.mkdir(service.folder)
    allocate = None
    try:
        slurm.start()
        service.start()
        allocate = Allocate(service, slurm)
        for test in (work_comes_and_goes, a_restart_finds_its_jobs, slurm_is_away_for_a_while, it_leaves_nothing_behind):
            tell(test)
            allocate = test(service, slurm, allocate) or allocate
        tell(a_second_signal_does_not_wait)
        allocate = Allocate(service, slurm)
        a_second_signal_does_not_wait(service, slurm, allocate)
    finally:
        if allocate is not None and allocate.process.poll() is None:
            allocate.process.kill()
            allocate.process.wait()
        slurm.end_all()
        if hasattr(service, "process"):
            service.end()
        shutil.rmtree(folder, ignore_errors=True)
    print("all of it holds")


main()
