import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Where the dashboard server listens while the page is developed with `npm run dev`.
const DASHBOARD = 'http://127.0.0.1:8420';

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: '../app/static',
    emptyOutDir: true,
    // The server's Content-Security-Policy allows no inline script, style or data: module.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: 'es2022',
    rolldownOptions: {
      output: {
        // one file for the words of a language; a page loads that of its own
        codeSplitting: {
          groups: [{ name: (id) => /words\/(\w+)\.ftl/.exec(id)?.[1] ?? null, debugName: 'words' }],
        },
      },
    },
  },
  // the words of sources and outputs lie beside the gateway's code
  server: { proxy: { '/api': DASHBOARD }, fs: { allow: ['..'] } },
  test: { include: ['src/**/*.test.ts'] },
});
