// llama.cpp with one model, on the CPU: text goes in, text or a vector comes out. One call at a time; the caller sees to that.
// The same call gives the same answer: nothing is kept from one to the next, and chance has a seed.

import {getLlama} from "node-llama-cpp";
import {Template} from "@huggingface/jinja";

export class TooLong extends Error {}

export async function loadLlama(file, {threads = 1} = {}) {
    const llama = await getLlama({
        gpu: false, build: "never", skipDownload: true, progressLogs: false, maxThreads: threads, logLevel: "error",
    });
    const model = await llama.loadModel({modelPath: file});
    const context = await model.createContext({contextSize: model.trainContextSize, threads, sequences: 1});
    return new LlamaEngine(model, context.getSequence(), threads);
}

class LlamaEngine {
    #model;
    #sequence;
    #threads;
    #embedder = null; // made when it is first asked for

    constructor(model, sequence, threads) {
        this.#model = model;
        this.#sequence = sequence;
        this.#threads = threads;
    }

    get contextSize() {
        return this.#model.trainContextSize;
    }

    // A conversation as the text that this model was made to continue.
    chatText(messages) {
        const template = this.#model.fileInfo.metadata.tokenizer?.chat_template;
        if (!template) throw new Error("this model has no chat template");
        return new Template(template).render({messages, add_generation_prompt: true});
    }

    // Hands each new piece of text to `say` and returns {tokens, promptTokens, finish}, where finish is "stop" or "length".
    async generate(text, {maxTokens = 16, temperature = 0, seed = 0, stop = [], signal}, say) {
        const prompt = this.#tokens(text);
        const limit = Math.min(maxTokens, this.contextSize - prompt.length);
        if (limit < 1) throw new TooLong(`the prompt has ${prompt.length} tokens, the model's context ${this.contextSize}`);
        const tokens = [];
        const pieces = new Pieces(stop, say);
        await this.#sequence.clearHistory();
        for await (const token of this.#sequence.evaluate(prompt, {temperature, seed})) {
            signal?.throwIfAborted();
            tokens.push(token);
            if (pieces.show(this.#model.detokenize(tokens, false, prompt))) break;
            if (tokens.length === limit) break;
        }
        const finish = pieces.stopped || tokens.length < limit ? "stop" : "length";
        pieces.end();
        return {tokens, promptTokens: prompt.length, finish};
    }

    async embed(text) {
        this.#embedder ??= await this.#model.createEmbeddingContext({contextSize: this.contextSize, threads: this.#threads});
        const tokens = this.#tokens(text).length;
        if (tokens > this.contextSize) throw new TooLong(`the text has ${tokens} tokens, the model's context ${this.contextSize}`);
        const {vector} = await this.#embedder.getEmbeddingFor(text);
        return {vector: [...vector], tokens};
    }

    #tokens(text) {
        const tokens = this.#model.tokenize(text);
        return this.#model.tokens.shouldPrependBosToken ? [this.#model.tokens.bos, ...tokens] : tokens;
    }
}

// Text that grows, said in pieces: nothing of a stop word, and no character before it is whole, is ever said.
class Pieces {
    #stop;
    #say;
    #text = "";
    #said = 0;
    stopped = false;

    constructor(stop, say) {
        this.#stop = stop;
        this.#say = say;
    }

    // The whole text so far; true when a stop word has come.
    show(text) {
        this.#text = text;
        const found = this.#stop.map((word) => text.indexOf(word)).filter((at) => at >= 0);
        if (found.length > 0) {
            this.stopped = true;
            this.#text = text.slice(0, Math.min(...found));
            return true;
        }
        const held = Math.max(0, ...this.#stop.map((word) => word.length - 1), text.endsWith("\ufffd") ? 4 : 0);
        this.#upTo(text.length - held);
        return false;
    }

    end() {
        this.#upTo(this.#text.length);
    }

    #upTo(end) {
        if (end <= this.#said) return;
        this.#say(this.#text.slice(this.#said, end));
        this.#said = end;
    }
}
