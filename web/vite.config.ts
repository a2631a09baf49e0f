/// <reference types="vitest/config" />
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { antdStyles } from './scripts/antdStyles';

/** Screens and calls share first segments (`/system/…`), so what a request accepts decides who answers it. */
const apiTarget = process.env.ERP_API ?? `http://127.0.0.1:${process.env.ERP_PORT ?? '8000'}`;
const frameRoots = /^\/(embedded|static|superset|api\/v1)\//;
const viteRoots = /^\/(@|src\/|node_modules\/|(index|lone)\.html)/;

export default defineConfig({
  plugins: [react(), antdStyles()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    port: Number(process.env.VITE_PORT ?? 5173),
    strictPort: true,
    proxy: {
      '^/': {
        target: apiTarget,
        bypass: (req) => {
          const url = req.url ?? '/';
          if (viteRoots.test(url)) return url;
          const wantsPage = req.method === 'GET' && (req.headers.accept ?? '').includes('text/html');
          return wantsPage && !frameRoots.test(url) ? '/index.html' : undefined;
        },
      },
    },
  },
  build: {
    target: 'es2022',
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler|react-router)[\\/]/ },
            { name: 'echarts', test: /node_modules[\\/](echarts|zrender|echarts-for-react)[\\/]/ },
          ],
        },
      },
    },
  },
  test: {
    environment: 'jsdom',
    // Libraries are imported once a worker; the project's own modules still are new for each file.
    isolate: false,
    maxWorkers: 2,
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/vitest.setup.ts'],
    testTimeout: 20_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
});
