"""A Slurm of its own: one node with pretended GPUs, in a temporary folder, on ports of the loopback.

Everything runs as processes of the test and is ended by their ids. Nothing of a Slurm that the machine may have is used.
"""

import os
import pathlib
import signal
import socket
import subprocess
import time

PROGRAMS = {"munged": "/usr/sbin/munged", "slurmctld": "/usr/sbin/slurmctld", "slurmd": "/usr/sbin/slurmd", "sbatch": "/usr/bin/sbatch"}


def missing():
    return [name for name, path in PROGRAMS.items() if not os.path.exists(path)]


def free_ports(count):
    lines = [socket.socket() for _ in range(count)]
    for line in lines:
        line.bind(("127.0.0.1", 0))
    ports = [line.getsockname()[1] for line in lines]
    for line in lines:
        line.close()
    return ports


def wait_for(what, ready, seconds=30):
    end = time.monotonic() + seconds
    while True:
        value = ready()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come about in {seconds} s")
        time.sleep(0.1)


class Slurm:
    def __init__(self, folder, gpus):
        self.home = pathlib.Path(folder)
        self.host = socket.gethostname().split(".")[0]
        self.gpus = gpus
        self.processes = {}
        self.environment = dict(os.environ, SLURM_CONF=str(self.home / "slurm.conf"))

    def start(self):
        os.chmod(self.home, 0o755)
        for name in ("state", "spool"):
            (self.home / name).mkdir()
        for gpu in range(self.gpus):
            (self.home / f"gpu{gpu}").touch()  # no device; Slurm complains and counts it
        (self.home / "munge.key").write_bytes(os.urandom(128))
        os.chmod(self.home / "munge.key", 0o400)
        (self.home / "slurm.conf").write_text(self.settings())
        (self.home / "gres.conf").write_text(f"Name=gpu File={self.home}/gpu[0-{self.gpus - 1}]\n")
        self.run("munged", "--foreground", "--force", f"--key-file={self.home}/munge.key", f"--socket={self.home}/munge.sock",
                 f"--pid-file={self.home}/munged.pid", f"--log-file={self.home}/munged.log", f"--seed-file={self.home}/munged.seed")
        wait_for("munged", (self.home / "munge.sock").exists)
        self.run("slurmctld", "-D")
        self.run("slurmd", "-D")
        wait_for("a node of Slurm", lambda: self.ask("sinfo", "-h", "-o", "%T") == "idle", 60)

    def settings(self):
        controller, node = free_ports(2)
        user = subprocess.check_output(["id", "-un"], text=True).strip()
        return f"""ClusterName=test
SlurmctldHost={self.host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={self.home}/munge.sock
CredType=cred/munge
StateSaveLocation={self.home}/state
SlurmdSpoolDir={self.home}/spool
SlurmctldPidFile={self.home}/slurmctld.pid
SlurmdPidFile={self.home}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=300
KillWait=10
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
NodeName={self.host} NodeAddr=127.0.0.1 CPUs=16 Gres=gpu:{self.gpus} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

    def run(self, name, *words):
        log = open(self.home / f"{name}.out", "ab")
        self.processes[name] = subprocess.Popen([PROGRAMS[name], *words], env=self.environment, stdout=log, stderr=log, cwd=self.home)

    def ask(self, *words):
        done = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60)
        return done.stdout.strip()

    def jobs(self, states="PENDING,RUNNING,COMPLETING"):
        """By the names of their workers: slurm-0 and so on."""
        lines = self.ask("squeue", "-h", "-t", states, "-o", "%i %T %j").splitlines()
        return {name.removeprefix("switchyard-"): (number, state) for number, state, name in (line.split() for line in lines)}

    def end(self, name):
        process = self.processes.pop(name)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def end_all(self):
        for number, _ in self.jobs().values() if "slurmctld" in self.processes else []:
            self.ask("scancel", number)
        if "slurmctld" in self.processes:
            wait_for("an end of all jobs", lambda: not self.jobs(), 30)
        for name in reversed(list(self.processes)):
            self.end(name)
