// What an OpenAI-compatible server says, made of what a llama engine does: the bodies of requests and answers, no HTTP.

import {TooLong} from "./llama_engine.mjs";

// What a client did wrong, with the status and the words OpenAI's clients know.
export class Refused extends Error {
    constructor(status, message, {code = null, param = null} = {}) {
        super(message);
        this.status = status;
        this.kind = "input";
        this.body = {error: {message, type: "invalid_request_error", param, code}};
    }
}

export class OpenAiAnswers {
    #engine;
    #name;
    #count = 0;

    constructor(engine, name) {
        this.#engine = engine;
        this.#name = name;
    }

    models() {
        return {object: "list", data: [this.model(this.#name)]};
    }

    model(name) {
        if (name !== this.#name) throw unknownModel(name);
        return {id: this.#name, object: "model", created: 0, owned_by: "switchyard"};
    }

    // `onChunk` gets each document of a stream; without it only the whole answer is made. Both know the same usage.
    async chat(body, {signal, onChunk} = {}) {
        this.#check(body, "messages", Array.isArray(body.messages) && body.messages.every(isMessage));
        const head = this.#head("chatcmpl", onChunk ? "chat.completion.chunk" : "chat.completion");
        const chunk = (delta, finish_reason = null) => onChunk?.({...head, choices: [{index: 0, delta, finish_reason}]});
        chunk({role: "assistant", content: ""});
        const one = await this.#one(this.#engine.chatText(body.messages), body, signal, (content) => chunk({content}));
        chunk({}, one.finish);
        this.#usageChunk(body, head, [one], onChunk);
        const message = {role: "assistant", content: one.text, refusal: null};
        return {...head, choices: [{index: 0, message, finish_reason: one.finish, logprobs: null}], usage: usage([one])};
    }

    async completion(body, {signal, onChunk} = {}) {
        const prompts = Array.isArray(body.prompt) ? body.prompt : [body.prompt];
        this.#check(body, "prompt", prompts.length > 0 && prompts.every((prompt) => typeof prompt === "string"));
        const head = this.#head("cmpl", "text_completion");
        const choices = [];
        const all = [];
        for (const [index, prompt] of prompts.entries()) {
            const chunk = (text, finish_reason = null) =>
                onChunk?.({...head, choices: [{index, text, finish_reason, logprobs: null}]});
            const one = await this.#one(prompt, body, signal, (text) => chunk(text));
            chunk("", one.finish);
            choices.push({index, text: one.text, finish_reason: one.finish, logprobs: null});
            all.push(one);
        }
        this.#usageChunk(body, head, all, onChunk);
        return {...head, choices, usage: usage(all)};
    }

    async embeddings(body) {
        const texts = Array.isArray(body.input) ? body.input : [body.input];
        this.#check(body, "input", texts.length > 0 && texts.every((text) => typeof text === "string" && text !== ""));
        const data = [];
        let tokens = 0;
        for (const [index, text] of texts.entries()) {
            const one = await this.#refusingTheLong(() => this.#engine.embed(text));
            tokens += one.tokens;
            data.push({object: "embedding", index, embedding: body.encoding_format === "base64" ? base64(one.vector) : one.vector});
        }
        return {object: "list", model: this.#name, data, usage: {prompt_tokens: tokens, total_tokens: tokens}};
    }

    // The name may be left out by a caller who speaks to this model alone.
    #check(body, field, isGood) {
        if (body.model !== undefined && body.model !== this.#name) throw unknownModel(body.model);
        if (!isGood) throw new Refused(400, `'${field}' is missing or not what it should be`, {param: field});
        if ((body.n ?? 1) !== 1) throw new Refused(400, `'n' is ${body.n}, this server gives one answer`, {param: "n"});
    }

    #head(kind, object) {
        return {id: `${kind}-${++this.#count}`, object, created: Math.floor(Date.now() / 1000), model: this.#name};
    }

    async #one(prompt, body, signal, say) {
        const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? 16;
        if (!Number.isInteger(maxTokens) || maxTokens < 1)
            throw new Refused(400, `'max_tokens' is ${maxTokens}, not a whole number above 0`, {param: "max_tokens"});
        const wishes = {maxTokens, temperature: body.temperature ?? 0, seed: body.seed ?? 0, stop: [body.stop ?? []].flat(), signal};
        let text = "";
        const told = (piece) => {
            text += piece;
            say(piece);
        };
        const {tokens, promptTokens, finish} = await this.#refusingTheLong(() => this.#engine.generate(prompt, wishes, told));
        return {text, finish, promptTokens, tokens: tokens.length};
    }

    async #refusingTheLong(work) {
        try {
            return await work();
        } catch (error) {
            if (error instanceof TooLong) throw new Refused(400, error.message, {code: "context_length_exceeded"});
            throw error;
        }
    }

    #usageChunk(body, head, all, onChunk) {
        if (body.stream_options?.include_usage) onChunk?.({...head, choices: [], usage: usage(all)});
    }
}

function unknownModel(name) {
    return new Refused(404, `The model '${name}' does not exist`, {code: "model_not_found", param: "model"});
}

function isMessage(message) {
    return typeof message?.role === "string" && typeof message.content === "string";
}

function usage(all) {
    const prompt_tokens = all.reduce((sum, one) => sum + one.promptTokens, 0);
    const completion_tokens = all.reduce((sum, one) => sum + one.tokens, 0);
    return {prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens};
}

function base64(vector) {
    return Buffer.from(Float32Array.from(vector).buffer).toString("base64");
}
