import { defineConfig } from 'vite';

// The chart of the reports that `plan`, `run` and `simulate` write: one script without imports, to be put in a page.
export default defineConfig({
  publicDir: false,
  build: {
    target: 'es2020',
    outDir: 'dist',
    emptyOutDir: false,
    modulePreload: false,
    lib: { entry: 'src/report/report.ts', formats: ['iife'], name: 'switchyardReport', fileName: () => 'report.js' },
  },
});
