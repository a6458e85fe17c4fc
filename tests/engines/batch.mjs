// Takes a batch file's requests through their workflow, whose steps call models: {model, needs, input}, where the input may name what
// others gave, {{ steps.read.output.text }}, and what the request says, {{ request.image }}.
// Each request is a list of tasks in the service that follow on one another; a step that fails ends its request, and no other.

import {until} from "./process.mjs";

const endStates = ["succeeded", "failed", "cancelled", "timed_out", "lost"];

// For each item {id, steps: {name: task}, failed: name of a step or null}; a task is as the service shows it.
export function runBatch(service, {workflows, requests}) {
    return Promise.all(requests.flatMap(({workflow, items}) => items.map((item) => runItem(service, workflows[workflow], item))));
}

async function runItem(service, workflow, request) {
    const steps = {};
    for (const [name, step] of Object.entries(workflow)) {
        const input = filled(step.input, {request, steps});
        const after = (step.needs ?? []).map((need) => steps[need].id);
        steps[name] = await endedTask(service, await submitted(service, {model: step.model, name: `${request.custom_id}.${name}`, input, after}));
        if (steps[name].state !== "succeeded") return {id: request.custom_id, steps, failed: name};
    }
    return {id: request.custom_id, steps, failed: null};
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

// Text that is one name and nothing else becomes what it names, whatever that is; names within text become text.
export function filled(value, known) {
    if (Array.isArray(value)) return value.map((one) => filled(one, known));
    if (value !== null && typeof value === "object")
        return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, known)]));
    if (typeof value !== "string") return value;
    const whole = /^\{\{ ([\w.]+) \}\}$/.exec(value);
    return whole ? named(whole[1], known) : value.replaceAll(/\{\{ ([\w.]+) \}\}/g, (_, path) => named(path, known));
}

function named(path, known) {
    const found = path.split(".").reduce((value, name) => value?.[name], known);
    if (found === undefined) throw new Error(`there is no '${path}'`);
    return found;
}
