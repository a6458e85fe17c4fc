// llama.cpp as a runner: a call is the body of an OpenAI request, its output the body of the answer.
// {"messages": …} is a conversation, {"prompt": …} a text to continue, {"input": …} a text to embed.
//
//   node llama_runner.mjs FILE

import {loadLlama} from "./llama_engine.mjs";
import {OpenAiAnswers} from "./llama_openai.mjs";
import {Failed, serve} from "./switchyard_runner.mjs";

const [file] = process.argv.slice(2);

async function load() {
    return new OpenAiAnswers(await loadLlama(file), process.env.SWITCHYARD_MODEL ?? "llama");
}

async function run(answers, {input, signal}) {
    if (input?.messages) return answers.chat(input, {signal});
    if (input?.prompt) return answers.completion(input, {signal});
    if (input?.input) return answers.embeddings(input);
    throw new Failed("a call has 'messages', a 'prompt' or an 'input'", "input");
}

serve(load, run);
