// The llama architecture a second time, in plain JavaScript and with no cleverness: what a tiny model must answer.
// The naive twin of llama.cpp; it computes all scores for the next token from the whole text, each time anew.

// Whether a model that always takes the likeliest token may have said this. Engines keep less precise numbers than we do here, so one
// that is as likely as the likeliest within `margin` will do: scores differ by about 1.
export function mayHaveSaid(model, prompt, said, margin = 0.05) {
    return said.every((token, at) => {
        const scores = scoresAfter(model, [...prompt, ...said.slice(0, at)]);
        return scores[token] >= Math.max(...scores) - margin;
    });
}

// The scores of every token of the vocabulary after these tokens.
function scoresAfter({shape, tensors}, tokens) {
    const weight = (name) => tensors.get(name);
    let states = tokens.map((token) => Array.from(row(weight("token_embd.weight"), token)));
    for (let layer = 0; layer < shape.layers; ++layer) {
        const part = (name) => weight(`blk.${layer}.${name}.weight`);
        const seen = attention(shape, part, states.map((state) => normalized(state, part("attn_norm"), shape.epsilon)));
        states = states.map((state, at) => sum(state, seen[at]));
        states = states.map((state) => sum(state, thought(part, normalized(state, part("ffn_norm"), shape.epsilon))));
    }
    return times(weight("output.weight"), normalized(states.at(-1), weight("output_norm.weight"), shape.epsilon));
}

function attention(shape, part, states) {
    const size = shape.width / shape.heads;
    const turned = (vector, position) => rotated(vector, position, size, shape.ropeBase);
    const queries = states.map((state, at) => turned(times(part("attn_q"), state), at));
    const keys = states.map((state, at) => turned(times(part("attn_k"), state), at));
    const values = states.map((state) => times(part("attn_v"), state));
    return states.map((_, at) => {
        const heads = Array.from({length: shape.heads}, (_, head) => {
            const shared = Math.floor(head / (shape.heads / shape.keyHeads));
            const query = slice(queries[at], head, size);
            const weights = shares(keys.slice(0, at + 1).map((key) => dot(query, slice(key, shared, size)) / Math.sqrt(size)));
            return weights.map((weight, past) => slice(values[past], shared, size).map((value) => value * weight)).reduce(sum);
        });
        return times(part("attn_output"), heads.flat());
    });
}

function thought(part, state) {
    const up = times(part("ffn_up"), state);
    const gate = times(part("ffn_gate"), state);
    return times(part("ffn_down"), gate.map((value, at) => (value / (1 + Math.exp(-value))) * up[at]));
}

// Each pair of neighbours within a head is turned by an angle that grows with the position.
function rotated(vector, position, size, base) {
    const turned = [...vector];
    for (let at = 0; at < vector.length; at += 2) {
        const angle = position * base ** (-(at % size) / size);
        turned[at] = vector[at] * Math.cos(angle) - vector[at + 1] * Math.sin(angle);
        turned[at + 1] = vector[at] * Math.sin(angle) + vector[at + 1] * Math.cos(angle);
    }
    return turned;
}

function normalized(vector, {values}, epsilon) {
    const scale = 1 / Math.sqrt(dot(vector, vector) / vector.length + epsilon);
    return vector.map((value, at) => value * scale * values[at]);
}

function shares(scores) {
    const highest = Math.max(...scores);
    const raised = scores.map((score) => Math.exp(score - highest));
    const total = raised.reduce((one, other) => one + other);
    return raised.map((value) => value / total);
}

const row = ({shape: [width], values}, at) => values.subarray(at * width, (at + 1) * width);
const times = (matrix, vector) => Array.from({length: matrix.shape[1]}, (_, at) => dot(vector, row(matrix, at)));
const slice = (vector, head, size) => vector.slice(head * size, (head + 1) * size);
const sum = (one, other) => one.map((value, at) => value + other[at]);
const dot = (one, other) => one.reduce((total, value, at) => total + value * other[at], 0);
