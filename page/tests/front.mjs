// What the binary does with the page, for looking at it while one works on it: the built files under a strict policy,
// everything else handed on to the service; and a line to it that can be cut.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { extname, join, normalize } from 'node:path';

const dist = join(import.meta.dirname, '../dist');
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
export const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `isWhole`: the page comes from the service too. */
export function front(port, target, isWhole = false) {
  const server = createServer((asked, answer) => {
    const path = normalize(new URL(asked.url, 'http://x').pathname);
    const file = join(dist, path === '/' ? 'index.html' : path);
    if (!isWhole && file.startsWith(dist) && existsSync(file) && statSync(file).isFile()) {
      answer.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream', 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' });
      return createReadStream(file).pipe(answer);
    }
    const { origin: _, host: __, ...headers } = asked.headers;
    const onward = request(target + asked.url, { method: asked.method, headers }, (told) => {
      answer.writeHead(told.statusCode, told.headers);
      told.pipe(answer);
      told.on('error', () => answer.destroy());
    });
    onward.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
  return new Promise((go) => server.listen(port, '127.0.0.1', () => go({ url: `http://127.0.0.1:${server.address().port}`, cut: () => server.closeAllConnections(), stop: () => (server.closeAllConnections(), new Promise((done) => server.close(done))) })));
}
