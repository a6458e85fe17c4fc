// Reads a line of English text from a picture: Tesseract's trained network, from npm and with nothing fetched at run time.
// {"image": PNG in base64} gives {"text": …, "confidence": 0…100}.

import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

import {createWorker, OEM, PSM} from "tesseract.js";

import {Failed, serve} from "./switchyard_runner.mjs";

async function load() {
    const weights = join(dirname(fileURLToPath(import.meta.resolve("@tesseract.js-data/eng"))), "4.0.0_best_int");
    const reader = await createWorker("eng", OEM.LSTM_ONLY, {langPath: weights, gzip: true, cacheMethod: "none"});
    await reader.setParameters({tessedit_pageseg_mode: PSM.SINGLE_LINE});
    return reader;
}

async function run(reader, {input}) {
    if (typeof input?.image !== "string") throw new Failed("a call has an 'image', a PNG in base64", "input");
    const image = Buffer.from(input.image, "base64");
    if (image.subarray(1, 4).toString("latin1") !== "PNG") throw new Failed("the image is not a PNG", "input");
    const {data} = await reader.recognize(image);
    return {text: data.text.trim(), confidence: data.confidence};
}

serve(load, run);
