// BullMQ end to end: `add` hands in tasks with priorities over many lines at once, `work` does nothing with each of them.
// Both print when they were done, in seconds since 1970.
import { createRequire } from "node:module";
const [role, modules, socket, count] = [process.argv[2], process.argv[3], process.argv[4], Number(process.argv[5])];
const { Queue, Worker } = createRequire(modules + "/")("bullmq");
const connection = { path: socket, maxRetriesPerRequest: null };
const kAtOnce = 50;

async function add() {
  const queue = new Queue("bench", { connection });
  await queue.waitUntilReady();
  console.log("begin", Date.now() / 1000);
  let next = 0;
  const client = async () => {
    for (let i = next++; i < count; i = next++) await queue.add("call", { input: 1 }, { priority: 1 + (i % 4) });
  };
  await Promise.all(Array.from({ length: kAtOnce }, client));
  console.log("accepted", Date.now() / 1000);
  await queue.close();
}

async function work() {
  const worker = new Worker("bench", async (job) => job.data.input, { connection, concurrency: kAtOnce });
  await worker.waitUntilReady();
  console.log("ready", Date.now() / 1000);
  let done = 0;
  await new Promise((resolve) => worker.on("completed", () => ++done === count && resolve()));
  console.log("ended", Date.now() / 1000);
  await worker.close();
}

await (role === "add" ? add() : work());
process.exit(0);
