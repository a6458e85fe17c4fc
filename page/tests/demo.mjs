// A service with work of every kind under way, to look at the page: node tests/demo.mjs [PORT]; ends with Ctrl-C.
import { Yard } from './yard.mjs';

const yard = await new Yard({ port: Number(process.argv[2] ?? 17878), gpus: 8 }).start();
const pause = (ms) => new Promise((go) => setTimeout(go, ms));
const users = ['anna', 'ben', 'chen', 'dora'], levels = ['NORMAL', 'NORMAL', 'NORMAL', 'HIGH', 'LOW'];
const kinds = [['bge', 1.5, 'embed the archive'], ['reranker', 2, 'rank answers'], ['llama-8b', 6, 'summarise reports'], ['whisper', 4, 'transcribe call'], ['sdxl', 8, 'illustrate page'], ['llama-8b', 5, 'draft replies']];

async function pipeline() {
  const ask = (path, body) => yard.ask('POST', `/api/v1/pipelines${path}`, body);
  await ask('', { name: 'llama-70b', model: { name: 'llama-70b', layers: 80, hidden: 8192, intermediate: 28672, heads: 64, kv_heads: 8, head_size: 128, vocab: 128256 } });
  const nodes = [['north-1', 0, 40], ['north-2', 40, 80], ['south-1', 0, 27], ['south-2', 27, 54], ['south-3', 54, 80]];
  for (const [id, first, end] of nodes) await ask('/llama-70b/join', { node: { id, tflops: 300, memory_gib: 141, bandwidth_gb_s: 4800 }, holds: [first, end] });
}
function run() {
  const workflows = {
    rag: { retrieve: { model: 'bge', seconds: 1.2 }, rank: { model: 'reranker', seconds: 1, needs: ['retrieve'] }, answer: { model: 'llama-8b', seconds: 4, needs: ['rank'] }, check: { model: 'llama-8b', seconds: 2, needs: ['answer'] } },
    minutes: { listen: { model: 'whisper', seconds: 5 }, summary: { model: 'llama-8b', seconds: 4, needs: ['listen'] }, picture: { model: 'sdxl', seconds: 6, needs: ['summary'] } },
  };
  const models = { bge: { memory_gb: 2 }, reranker: { memory_gb: 4 }, 'llama-8b': { memory_gb: 16 }, whisper: { memory_gb: 3 }, sdxl: { memory_gb: 12 } };
  return yard.ask('POST', '/api/v1/runs', { name: 'nightly reports', plan_seconds: 1, batch: { models, workflows, requests: [{ workflow: 'rag', count: 40 }, { workflow: 'minutes', count: 18 }] } });
}

for (const [model] of kinds) await yard.call(model, 0.1, { name: `warm up ${model}` });
await pipeline().catch((trouble) => console.error(String(trouble)));
await run();
await yard.ask('POST', '/api/v1/tasks', { command: ['sh', '-c', 'i=0; while [ $i -lt 900 ]; do i=$((i+1)); echo "step $i: loss 0.$((9000 - i * 7))"; sleep 1; done'], name: 'train adapter', user: 'anna', priority: 'HIGH', estimate_s: 900, memory_mb: 20000 });
const { id } = await yard.ask('POST', '/api/v1/tasks', { command: ['sh', '-c', 'echo no such file >&2; exit 3'], name: 'convert weights', user: 'ben', memory_mb: 10 });
await yard.ask('POST', '/api/v1/tasks', { command: ['./evaluate.sh'], name: 'evaluate adapter', user: 'anna', after_any: [id], delay_s: 1800, memory_mb: 10 });
await yard.ask('POST', '/api/v1/tasks', { command: ['./publish.sh'], name: 'nightly backup', user: 'dora', delay_s: 3600, memory_mb: 10 });
console.log(yard.url);
let going = true;
process.on('SIGTERM', () => (going = false));
process.on('SIGINT', () => (going = false));
for (let i = 0; going; ++i) {
  const { queued } = await yard.ask('GET', '/api/v1/queue');
  if (queued < 14) {
    const [model, seconds, name] = kinds[(i * 5) % kinds.length];
    await yard.call(model, seconds * (0.6 + ((i * 37) % 100) / 100), { name, user: users[(i * 3) % users.length], priority: levels[(i * 7) % levels.length], estimate_s: seconds });
  }
  await pause(150);
}
await yard.end();
process.exit(0);
