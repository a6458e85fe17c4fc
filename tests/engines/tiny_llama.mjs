// A language model of the llama architecture that is small enough to be drawn from a seed in a moment.
//
// Its weights are random: what it writes means nothing. But it is a whole model, the same file format, tokenizer, attention and
// sampling as a large one, and what it must answer is known, since forward.mjs computes it a second time in plain JavaScript.
//
//   node tiny_llama.mjs FILE [SEED] [WIDTH] [LAYERS]

import {writeFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

import {fraction, fractions, ggufFile, text, texts, whole, wholes} from "./gguf.mjs";

const kind = {normal: 1, unknown: 2, control: 3, byte: 6};
const unknownToken = 0;
const beginToken = 1;
const endToken = 2;
const firstByte = 3;
const firstCharacter = firstByte + 256;

// One turn a line, as simple as a template can be: "user: hello".
const chatTemplate = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}" +
    "{% if add_generation_prompt %}assistant: {% endif %}";

export function tinyLlama({seed = 1, width = 64, layers = 2} = {}) {
    const shape = {width, layers, heads: 4, keyHeads: 2, inner: 2 * width, context: 512, epsilon: 1e-5, ropeBase: 10000};
    const vocabulary = characters();
    return {name: `tiny-${seed}-${width}`, shape, vocabulary, tensors: weights(shape, vocabulary, gaussian(seed))};
}

export function writeTinyLlama(file, model) {
    const known = [...describedShape(model), ...describedTokens(model.vocabulary)];
    writeFileSync(file, ggufFile(known, [...model.tensors.values()]));
}

// The tokens of a text of ASCII characters. The tokenizer puts a space before what a prompt begins with.
export const tokensOfPrompt = (prompt) => [beginToken, ...tokensOf(" " + prompt)];
export const tokensOf = (text) => [...text].map((character) => {
    const code = character.charCodeAt(0);
    return code >= 32 && code < 127 ? firstCharacter + code - 32 : firstByte + code;
});

// Every printable ASCII character is a token, and every byte, for what is not.
function characters() {
    const tokens = [
        {text: "<unk>", kind: kind.unknown}, {text: "<s>", kind: kind.control}, {text: "</s>", kind: kind.control},
    ];
    for (let byte = 0; byte < 256; ++byte)
        tokens.push({text: `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`, kind: kind.byte});
    tokens.push({text: "\u2581", kind: kind.normal}); // how this kind of tokenizer writes a space
    for (let code = 33; code < 127; ++code) tokens.push({text: String.fromCharCode(code), kind: kind.normal});
    return tokens;
}

function weights(shape, vocabulary, draw) {
    const tensors = new Map();
    const add = (name, dimensions, values) => tensors.set(name, {name, shape: dimensions, values});
    const matrix = (name, from, to, scale = 1 / Math.sqrt(from)) =>
        add(name, [from, to], Float32Array.from({length: from * to}, () => draw() * scale));
    const ones = (name) => add(name, [shape.width], new Float32Array(shape.width).fill(1));
    const keyWidth = (shape.width / shape.heads) * shape.keyHeads;

    matrix("token_embd.weight", shape.width, vocabulary.length, 1);
    for (let layer = 0; layer < shape.layers; ++layer) {
        ones(`blk.${layer}.attn_norm.weight`);
        matrix(`blk.${layer}.attn_q.weight`, shape.width, shape.width);
        matrix(`blk.${layer}.attn_k.weight`, shape.width, keyWidth);
        matrix(`blk.${layer}.attn_v.weight`, shape.width, keyWidth);
        matrix(`blk.${layer}.attn_output.weight`, shape.width, shape.width);
        ones(`blk.${layer}.ffn_norm.weight`);
        matrix(`blk.${layer}.ffn_gate.weight`, shape.width, shape.inner);
        matrix(`blk.${layer}.ffn_up.weight`, shape.width, shape.inner);
        matrix(`blk.${layer}.ffn_down.weight`, shape.inner, shape.width);
    }
    ones("output_norm.weight");
    matrix("output.weight", shape.width, vocabulary.length);
    onlyCharactersAreSaid(tensors.get("output.weight"), vocabulary);
    return tensors;
}

// Bytes and control tokens get the score 0, above which some of 95 characters always is: every answer is readable ASCII.
function onlyCharactersAreSaid({shape: [width], values}, vocabulary) {
    vocabulary.forEach((token, at) => {
        if (token.kind !== kind.normal) values.fill(0, at * width, (at + 1) * width);
    });
}

function describedShape({name, shape, vocabulary}) {
    return [
        ["general.architecture", text("llama")],
        ["general.name", text(name)],
        ["general.file_type", whole(0)],
        ["llama.vocab_size", whole(vocabulary.length)],
        ["llama.context_length", whole(shape.context)],
        ["llama.embedding_length", whole(shape.width)],
        ["llama.block_count", whole(shape.layers)],
        ["llama.feed_forward_length", whole(shape.inner)],
        ["llama.attention.head_count", whole(shape.heads)],
        ["llama.attention.head_count_kv", whole(shape.keyHeads)],
        ["llama.attention.layer_norm_rms_epsilon", fraction(shape.epsilon)],
        ["llama.rope.dimension_count", whole(shape.width / shape.heads)],
        ["llama.rope.freq_base", fraction(shape.ropeBase)],
    ];
}

function describedTokens(vocabulary) {
    return [
        ["tokenizer.ggml.model", text("llama")],
        ["tokenizer.ggml.tokens", texts(vocabulary.map((token) => token.text))],
        ["tokenizer.ggml.scores", fractions(vocabulary.map(() => 0))],
        ["tokenizer.ggml.token_type", wholes(vocabulary.map((token) => token.kind))],
        ["tokenizer.ggml.bos_token_id", whole(beginToken)],
        ["tokenizer.ggml.eos_token_id", whole(endToken)],
        ["tokenizer.ggml.unknown_token_id", whole(unknownToken)],
        ["tokenizer.chat_template", text(chatTemplate)],
    ];
}

// The same numbers for the same seed, on every machine: mulberry32, then Box and Muller's transform.
function gaussian(seed) {
    let state = seed >>> 0;
    const uniform = () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
    return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
    const [file, seed, width, layers] = process.argv.slice(2);
    const given = Object.entries({seed, width, layers}).filter(([, value]) => value !== undefined);
    writeTinyLlama(file, tinyLlama(Object.fromEntries(given.map(([name, value]) => [name, Number(value)]))));
}
