// The official OpenAI client against a server: that of SWITCHYARD_OPENAI_URL (ends in /v1), or with SWITCHYARD_OPENAI_FRONT=1 a service of
// ours, or else llama_server.mjs, which has no files and no batches. SWITCHYARD_OPENAI_MODEL and SWITCHYARD_OPENAI_EMBEDDER name the
// models, OPENAI_API_KEY the key, where one is needed.

import assert from "node:assert/strict";
import {after, before, test} from "node:test";

import OpenAI, {toFile} from "openai";

import {startLlamaServer} from "./llama_process.mjs";
import {until} from "./process.mjs";
import {startService} from "./service.mjs";

const {SWITCHYARD_OPENAI_URL: given, SWITCHYARD_OPENAI_FRONT: front} = process.env;
const model = process.env.SWITCHYARD_OPENAI_MODEL ?? "tiny-a";
const embedder = process.env.SWITCHYARD_OPENAI_EMBEDDER ?? model;
const timeout = 60_000;
const hasBatches = {timeout, skip: given || front ? false : "llama_server has no files and no batches"};
const messages = [{role: "user", content: "hello"}];

let client;
let own = null;

before(async () => {
    if (!given) own = front ? await startFront() : await startLlamaServer({alias: model});
    client = new OpenAI({baseURL: given ?? own.url, apiKey: process.env.OPENAI_API_KEY ?? "none", maxRetries: 0, timeout});
}, {timeout});
after(() => own?.stop(), {timeout});

async function startFront() {
    const service = await startService({listens: true, served: true});
    return {url: `${service.url}/v1`, stop: service.stop};
}

test("models.list names the model, models.retrieve finds it", {timeout}, async () => {
    const ids = [];
    for await (const one of client.models.list()) ids.push(one.id);
    assert.ok(ids.includes(model), `${ids}`);
    assert.equal((await client.models.retrieve(model)).id, model);
    await assert.rejects(client.models.retrieve("nobody"), OpenAI.NotFoundError);
});

test("a conversation is answered, the same way twice", {timeout}, async () => {
    const ask = () => client.chat.completions.create({model, messages, max_tokens: 12, temperature: 0});
    const answer = await ask();
    assert.equal(answer.object, "chat.completion");
    assert.equal(answer.choices[0].message.role, "assistant");
    assert.ok(answer.choices[0].message.content.length > 0);
    assert.equal(answer.choices[0].finish_reason, "length");
    assert.equal(answer.usage.completion_tokens, 12);
    assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + 12);
    assert.equal((await ask()).choices[0].message.content, answer.choices[0].message.content);
});

test("a streamed conversation says the same, in pieces", {timeout}, async () => {
    const request = {model, messages, max_tokens: 12, temperature: 0};
    const whole = await client.chat.completions.create(request);
    const chunks = await everything(await client.chat.completions.create(
        {...request, stream: true, stream_options: {include_usage: true}}));
    const pieces = chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? "").filter((piece) => piece !== "");
    assert.equal(pieces.join(""), whole.choices[0].message.content);
    assert.ok(pieces.length > 1, "all in one piece");
    assert.ok(chunks.every((chunk) => chunk.object === "chat.completion.chunk" && chunk.id === chunks[0].id));
    assert.deepEqual(chunks.map((chunk) => chunk.choices[0]?.finish_reason).filter(Boolean), ["length"]);
    assert.equal(chunks.at(-1).usage.completion_tokens, 12);
});

test("a text is continued, streamed or not", {timeout}, async () => {
    const request = {model, prompt: "Once upon a time", max_tokens: 10, temperature: 0};
    const whole = await client.completions.create(request);
    assert.equal(whole.object, "text_completion");
    assert.equal(whole.usage.completion_tokens, 10);
    const chunks = await everything(await client.completions.create({...request, stream: true}));
    assert.equal(chunks.map((chunk) => chunk.choices[0]?.text ?? "").join(""), whole.choices[0].text);
});

test("stop words end an answer", {timeout}, async () => {
    const request = {model, prompt: "Once upon a time", max_tokens: 16, temperature: 0};
    const {text} = (await client.completions.create(request)).choices[0];
    const [cut] = (await client.completions.create({...request, stop: text.slice(6, 8)})).choices;
    assert.equal(cut.finish_reason, "stop");
    assert.equal(cut.text, text.slice(0, text.indexOf(text.slice(6, 8))));
});

// The client asks for base64 unless told otherwise, and turns it into numbers.
test("embeddings are vectors, one for each text, in either encoding", {timeout}, async () => {
    const input = ["first text", "second text"];
    const coded = await client.embeddings.create({model: embedder, input});
    const plain = await client.embeddings.create({model: embedder, input, encoding_format: "float"});
    assert.deepEqual(coded.data.map((one) => one.index), [0, 1]);
    assert.ok(coded.data[0].embedding.length > 1);
    assert.notDeepEqual(coded.data[0].embedding, coded.data[1].embedding);
    coded.data.forEach((one, at) => one.embedding.forEach((value, place) =>
        assert.ok(Math.abs(value - plain.data[at].embedding[place]) < 1e-5)));
});

test("eight clients at once are all answered, and alike", {timeout}, async () => {
    const ask = () => client.chat.completions.create({model, messages, max_tokens: 8, temperature: 0});
    const said = (await Promise.all(Array.from({length: 8}, ask))).map((answer) => answer.choices[0].message.content);
    assert.equal(new Set(said).size, 1, JSON.stringify(said));
});

test("a client that goes away in the middle leaves a server that answers the next", {timeout}, async () => {
    const stream = await client.chat.completions.create({model, messages, max_tokens: 400, stream: true});
    for await (const chunk of stream) {
        assert.ok(chunk.id);
        break; // closes the connection
    }
    const next = await client.chat.completions.create({model, messages, max_tokens: 2});
    assert.equal(next.usage.completion_tokens, 2);
});

test("an unknown model is not found", {timeout}, async () => {
    await assert.rejects(client.chat.completions.create({model: "nobody", messages}), (error) => {
        assert.ok(error instanceof OpenAI.NotFoundError, `${error}`);
        assert.equal(error.status, 404);
        assert.equal(error.code, "model_not_found");
        assert.match(error.message, /nobody/);
        return true;
    });
});

test("a bad request is refused with words", {timeout}, async () => {
    const refused = (promise) => assert.rejects(promise, (error) => {
        assert.ok(error instanceof OpenAI.BadRequestError, `${error}`);
        assert.ok(error.message.length > 10);
        return true;
    });
    await refused(client.chat.completions.create({model}));
    await refused(client.chat.completions.create({model, messages, max_tokens: -1}));
    await refused(client.completions.create({model, prompt: 7}));
    await refused(client.embeddings.create({model: embedder, input: []}));
});

test("an address that is none is not found", {timeout}, async () => {
    await assert.rejects(client.get("/nothing-here"), OpenAI.NotFoundError);
});

test("a file comes back as it was sent", hasBatches, async () => {
    const content = batchLine("one", {model, messages, max_tokens: 4});
    const file = await client.files.create({file: await toFile(Buffer.from(content), "batch.jsonl"), purpose: "batch"});
    assert.equal(file.object, "file");
    assert.equal(file.bytes, Buffer.byteLength(content));
    assert.equal((await client.files.retrieve(file.id)).filename, "batch.jsonl");
    assert.equal(await (await client.files.content(file.id)).text(), content);
    assert.equal((await client.files.delete(file.id)).deleted, true);
    await assert.rejects(client.files.retrieve(file.id), OpenAI.NotFoundError);
});

test("a batch answers every line once, and says which failed", hasBatches, async () => {
    const lines = [
        ...Array.from({length: 10}, (_, at) => batchLine(`good-${at}`, {model, messages, max_tokens: 4, temperature: 0})),
        batchLine("bad", {model: "nobody", messages}),
    ];
    const batch = await endedBatch(await createdBatch(lines.join("")));
    assert.equal(batch.status, "completed", JSON.stringify(batch));
    assert.deepEqual({...batch.request_counts}, {total: 11, completed: 10, failed: 1});
    const good = await linesOf(batch.output_file_id);
    assert.deepEqual(good.map((line) => line.custom_id).sort(), Array.from({length: 10}, (_, at) => `good-${at}`));
    assert.ok(good.every((line) => line.response.status_code === 200 && line.response.body.usage.completion_tokens === 4));
    const bad = await linesOf(batch.error_file_id);
    assert.deepEqual(bad.map((line) => line.custom_id), ["bad"]);
});

test("a batch whose file is no JSON says which line", hasBatches, async () => {
    const lines = [batchLine("one", {model, messages, max_tokens: 4}), "this is no JSON\n"];
    const failed = await createdBatch(lines.join("")).then(endedBatch, (error) => error);
    if (failed instanceof Error) assert.ok(failed instanceof OpenAI.BadRequestError && /line 2/.test(failed.message), `${failed}`);
    else assert.ok(failed.status === "failed" && failed.errors.data[0].line === 2, JSON.stringify(failed));
});

test("batches are listed, and one that is cancelled ends", hasBatches, async () => {
    const lines = Array.from({length: 200}, (_, at) => batchLine(`call-${at}`, {model, messages, max_tokens: 64}));
    const {id} = await createdBatch(lines.join(""));
    await client.batches.cancel(id);
    const batch = await endedBatch({id});
    assert.ok(["cancelled", "completed"].includes(batch.status), batch.status);
    const ids = [];
    for await (const one of client.batches.list()) ids.push(one.id);
    assert.ok(ids.includes(id));
});

function batchLine(custom_id, body) {
    return JSON.stringify({custom_id, method: "POST", url: "/v1/chat/completions", body}) + "\n";
}

async function createdBatch(text) {
    const file = await client.files.create({file: await toFile(Buffer.from(text), "batch.jsonl"), purpose: "batch"});
    return client.batches.create({input_file_id: file.id, endpoint: "/v1/chat/completions", completion_window: "24h"});
}

function endedBatch({id}) {
    return until(`batch ${id} has ended`, async () => {
        const batch = await client.batches.retrieve(id);
        return ["completed", "failed", "expired", "cancelled"].includes(batch.status) && batch;
    });
}

async function linesOf(file) {
    const text = await (await client.files.content(file)).text();
    return text.trim().split("\n").map((line) => JSON.parse(line));
}

async function everything(stream) {
    const all = [];
    for await (const one of stream) all.push(one);
    return all;
}
