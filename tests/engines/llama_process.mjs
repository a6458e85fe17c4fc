// A llama_server on a tiny model, at a port that it finds itself.

import {join} from "node:path";

import {start, temporaryFolder, until, whenToldToEnd} from "./process.mjs";
import {tinyLlama, writeTinyLlama} from "./tiny_llama.mjs";

// `url` is where it answers; with `ready: false` it may still be loading.
export async function startLlamaServer({alias = "tiny-a", ready = true} = {}) {
    const folder = temporaryFolder();
    const file = join(folder.path, "model.gguf");
    writeTinyLlama(file, tinyLlama({seed: 1}));
    const program = join(import.meta.dirname, "llama_server.mjs");
    const server = start([process.execPath, program, "--model", file, "--alias", alias, "--port", "0", "--threads", "1"]);
    const stop = async () => {
        takeBack();
        await server.stop();
        folder.remove();
        return server.child.exitCode;
    };
    const takeBack = whenToldToEnd(stop);
    const said = ready ? /ready on (\S+)/ : /listening on (\S+)/;
    try {
        const url = await until("llama_server answers", async () => said.exec(server.output())?.[1], {process: server});
        return {url, stop};
    } catch (error) {
        await stop();
        throw error;
    }
}
