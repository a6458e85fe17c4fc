// Draws a line of capital letters as a PNG, for a model to read: black on white, each dot of the font a soft square.

import {crc32, deflateSync} from "node:zlib";

// Five dots wide, seven high; a row is five bits.
const font = {
    A: [4, 10, 17, 17, 31, 17, 17], B: [30, 17, 17, 30, 17, 17, 30], C: [14, 17, 16, 16, 16, 17, 14], D: [30, 17, 17, 17, 17, 17, 30],
    E: [31, 16, 16, 30, 16, 16, 31], F: [31, 16, 16, 30, 16, 16, 16], G: [14, 17, 16, 23, 17, 17, 14], H: [17, 17, 17, 31, 17, 17, 17],
    I: [14, 4, 4, 4, 4, 4, 14], J: [7, 2, 2, 2, 2, 18, 12], K: [17, 18, 20, 24, 20, 18, 17], L: [16, 16, 16, 16, 16, 16, 31],
    M: [17, 27, 21, 21, 17, 17, 17], N: [17, 25, 21, 19, 17, 17, 17], O: [14, 17, 17, 17, 17, 17, 14], P: [30, 17, 17, 30, 16, 16, 16],
    Q: [14, 17, 17, 17, 21, 18, 13], R: [30, 17, 17, 30, 20, 18, 17], S: [15, 16, 16, 14, 1, 1, 30], T: [31, 4, 4, 4, 4, 4, 4],
    U: [17, 17, 17, 17, 17, 17, 14], V: [17, 17, 17, 10, 10, 4, 4], W: [17, 17, 17, 21, 21, 27, 17], X: [17, 17, 10, 4, 10, 17, 17],
    Y: [17, 17, 10, 4, 4, 4, 4], Z: [31, 1, 2, 4, 8, 16, 31], " ": [0, 0, 0, 0, 0, 0, 0],
};
const dot = 5;
const margin = 8; // in dots, around the line

export function pictureOf(line) {
    const columns = 6 * line.length - 1 + 2 * margin;
    const rows = 7 + 2 * margin;
    const dots = Array.from({length: rows}, () => new Uint8Array(columns));
    [...line].forEach((letter, place) => {
        if (!font[letter]) throw new Error(`the font has no '${letter}'`);
        font[letter].forEach((bits, row) => {
            for (let column = 0; column < 5; ++column)
                dots[margin + row][margin + 6 * place + column] = (bits >> (4 - column)) & 1;
        });
    });
    return png(columns * dot, rows * dot, (x, y) => 255 - Math.round(255 * softly(dots, x / dot, y / dot)));
}

// How black a place between the dots is: stairs become slopes, as print has them.
function softly(dots, x, y) {
    const at = (column, row) => dots[row]?.[column] ?? 0;
    const [column, row] = [Math.floor(x - 0.4), Math.floor(y - 0.4)];
    const [right, down] = [x - 0.4 - column, y - 0.4 - row];
    const black = at(column, row) * (1 - right) * (1 - down) + at(column + 1, row) * right * (1 - down) +
        at(column, row + 1) * (1 - right) * down + at(column + 1, row + 1) * right * down;
    return Math.min(1, Math.max(0, (black - 0.35) / 0.3));
}

function png(width, height, shade) {
    const pixels = Buffer.alloc(height * (width + 1));
    for (let y = 0; y < height; ++y)
        for (let x = 0; x < width; ++x) pixels[y * (width + 1) + 1 + x] = shade(x, y);
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    header.writeUInt8(8, 8); // bits of a pixel, which is a grey
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(pixels)), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(name, content) {
    const body = Buffer.concat([Buffer.from(name), content]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(content.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
