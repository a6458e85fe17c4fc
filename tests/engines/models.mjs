// Writes what `bench/mixed` needs to measure with real engines: node models.mjs FOLDER makes FOLDER/models.json and FOLDER/inputs.json.

import {mkdirSync, writeFileSync} from "node:fs";
import {join, resolve} from "node:path";

import {pictureOf} from "./picture.mjs";
import {catalogue} from "./service.mjs";

const folder = resolve(process.argv[2]);
mkdirSync(folder, {recursive: true});
const lines = ["MY BANK ACCOUNT IS EMPTY", "RAIN IS EXPECTED TOMORROW", "THE TEAM WON THE MATCH"];
const inputs = {
    ocr: lines.map((line) => ({image: pictureOf(line).toString("base64")})),
    sentences: lines.map((line) => ({text: line, topics: ["money and banks", "the weather", "games and sport"]})),
    "tiny-a": lines.map((line) => ({prompt: line, max_tokens: 96})),
    "tiny-b": lines.map((line) => ({messages: [{role: "user", content: line}], max_tokens: 96})),
};
writeFileSync(join(folder, "models.json"), JSON.stringify(catalogue(folder), null, 2));
writeFileSync(join(folder, "inputs.json"), JSON.stringify(inputs));
