// llama.cpp as a runner: a call is the body of an OpenAI request, or {"path", "body"} with it, its output the body of the answer.
// {"messages": …} is a conversation, {"prompt": …} a text to continue, {"input": …} a text to embed. With "stream" the documents of the
// stream are said while the answer is made.
//
//   node llama_runner.mjs FILE

import {loadLlama} from "./llama_engine.mjs";
import {OpenAiAnswers} from "./llama_openai.mjs";
import {Failed, serve} from "./switchyard_runner.mjs";

const [file] = process.argv.slice(2);

async function load() {
    return new OpenAiAnswers(await loadLlama(file), process.env.SWITCHYARD_MODEL ?? "llama");
}

async function run(answers, call) {
    const {signal} = call;
    const body = call.input?.body ?? call.input;
    const onChunk = body?.stream ? (chunk) => call.piece(chunk) : undefined;
    if (body?.messages) return answers.chat(body, {signal, onChunk});
    if (body?.prompt) return answers.completion(body, {signal, onChunk});
    if (body?.input) return answers.embeddings(body);
    throw new Failed("a call has 'messages', a 'prompt' or an 'input'", "input");
}

serve(load, run);
