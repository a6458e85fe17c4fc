// The server as whoever starts, watches and stops it sees it; what clients see is in openai_client_test.mjs.

import assert from "node:assert/strict";
import {test} from "node:test";

import {startLlamaServer} from "./llama_process.mjs";
import {until} from "./process.mjs";

const timeout = 60_000;

test("it is unhealthy while it loads, then healthy, and SIGTERM ends it", {timeout}, async () => {
    const server = await startLlamaServer({ready: false});
    try {
        const first = await fetch(`${server.url}/health`);
        assert.equal(first.status, 503);
        assert.equal((await first.json()).error.message, "Loading model");
        await until("it is healthy", async () => (await fetch(`${server.url}/health`)).status === 200);
    } finally {
        assert.equal(await server.stop(), 0);
    }
});

test("what is no request is refused, and the next is answered", {timeout}, async () => {
    const server = await startLlamaServer();
    const post = (body) => fetch(`${server.url}/completions`, {method: "POST", body});
    try {
        assert.equal((await post("{ no JSON")).status, 400);
        assert.equal((await post("[1, 2]")).status, 400);
        assert.equal((await post(JSON.stringify({prompt: "x".repeat(600)}))).status, 400);
        assert.equal((await post("x".repeat(8 * 1024 * 1024 + 1))).status, 413);
        assert.equal((await fetch(`${server.url}/completions`)).status, 404);
        assert.equal((await post(JSON.stringify({prompt: "hello", max_tokens: 1}))).status, 200);
    } finally {
        await server.stop();
    }
});

test("more calls than the line holds are turned away, the others answered", {timeout}, async () => {
    const server = await startLlamaServer();
    const body = JSON.stringify({prompt: "hello", max_tokens: 64});
    try {
        const calls = Array.from({length: 80}, () => fetch(`${server.url}/completions`, {method: "POST", body}));
        const statuses = (await Promise.all(calls)).map((response) => response.status);
        assert.ok(statuses.includes(429), `${statuses}`);
        assert.ok(statuses.filter((status) => status === 200).length >= 64, `${statuses}`);
    } finally {
        await server.stop();
    }
});
