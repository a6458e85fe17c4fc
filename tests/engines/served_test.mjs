// llama.cpp behind an HTTP server that the worker starts, watches and calls.

import assert from "node:assert/strict";
import {after, before, test} from "node:test";

import {endedTask, submitted} from "./batch.mjs";
import {startService} from "./service.mjs";

const timeout = 120_000;
const messages = [{role: "user", content: "what is it"}];
let service;

before(async () => (service = await startService({served: true})), {timeout});
after(() => service?.stop(), {timeout});

const ended = async (model, input) => endedTask(service, await submitted(service, {model, input}));

test("a served model says what the same model says as a runner of lines", {timeout}, async () => {
    const call = {messages, max_tokens: 12};
    const served = await ended("gpt-4o-mini", call);
    assert.equal(served.state, "succeeded", JSON.stringify(served.attempts));
    assert.equal(served.model, "served");
    const lines = await ended("tiny-a", call);
    assert.equal(served.output.choices[0].message.content, lines.output.choices[0].message.content);
    console.log(`  loaded in ${served.attempts[0].load_s.toFixed(2)} s over HTTP, ${lines.attempts[0].load_s.toFixed(2)} s as a runner`);
});

test("what it streams is the same text, piece by piece", {timeout}, async () => {
    const whole = await ended("served", {messages, max_tokens: 12});
    const streamed = await ended("served", {messages, max_tokens: 12, stream: true});
    const text = streamed.output.stream.map(({choices}) => choices[0]?.delta?.content ?? "").join("");
    assert.equal(text, whole.output.choices[0].message.content);
    assert.ok(streamed.output.stream.length > 2, `${streamed.output.stream.length} pieces`);
});

test("other paths are called, and a refusal keeps its status and reason", {timeout}, async () => {
    const embedded = await ended("served", {path: "/v1/embeddings", body: {input: "a king"}});
    assert.equal(embedded.state, "succeeded", JSON.stringify(embedded.attempts));
    assert.ok(embedded.output.data[0].embedding.length > 0);
    const refused = await ended("served", {path: "/v1/completions", body: {prompt: "x".repeat(600)}});
    assert.equal(refused.state, "failed");
    assert.equal(refused.attempts[0].http_status, 400);
    assert.match(refused.attempts[0].error, /\w/);
    const {body} = await service.call("GET", "/api/v1/models");
    assert.equal(body.models.find(({name}) => name === "served").loads, 1);
});
