// Processes and folders that end with the test that made them.

import {spawn} from "node:child_process";
import {once} from "node:events";
import {mkdtempSync, readFileSync, readdirSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {setTimeout as pause} from "node:timers/promises";

const graceMs = 15_000;

export function temporaryFolder() {
    const path = mkdtempSync(join(tmpdir(), "engines-"));
    return {path, remove: () => rmSync(path, {recursive: true, force: true})};
}

// What is to be done when the test itself is told to end, as at a timeout. Returns a way to take it back.
const lastDeeds = new Set();
export function whenToldToEnd(deed) {
    lastDeeds.add(deed);
    return () => lastDeeds.delete(deed);
}
let ending = false;
for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, async () => {
        if (ending) return; // told twice: by who runs the tests and by who runs those
        ending = true;
        await Promise.allSettled([...lastDeeds].map((deed) => deed()));
        process.exit(1);
    });
}

// A process whose output is kept for the case that something goes wrong.
export function start(command, options = {}) {
    const child = spawn(command[0], command.slice(1), {stdio: ["ignore", "pipe", "pipe"], ...options});
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output = (output + part).slice(-20_000)));
    const gone = () => child.exitCode !== null || child.signalCode !== null;
    const stop = async () => {
        if (gone()) return;
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        const hard = setTimeout(() => child.kill("SIGKILL"), graceMs);
        await ended;
        clearTimeout(hard);
    };
    return {child, gone, stop, output: () => output};
}

// Asks until the answer is true; a process that ended meanwhile will not become ready.
export async function until(what, ask, {process = null, seconds = 30} = {}) {
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end) {
        if (process?.gone()) throw new Error(`ended while we waited: ${what}\n${process.output()}`);
        const answer = await ask().catch(() => null);
        if (answer) return answer;
        await pause(20);
    }
    throw new Error(`not within ${seconds} s: ${what}\n${process?.output() ?? ""}`);
}

// Which processes say this in their command line or environment, beside ourselves.
export function processesThatName(text) {
    const mentions = (id, file) => {
        try {
            return readFileSync(`/proc/${id}/${file}`, "latin1").includes(text);
        } catch {
            return false; // it has just ended, or is not ours
        }
    };
    return readdirSync("/proc")
        .filter((id) => /^\d+$/.test(id) && Number(id) !== globalThis.process.pid)
        .filter((id) => mentions(id, "cmdline") || mentions(id, "environ"));
}

// The most memory a process ever had, in MB; 0 when it has ended.
export function peakMemoryMb(id) {
    try {
        return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]) / 1024);
    } catch {
        return 0;
    }
}
