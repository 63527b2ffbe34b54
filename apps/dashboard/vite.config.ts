import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Nothing stands inline: the page's policy allows neither scripts nor styles without a file. */
export default defineConfig({
  root: join(import.meta.dirname, 'web'),
  base: '/dashboard/',
  plugins: [react()],
  build: {
    outDir: join(import.meta.dirname, 'dist', 'web'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    target: 'es2022',
  },
});
