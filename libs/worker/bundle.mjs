// Bundles the worker kit with what it shares with our own services (reading facts, consuming Kafka), and its types, so that
// the published package needs nothing but `kafkajs`. Run after `tsc -b`.
import { join } from 'node:path';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const here = import.meta.dirname;
const output = join(here, 'dist', 'bundle');

await build({
  absWorkingDir: here,
  entryPoints: ['dist/index.js'],
  outfile: join(output, 'index.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: ['node20'],
  treeShaking: true,
  // Only the first is needed: nothing that serves requests remains in the bundle, which a spec shows.
  external: ['kafkajs', '@nestjs/*', 'rxjs', 'reflect-metadata', '@opentelemetry/*'],
  legalComments: 'eof',
});

const types = await rollup({
  input: join(here, 'dist', 'index.d.ts'),
  // No type of the kernel remains in a public one.
  external: [/^node:/, 'kafkajs', '@truetally/kernel'],
  plugins: [{ name: 'own-libraries', resolveId: declarationsOf }, dts()],
});
await types.write({ file: join(output, 'index.d.ts'), format: 'es' });
await types.close();

/** The built declarations of `@truetally/<library>[/<folder>]`; null for every other import. */
function declarationsOf(source) {
  const [, library, folder = ''] = /^@truetally\/([^/]+)(?:\/(.+))?$/.exec(source) ?? [];
  if (library === undefined || library === 'kernel') return null;
  return join(here, '..', library, 'dist', folder, 'index.d.ts');
}
