import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { instrument, RECORDER } from './instrument.js';
import { Recorder } from './recorder.js';

/** A process with this hook (`node --import`) records its way, and writes it to this file upon SIGUSR2. */
export const WAY_FILE = 'WAY_FILE';

const REPOSITORY = new URL('../../../', import.meta.url).href;
const BUNDLES = new URL('dist/', REPOSITORY).href;
const root = fileURLToPath(REPOSITORY);
const BUILT = new RegExp(String.raw`^(?:apps|libs)${sep}[a-z-]+${sep}dist${sep}.*\.js$`);
const target = process.env[WAY_FILE];

if (target !== undefined) record(target);

function record(file: string): void {
  const recorder = new Recorder();
  Object.defineProperty(globalThis, RECORDER, { value: recorder });
  registerHooks({
    // Of the bundle that is started, the program that it was made of: a bundle has none of our files.
    resolve: (specifier, context, nextResolve) => {
      const resolved = nextResolve(specifier, context);
      return { ...resolved, url: resolved.url.replace(BUNDLES, REPOSITORY) };
    },
    load: (url, context, nextLoad) => {
      const path = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
      if (!BUILT.test(path)) return nextLoad(url, context);
      const source = instrument(readFileSync(fileURLToPath(url), 'utf8'), path);
      return { format: 'module', source, shortCircuit: true };
    },
  });
  process.on('SIGUSR2', () => {
    const steps = recorder.take().map((step) => ({ ...step, atNs: String(step.atNs) }));
    writeFileSync(`${file}.part`, JSON.stringify(steps));
    renameSync(`${file}.part`, file);
  });
}
