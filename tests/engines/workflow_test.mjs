// Notes are read from pictures, sorted by what they mean, answered and checked: four real models on two GPUs that are pretended.

import assert from "node:assert/strict";
import {execFile} from "node:child_process";
import {after, before, test} from "node:test";
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {promisify} from "node:util";

import {endedTask, runBatch, submitted} from "./batch.mjs";
import {mayHaveSaid} from "./forward.mjs";
import {pictureOf} from "./picture.mjs";
import {peakMemoryMb} from "./process.mjs";
import {startService, switchyard, tinyModels} from "./service.mjs";
import {tokensOf, tokensOfPrompt} from "./tiny_llama.mjs";

const batch = JSON.parse(readFileSync(join(import.meta.dirname, "notes.json"), "utf8"));
const timeout = 120_000;
let service;

before(async () => (service = await startService()), {timeout});
after(() => service?.stop(), {timeout});

const [{workflow, items}] = batch.requests;
const requestsOf = (some) => [{workflow, items: some}];
const picture = (line) => pictureOf(line).toString("base64");

test("every note goes through four real models, and each has done its work", {timeout}, async () => {
    const notes = items.map((item) => ({...item, image: picture(item.line)}));
    const done = await runBatch(service, {...batch, requests: requestsOf(notes)});
    for (const [at, {id, steps, failed}] of done.entries()) {
        assert.equal(failed, null, `${id}: ${JSON.stringify(steps[failed]?.attempts)}`);
        const read = steps.read.output.text;
        assert.ok(lettersApart(read, notes[at].line) <= 2, `${id}: read '${read}'`);
        assert.equal(steps.sort.output.topic, notes[at].topic, JSON.stringify(steps.sort.output));
        assertSaid("tiny-a", `${notes[at].topic}: ${read}`, steps.reply.output.choices[0].text, 24);
        const conversation = `user: ${notes[at].topic}\nassistant: `;
        assertSaid("tiny-b", conversation, steps.check.output.choices[0].message.content, 12);
    }
});

test("each model was loaded, on no more GPUs than there are, and used again", {timeout}, async () => {
    const {body} = await service.call("GET", "/api/v1/models");
    for (const {name, loads, gpus, load_p50_s} of body.models) {
        assert.ok(loads >= 1 && gpus.length <= 2, `${name}: ${loads} loads, on ${gpus}`);
        console.log(`  ${name}: loaded ${loads} times, ${load_p50_s.toFixed(2)} s`);
    }
    console.log(`  memory of the processes at most, in MB: ${service.processes().map(peakMemoryMb).join(", ")}`);
    const again = await endedTask(service, await submitted(service, {model: "tiny-a", input: {prompt: "once more", max_tokens: 4}}));
    assert.equal(again.state, "succeeded");
});

test("a picture that is none fails its own request, with the reason, and no other", {timeout}, async () => {
    const good = {...items[0], image: picture(items[0].line)};
    const bad = {...items[0], custom_id: "bad", image: Buffer.from("no picture").toString("base64")};
    const [first, second] = await runBatch(service, {...batch, requests: requestsOf([bad, good])});
    assert.equal(first.failed, "read");
    assert.match(first.steps.read.attempts[0].error, /the image is not a PNG/);
    assert.deepEqual(Object.keys(first.steps), ["read"]);
    assert.equal(second.failed, null);
});

test("the same call gives the same answer, on whichever GPU it runs", {timeout}, async () => {
    const call = {model: "tiny-b", input: {prompt: "again and again", max_tokens: 16, temperature: 0.8, seed: 7}};
    const ids = await Promise.all(Array.from({length: 6}, () => submitted(service, call)));
    const said = await Promise.all(ids.map(async (id) => (await endedTask(service, id)).output.choices[0].text));
    assert.equal(new Set(said).size, 1, JSON.stringify(said));
});

test("what was trained knows that a queen is nearer to a king than a carrot", {timeout}, async () => {
    const output = await answered("sentences", {text: "king", topics: ["carrot", "queen"]});
    assert.ok(output.likeness.queen > output.likeness.carrot + 0.1, JSON.stringify(output));
    const {data} = await answered("sentences", {input: ["one sentence"]});
    assert.equal(data[0].embedding.length, 512);
});

test("submit --wait prints what the model said, and --after waits for another call", {timeout}, async () => {
    const first = await submitted(service, {model: "ocr", input: {image: picture("THE WEATHER REPORT")}});
    const input = JSON.stringify({prompt: "after that", max_tokens: 8});
    const more = ["--wait", "--after", String(first), "--model", "tiny-a", "--input", input];
    const {stdout} = await promisify(execFile)(switchyard, ["submit", "--server", service.address, ...more], {timeout: 60_000});
    assertSaid("tiny-a", "after that", JSON.parse(stdout).choices[0].text, 8);
    assert.equal((await endedTask(service, first)).state, "succeeded");
});

test("a template that names a missing step is refused", async () => {
    const lost = {...batch, workflows: {note: {read: {model: "ocr", input: "{{ steps.nobody.output }}"}}}};
    await assert.rejects(runBatch(service, lost), /a template names the step 'nobody'/);
});

const answered = async (model, input) => {
    const task = await endedTask(service, await submitted(service, {model, input}));
    assert.equal(task.state, "succeeded", JSON.stringify(task.attempts));
    return task.output;
};

function assertSaid(name, prompt, text, tokens) {
    assert.equal(text.length, tokens, `${name} said '${text}'`);
    assert.ok(mayHaveSaid(tinyModels[name], tokensOfPrompt(prompt), tokensOf(text)), `${name} after '${prompt}' said '${text}'`);
}

// How many letters to change, add or leave out to make one text of the other.
function lettersApart(one, other) {
    let row = Array.from({length: other.length + 1}, (_, at) => at);
    for (const [at, letter] of [...one].entries()) {
        const next = [at + 1];
        for (let to = 0; to < other.length; ++to)
            next.push(Math.min(next[to] + 1, row[to + 1] + 1, row[to] + (letter === other[to] ? 0 : 1)));
        row = next;
    }
    return row.at(-1);
}
