// A real `switchyard serve` on two simulated GPUs, with real models, in a folder of its own.

import {once} from "node:events";
import {writeFileSync} from "node:fs";
import {request as httpRequest} from "node:http";
import {createServer} from "node:net";
import {join} from "node:path";

import {processesThatName, start, temporaryFolder, until, whenToldToEnd} from "./process.mjs";
import {tinyLlama, writeTinyLlama} from "./tiny_llama.mjs";

const here = import.meta.dirname;
export const switchyard = process.env.SWITCHYARD ?? join(here, "../release/switchyard");
export const tinyModels = {"tiny-a": tinyLlama({seed: 1}), "tiny-b": tinyLlama({seed: 2, width: 96, layers: 3})};

// With `listens` it also answers at a port of this machine, and `url` says where. With `served` it has one model more,
// that llama.cpp serves over HTTP.
export async function startService({listens = false, served = false} = {}) {
    const folder = temporaryFolder();
    const modelsFile = join(folder.path, "models.yaml");
    writeFileSync(modelsFile, JSON.stringify(catalogue(folder.path, served), null, 2));
    const state = join(folder.path, "state");
    const place = listens ? `127.0.0.1:${await freePort()}` : null;
    const server = start([switchyard, "serve", "--gpus", "simulated:2", "--folder", state, "--models-file", modelsFile,
        ...(place ? ["--listen", place] : [])]);
    const socketPath = join(state, "api.sock");
    const service = {
        address: `unix:${socketPath}`,
        url: place && `http://${place}`,
        call: (method, path, body) => call(socketPath, method, path, body),
        processes: () => processesThatName(folder.path), // the server, its workers, their runners
        async stop() {
            takeBack();
            await server.stop();
            const left = await until("all processes of the service have ended", async () => noneLeft(folder.path), {seconds: 10})
                .catch(() => processesThatName(folder.path));
            folder.remove();
            if (Array.isArray(left)) throw new Error(`left over: ${left}\n${server.output()}`);
        },
    };
    const takeBack = whenToldToEnd(service.stop);
    try {
        await until("the service is ready", async () => (await service.call("GET", "/readyz")).status === 200, {process: server});
    } catch (error) {
        await service.stop();
        throw error;
    }
    return service;
}

// Four models: two trained ones, and two of llama.cpp that are written here.
export function catalogue(folder, served) {
    const runner = (...command) => ({
        command: [process.execPath, ...command], folder: here, memory_mb: 300, env: {ENGINES_TEST: folder, OMP_NUM_THREADS: 1},
    });
    const models = {ocr: runner("ocr_runner.mjs"), sentences: runner("embeddings_runner.mjs")};
    for (const [name, model] of Object.entries(tinyModels)) {
        const file = join(folder, `${name}.gguf`);
        writeTinyLlama(file, model);
        models[name] = runner("llama_runner.mjs", file);
    }
    if (served) models.served = {
        server: [process.execPath, "llama_server.mjs", "--model", join(folder, "tiny-a.gguf"), "--alias", "served", "--port", "${PORT}"],
        folder: here, memory_mb: 300, aliases: ["gpt-4o-mini"], env: {ENGINES_TEST: folder, OMP_NUM_THREADS: 1},
    };
    return {models};
}

async function freePort() {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const {port} = server.address();
    server.close();
    await once(server, "close");
    return port;
}

const noneLeft = (folder) => processesThatName(folder).length === 0;

function call(socketPath, method, path, body) {
    return new Promise((resolve, reject) => {
        const headers = {host: "localhost", "content-type": "application/json"};
        const request = httpRequest({socketPath, method, path, headers, timeout: 10_000}, (response) => {
            let text = "";
            response.setEncoding("utf8").on("data", (part) => (text += part));
            response.on("end", () => resolve({status: response.statusCode, body: parsed(text)}));
        });
        request.on("timeout", () => request.destroy(new Error(`no answer to ${method} ${path}`)));
        request.on("error", reject);
        request.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return text;
    }
}
