// The official OpenAI client against a service of ours: the same tests as against llama_server.mjs, files and batches too.

process.env.SWITCHYARD_OPENAI_FRONT = "1";
await import("./openai_client_test.mjs");
