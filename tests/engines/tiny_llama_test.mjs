// llama.cpp and our own few lines of arithmetic agree on what a tiny model says.

import assert from "node:assert/strict";
import {statSync, truncateSync} from "node:fs";
import {join} from "node:path";
import {after, test} from "node:test";

import {mayHaveSaid} from "./forward.mjs";
import {loadLlama, TooLong} from "./llama_engine.mjs";
import {temporaryFolder} from "./process.mjs";
import {tinyLlama, tokensOf, tokensOfPrompt, writeTinyLlama} from "./tiny_llama.mjs";

const timeout = 60_000;
const folder = temporaryFolder();
after(() => folder.remove());

async function loaded(model) {
    const file = join(folder.path, `${model.name}.gguf`);
    writeTinyLlama(file, model);
    return loadLlama(file);
}

async function said(engine, prompt, wishes) {
    let text = "";
    const {finish, tokens} = await engine.generate(prompt, wishes, (piece) => (text += piece));
    return {text, finish, tokens};
}

const small = tinyLlama({seed: 3});
const engine = await loaded(small);

test("the likeliest tokens are those of the naive twin", {timeout}, async () => {
    for (const prompt of ["hello world", "a", "line one\nline two", "{\"json\": [1, 2]}"]) {
        const {text, tokens} = await said(engine, prompt, {maxTokens: 32});
        assert.deepEqual(tokens, tokensOf(text));
        assert.ok(mayHaveSaid(small, tokensOfPrompt(prompt), tokens), `after '${prompt}': '${text}'`);
    }
});

test("the twin sees it when a single token is another", {timeout}, async () => {
    const {tokens} = await said(engine, "hello world", {maxTokens: 8});
    const wrong = tokens.with(5, tokens[5] === 300 ? 301 : 300);
    assert.ok(!mayHaveSaid(small, tokensOfPrompt("hello world"), wrong));
});

test("other weights say something else", {timeout}, async () => {
    const other = tinyLlama({seed: 4, width: 96, layers: 3});
    const {text} = await said(await loaded(other), "hello world", {maxTokens: 16});
    assert.ok(mayHaveSaid(other, tokensOfPrompt("hello world"), tokensOf(text)));
    assert.notEqual(text, (await said(engine, "hello world", {maxTokens: 16})).text);
});

test("chance has a seed", {timeout}, async () => {
    const wishes = {maxTokens: 32, temperature: 1};
    const once = await said(engine, "dice", {...wishes, seed: 1});
    assert.equal((await said(engine, "dice", {...wishes, seed: 1})).text, once.text);
    assert.notEqual((await said(engine, "dice", {...wishes, seed: 2})).text, once.text);
});

test("a stop word ends the text before it", {timeout}, async () => {
    const whole = await said(engine, "hello world", {maxTokens: 32});
    const word = whole.text.slice(10, 13);
    const cut = await said(engine, "hello world", {maxTokens: 32, stop: [word]});
    assert.equal(cut.finish, "stop");
    assert.equal(cut.text, whole.text.slice(0, whole.text.indexOf(word)));
});

test("a prompt longer than the context is refused", {timeout}, async () => {
    await assert.rejects(said(engine, "x".repeat(600), {}), TooLong);
    await assert.rejects(engine.embed("x".repeat(600)), TooLong);
});

test("the context bounds what is said", {timeout}, async () => {
    const {tokens, finish} = await said(engine, "x".repeat(500), {maxTokens: 100});
    assert.equal(tokens.length, 512 - 502);
    assert.equal(finish, "length");
});

test("equal texts have equal vectors, others others", {timeout}, async () => {
    const one = (await engine.embed("one")).vector;
    assert.equal(one.length, small.shape.width);
    assert.deepEqual((await engine.embed("one")).vector, one);
    assert.notDeepEqual((await engine.embed("two")).vector, one);
});

test("a file that is cut off is refused", {timeout}, async () => {
    const file = join(folder.path, "cut.gguf");
    writeTinyLlama(file, small);
    truncateSync(file, statSync(file).size / 2);
    await assert.rejects(loadLlama(file));
});
