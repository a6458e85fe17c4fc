// Batches of workflows and single tasks, handed to a running service.

import {until} from "./process.mjs";

const endStates = ["succeeded", "failed", "cancelled", "timed_out", "lost"];

// Has a batch planned and carried out. For each request {id, steps: {name: task}, failed: name of a step or null}; a task is as the
// service shows it, and a step that never became one is not there.
export async function runBatch(service, batch) {
    const {status, body} = await service.call("POST", "/api/v1/runs", {batch, plan_seconds: 0.2, tries: 1});
    if (status >= 300) throw new Error(`the batch was refused: ${JSON.stringify(body)}`);
    await until(`run ${body.id} has ended`, async () => (await service.call("GET", `/api/v1/runs/${body.id}`)).body.state === "ended",
        {seconds: 100});
    const {body: results} = await service.call("GET", `/api/v1/runs/${body.id}/results`);
    const lines = (typeof results === "string" ? results.trim().split("\n") : [JSON.stringify(results)]).map((line) => JSON.parse(line));
    return Promise.all(lines.map(({id, steps}) => withTasks(service, id, steps)));
}

async function withTasks(service, id, steps) {
    const tasks = {};
    for (const [name, {task}] of Object.entries(steps))
        if (task !== undefined) tasks[name] = (await service.call("GET", `/api/v1/tasks/${task}`)).body;
    const failed = Object.keys(steps).find((name) => steps[name].state === "failed") ?? null;
    return {id, steps: tasks, failed};
}

export async function submitted(service, task) {
    const {status, body} = await service.call("POST", "/api/v1/tasks", task);
    if (status >= 300) throw new Error(`task '${task.name}' was refused: ${JSON.stringify(body)}`);
    return body.id;
}

export function endedTask(service, id) {
    return until(`task ${id} has ended`, async () => {
        const {body} = await service.call("GET", `/api/v1/tasks/${id}`);
        return endStates.includes(body.state) && body;
    }, {seconds: 60});
}
