// Bundles the worker kit with what it shares with our own services (reading facts, consuming Kafka), and its types, so that
// the published package needs nothing but `kafkajs`. Run after `tsc -b`.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const here = import.meta.dirname;
const [code, declarations] = ['index.mjs', 'index.d.ts'].map((name) => join(here, 'dist', 'bundle', name));
/** What the bundle was made of, and when. */
const record = join(here, 'dist', '.bundled.json');
/** The bundlers' own versions are in it. */
const LOCKFILE = join(here, '..', '..', 'package-lock.json');

// Each command of the repository asks for it, and what bundles types takes most of a second to load.
if (isOutdated()) await bundle();

function isOutdated() {
  if (![record, code, declarations].every((file) => existsSync(file))) return true;
  try {
    const { begunMs, sources } = JSON.parse(readFileSync(record, 'utf8'));
    return sources.some((file) => statSync(file).mtimeMs >= begunMs);
  } catch {
    // A source has gone, or a killed command has left half of the record.
    return true;
  }
}

async function bundle() {
  const begunMs = Date.now();
  const [{ build }, { rollup }, { dts }] = await Promise.all([
    import('esbuild'),
    import('rollup'),
    import('rollup-plugin-dts'),
  ]);
  const { metafile } = await build({
    absWorkingDir: here,
    entryPoints: ['dist/index.js'],
    outfile: code,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: ['node20'],
    treeShaking: true,
    metafile: true,
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
  await types.write({ file: declarations, format: 'es' });
  await types.close();
  const bundled = Object.keys(metafile.inputs).map((file) => resolve(here, file));
  const sources = [import.meta.filename, LOCKFILE, ...bundled, ...types.watchFiles];
  writeFileSync(record, JSON.stringify({ begunMs, sources }));
}

/** The built declarations of `@truetally/<library>[/<folder>]`; null for every other import. */
function declarationsOf(source) {
  const [, library, folder = ''] = /^@truetally\/([^/]+)(?:\/(.+))?$/.exec(source) ?? [];
  if (library === undefined || library === 'kernel') return null;
  return join(here, '..', library, 'dist', folder, 'index.d.ts');
}
