// A service with work of every kind, to look at the page: node tests/demo.mjs [PORT]; ends with Ctrl-C. At first a run has
// all GPUs to itself, so that plan and reality can be compared; when its address is printed it has ended, another run is under
// way, and calls, commands and a pipeline beside it.
import { Yard } from './yard.mjs';

const yard = await new Yard({ port: Number(process.argv[2] ?? 17878), gpus: 8 }).start();
const pause = (ms) => new Promise((go) => setTimeout(go, ms));
const users = ['anna', 'ben', 'chen', 'dora'], levels = ['NORMAL', 'LOW', 'LOW', 'HIGH', 'LOW'];
const kinds = [['bge', 1.5, 'embed the archive'], ['reranker', 2, 'rank answers'], ['llama-8b', 6, 'summarise reports'], ['whisper', 4, 'transcribe call'], ['sdxl', 8, 'illustrate page'], ['llama-8b', 5, 'draft replies']];
const models = { bge: { memory_gb: 2 }, reranker: { memory_gb: 4 }, 'llama-8b': { memory_gb: 16 }, whisper: { memory_gb: 3 }, sdxl: { memory_gb: 12 } };
const workflows = {
  rag: { retrieve: { model: 'bge', seconds: 1.2 }, rank: { model: 'reranker', seconds: 1, needs: ['retrieve'] }, answer: { model: 'llama-8b', seconds: 4, needs: ['rank'] }, check: { model: 'llama-8b', seconds: 2, needs: ['answer'] } },
  minutes: { listen: { model: 'whisper', seconds: 5 }, summary: { model: 'llama-8b', seconds: 4, needs: ['listen'] }, picture: { model: 'sdxl', seconds: 6, needs: ['listen'] }, letter: { model: 'llama-8b', seconds: 3, needs: ['summary', 'picture'] } },
};
const command = (words, more) => yard.ask('POST', '/api/v1/tasks', { command: words, memory_mb: 10, ...more });
const run = async (name, rag, minutes) =>
  (await yard.ask('POST', '/api/v1/runs', { name, user: 'chen', plan_seconds: 2, batch: { models, workflows, requests: [{ workflow: 'rag', count: rag }, { workflow: 'minutes', count: minutes }] } })).id;
let going = true;
process.on('SIGTERM', () => (going = false));
process.on('SIGINT', () => (going = false));

const nodes = [['north-1', 0, 40], ['north-2', 40, 80], ['south-1', 0, 27], ['south-2', 27, 54], ['south-3', 54, 80]];
async function pipeline() {
  const ask = (path, body) => yard.ask('POST', `/api/v1/pipelines${path}`, body);
  await ask('', { name: 'llama-70b', model: { name: 'llama-70b', layers: 80, hidden: 8192, intermediate: 28672, heads: 64, kv_heads: 8, head_size: 128, vocab: 128256 } });
  for (const [id, first, end] of nodes) await ask('/llama-70b/join', { node: { id, tflops: 300, memory_gib: 141, bandwidth_gb_s: 4800 }, holds: [first, end] });
  const under = [];
  for (let i = 0; going; ++i) {
    if (i % 10 === 0) await ask('/llama-70b/beat', { beats: nodes.map(([node, first, end], k) => ({ node, holds: [first, end], ms_per_layer: 0.4 + 0.03 * k, steps: 20 })) });
    under.push((await ask('/llama-70b/route', { prompt_tokens: 400, output_tokens: 300 })).request);
    if (under.length > 14) await ask('/llama-70b/end', { request: under.shift() });
    await pause(1000);
  }
}

for (const [model] of kinds) await yard.call(model, 0.1, { name: `warm up ${model}` });
const first = await run('weekly digest', 24, 12);
while (going && !(await yard.ask('GET', `/api/v1/runs/${first}`)).ended) await pause(500);
void pipeline().catch((trouble) => console.error(String(trouble)));
const { id: train } = await command(['sh', '-c', 'i=0; while [ $i -lt 900 ]; do i=$((i+1)); echo "step $i of 900: loss 0.$((9000 - i * 7)), 412 tokens/s"; sleep 0.5; done'], { name: 'train adapter', user: 'anna', priority: 'HIGH', estimate_s: 900, memory_mb: 20000 });
const { id } = await command(['sh', '-c', 'echo weights.bin: no such file >&2; exit 3'], { name: 'convert weights', user: 'ben', retries: 1 });
await command(['sleep', '20'], { name: 'evaluate adapter', user: 'anna', after: [train], estimate_s: 20 });
await command(['sleep', '20'], { name: 'nightly backup', user: 'dora', after_any: [id], delay_s: 600, estimate_s: 20 });
await run('nightly reports', 30, 14);
console.log(yard.url);
for (let i = 0; going; ++i) {
  const { queued } = await yard.ask('GET', '/api/v1/queue');
  if (queued < 14) {
    // One kind of work comes several times in a row, as it does.
    const [model, usual, name] = kinds[(Math.floor(i / 5) * 5) % kinds.length], seconds = Math.round(usual * (6 + ((i * 37) % 10))) / 10;
    await yard.call(model, seconds, { input: { seconds, prompt: `${name}, part ${i + 1}` }, name, user: users[(i * 3) % users.length], priority: levels[(i * 7) % levels.length], estimate_s: seconds });
  }
  await pause(150);
}
await yard.end();
process.exit(0);
