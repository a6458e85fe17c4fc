import { svelte } from '@sveltejs/vite-plugin-svelte';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { defineConfig, type Plugin } from 'vite';

/** uPlot as its authors made it for a script element: src/lib/plot_library.ts. */
function uplotScript(): Plugin {
  const file = createRequire(import.meta.url).resolve('uplot/dist/uPlot.iife.min.js');
  return {
    name: 'uplot-script',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'uplot.js', source: readFileSync(file) });
    },
    configureServer(server) {
      server.middlewares.use('/uplot.js', (_asked, answer) => answer.setHeader('Content-Type', 'text/javascript').end(readFileSync(file)));
    },
  };
}

// Two entries: the page, and the script of the reports that `plan`, `run` and `simulate` write. What both need (the chart,
// the plots, figures as people read them) becomes chart.js, which the page imports and the reports carry.
// Names carry no hash of what is inside: the bundle is committed, the binary embeds it by name, and ETags tell browsers
// what they have.
export default defineConfig({
  base: './',
  plugins: [uplotScript(), svelte({ compilerOptions: { css: 'external' } })],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    chunkSizeWarningLimit: 200,
    rollupOptions: {
      input: { page: 'index.html', report: 'src/report/report.ts' },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: (chunk) => (chunk.isDynamicEntry ? `${chunk.name.split('.')[0]!.toLowerCase()}.js` : 'chart.js'),
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
