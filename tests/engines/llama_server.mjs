// An OpenAI-compatible server around llama.cpp, one model and one call at a time; its arguments are those of llama-server.
//
//   node llama_server.mjs --model FILE --port N [--alias NAME] [--threads 1] [--host 127.0.0.1]
//
// GET /health is 503 until the model is loaded. A client that has gone away ends its call. SIGTERM ends the server.

import {createServer} from "node:http";
import {basename} from "node:path";
import {parseArgs} from "node:util";

import {loadLlama} from "./llama_engine.mjs";
import {OpenAiAnswers, Refused} from "./llama_openai.mjs";

const largestBody = 8 * 1024 * 1024;
const longestLine = 64; // calls that wait for their turn

const {values: wish} = parseArgs({options: {
    model: {type: "string", short: "m"}, port: {type: "string"}, alias: {type: "string"},
    threads: {type: "string", short: "t", default: "1"}, host: {type: "string", default: "127.0.0.1"},
}});
if (!wish.model || !wish.port) {
    console.error("usage: node llama_server.mjs --model FILE --port N [--alias NAME] [--threads 1] [--host 127.0.0.1]");
    process.exit(2);
}

let answers = null; // until the model is loaded
let waiting = 0;
let last = Promise.resolve();

const oneModel = "/v1/models/";
const routes = {
    "GET /health": async (_, response) => send(response, 200, {status: "ok"}),
    "GET /v1/models": async (_, response) => send(response, 200, answers.models()),
    [`GET ${oneModel}`]: async (_, response, path) => send(response, 200, answers.model(path.slice(oneModel.length))),
    "POST /v1/chat/completions": (request, response) => answered(request, response, "chat"),
    "POST /v1/completions": (request, response) => answered(request, response, "completion"),
    "POST /v1/embeddings": (request, response) => answered(request, response, "embeddings"),
};

const server = createServer(async (request, response) => {
    try {
        if (!answers) throw new Refused(503, "Loading model", {code: "loading"});
        const path = decodeURIComponent(request.url.split("?")[0]);
        const route = routes[`${request.method} ${path}`] ?? (path.startsWith(oneModel) && routes[`${request.method} ${oneModel}`]);
        if (!route) throw new Refused(404, `there is no ${request.method} ${path}`);
        await route(request, response, path);
    } catch (error) {
        if (!(error instanceof Refused)) console.error(error);
        fail(response, error);
    }
});

async function answered(request, response, kind) {
    const body = parsed(await read(request));
    const gone = new AbortController();
    response.on("close", () => gone.abort(new Error("the client has gone")));
    const options = {signal: gone.signal, onChunk: body.stream ? (chunk) => streamed(response, chunk) : undefined};
    const answer = await inTurn(() => answers[kind](body, options));
    if (!body.stream) return send(response, 200, answer);
    response.end("data: [DONE]\n\n");
}

// One call at a time, first come first served.
function inTurn(work) {
    if (waiting === longestLine) throw new Refused(429, `${longestLine} calls wait already`, {code: "rate_limit_exceeded"});
    ++waiting;
    const turn = last.then(work).finally(() => --waiting);
    last = turn.catch(() => {});
    return turn;
}

async function read(request) {
    const parts = [];
    let size = 0;
    for await (const part of request) {
        size += part.length;
        if (size > largestBody) throw new Refused(413, `a request has at most ${largestBody} bytes`);
        parts.push(part);
    }
    return Buffer.concat(parts).toString("utf8");
}

function parsed(text) {
    try {
        const body = JSON.parse(text);
        if (body !== null && typeof body === "object" && !Array.isArray(body)) return body;
    } catch {
        // said below
    }
    throw new Refused(400, "the body is not a JSON object");
}

function send(response, status, body) {
    response.writeHead(status, {"content-type": "application/json"}).end(JSON.stringify(body));
}

function streamed(response, chunk) {
    if (!response.headersSent) response.writeHead(200, {"content-type": "text/event-stream", "cache-control": "no-cache"});
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

function fail(response, error) {
    if (response.headersSent) return response.destroy();
    const body = error.body ?? {error: {message: String(error.message ?? error), type: "server_error", param: null, code: null}};
    send(response, error.status ?? 500, body);
}

process.on("SIGTERM", () => process.exit(0));
process.on("SIGINT", () => process.exit(0));
server.listen(Number(wish.port), wish.host, async () => {
    const address = `http://${wish.host}:${server.address().port}`;
    console.error(`listening on ${address}`);
    const engine = await loadLlama(wish.model, {threads: Number(wish.threads)});
    answers = new OpenAiAnswers(engine, wish.alias ?? basename(wish.model, ".gguf"));
    console.error(`ready on ${address}/v1`);
});
