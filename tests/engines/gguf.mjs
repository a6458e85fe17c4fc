// Writes GGUF, the file format of llama.cpp: a header, what is known of the model, the table of its tensors, their bytes.
// Only what our tiny models need of it: text, whole numbers, fractions, lists of them, and tensors of 32-bit fractions.

const alignment = 32;
const version = 3;
const type = {uint32: 4, int32: 5, float32: 6, string: 8, array: 9};
const tensorType = {float32: 0};

// Values say their own type, so that 1 and 1.0 are not taken for each other.
export const text = (value) => ({type: type.string, bytes: textBytes(value)});
export const whole = (value) => ({type: type.uint32, bytes: wholeBytes(value)});
export const fraction = (value) => ({type: type.float32, bytes: fractionBytes(value)});
export const texts = (values) => list(type.string, values.map(textBytes));
export const wholes = (values) => list(type.int32, values.map(wholeBytes));
export const fractions = (values) => list(type.float32, values.map(fractionBytes));

// known: [name, value] pairs; tensors: {name, shape, values}, where shape starts with the dimension that lies together in memory.
export function ggufFile(known, tensors) {
    const head = [
        Buffer.from("GGUF"), wholeBytes(version), longBytes(tensors.length), longBytes(known.length),
        ...known.flatMap(([name, value]) => [textBytes(name), wholeBytes(value.type), value.bytes]),
    ];
    const parts = [];
    let offset = 0;
    for (const {name, shape, values} of tensors) {
        head.push(textBytes(name), wholeBytes(shape.length), ...shape.map(longBytes), wholeBytes(tensorType.float32), longBytes(offset));
        const bytes = padded(Buffer.from(values.buffer, values.byteOffset, values.byteLength));
        parts.push(bytes);
        offset += bytes.length;
    }
    return Buffer.concat([padded(Buffer.concat(head)), ...parts]);
}

function list(elementType, elements) {
    return {type: type.array, bytes: Buffer.concat([wholeBytes(elementType), longBytes(elements.length), ...elements])};
}

function textBytes(value) {
    const bytes = Buffer.from(value, "utf8");
    return Buffer.concat([longBytes(bytes.length), bytes]);
}

function wholeBytes(value) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
}

function longBytes(value) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
}

function fractionBytes(value) {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    return bytes;
}

function padded(bytes) {
    return Buffer.concat([bytes, Buffer.alloc((alignment - (bytes.length % alignment)) % alignment)]);
}
