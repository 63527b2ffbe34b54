// Bundles the client with what it shares with the service (money, and the rules of a conversion), so that the published
// package needs no other one. Run after `tsc -b`.
import { join } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;

await build({
  absWorkingDir: here,
  entryPoints: ['dist/index.js'],
  outfile: join(here, 'dist', 'bundle', 'index.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: ['node20'],
  treeShaking: true,
  legalComments: 'eof',
});
