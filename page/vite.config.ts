import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// Names carry no hash of what is inside: the bundle is committed, the binary embeds it by name, and ETags tell browsers
// what they have.
export default defineConfig({
  base: './',
  plugins: [svelte({ compilerOptions: { css: 'external' } })],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    chunkSizeWarningLimit: 200,
    rollupOptions: {
      output: {
        entryFileNames: 'page.js',
        chunkFileNames: (chunk) => `${chunk.name.split('.')[0]!.toLowerCase()}.js`,
        assetFileNames: 'page[extname]',
      },
    },
  },
  server: {
    // While one works on the page: a running service, which takes no requests that carry an Origin.
    proxy: Object.fromEntries(
      ['/api', '/openapi.json', '/healthz'].map((path) => [
        path,
        {
          target: process.env.SWITCHYARD_SERVER ?? 'http://127.0.0.1:7878',
          configure: (proxy: { on(event: 'proxyReq', call: (request: { removeHeader(n: string): void }) => void): void }) =>
            proxy.on('proxyReq', (request) => request.removeHeader('origin')),
        },
      ]),
    ),
  },
});
