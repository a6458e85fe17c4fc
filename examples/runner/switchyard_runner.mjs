// A runner in a few lines of JavaScript: load a model once, answer calls. Needs nothing but Node 18.
//
//     import {Failed, serve} from "./switchyard_runner.mjs";
//
//     const load = async () => new Model(...);             // once; whatever it returns is handed to every call
//     const run = async (model, call) => {                 // for each call; what it returns is the task's output
//         call.progress(0.5, "half done");
//         return model.answer(call.input, call.signal);    // the signal is aborted when somebody has cancelled the task
//     };
//
//     serve(load, run);
//
// Standard output belongs to the protocol (docs/runner.md): what is printed goes to standard error.

import {createInterface} from "node:readline";

// Throw it to fail a call with a message and a kind: "oom" for want of GPU memory, "input" for what was asked.
export class Failed extends Error {
    constructor(message, kind = "") {
        super(message);
        this.kind = kind;
    }
}

export async function serve(load, run) {
    const speak = takeOverOutput();
    const model = await load();
    speak({ready: {}});
    let now = null;
    for await (const word of words(() => now)) {
        if (word.unload) break;
        now = new Call(speak, word.run);
        await answer(model, run, now, speak);
        now = null;
    }
    process.exit(0); // whatever the model still holds: threads, timers
}

class Call {
    #speak;
    #abort = new AbortController();

    constructor(speak, {id, input}) {
        this.#speak = speak;
        this.id = id;
        this.input = input;
        this.peakMemoryMb = undefined; // set it to what the GPU held at most, model included, where you know
    }

    get signal() {
        return this.#abort.signal;
    }

    cancel() {
        this.#abort.abort(new Failed("cancelled"));
    }

    progress(fraction, message = "") {
        this.#speak({progress: {id: this.id, fraction, message}});
    }

    // Part of the answer, for whoever listens while it is made; what `run` returns has it all.
    piece(data) {
        this.#speak({piece: {id: this.id, data}});
    }
}

async function answer(model, run, call, speak) {
    try {
        const output = (await run(model, call)) ?? null;
        speak({result: {id: call.id, output, peak_memory_mb: call.peakMemoryMb}});
    } catch (error) { // the runner outlives what goes wrong in a call
        console.error(error);
        speak({error: {id: call.id, message: String(error?.message ?? error), kind: error?.kind ?? ""}});
    }
}

// Calls and the end in the order they came; a cancellation takes effect at once, while its call runs.
async function* words(now) {
    const queue = [];
    let wake = () => {};
    const push = (word) => {
        queue.push(word);
        wake();
    };
    const lines = createInterface({input: process.stdin});
    lines.on("line", (line) => {
        const word = JSON.parse(line);
        if (!word.cancel) return push(word);
        if (now()?.id === word.cancel.id) now().cancel();
    });
    lines.on("close", () => push({unload: {}}));
    for (;;) {
        while (queue.length > 0) yield queue.shift();
        await new Promise((resolve) => (wake = resolve));
    }
}

// The protocol gets the real standard output; whatever else is printed goes to standard error.
function takeOverOutput() {
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = process.stderr.write.bind(process.stderr);
    return (word) => write(JSON.stringify(word) + "\n");
}
