// Builds the pages into dist/web, each file also as `.br` and `.gz`. Skipped when nothing that they are made of has
// changed since. Plain JavaScript: it needs no build of its own, and an image's build runs it, too.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const here = import.meta.dirname;
const output = join(here, 'dist', 'web');
const stamp = join(here, 'dist', 'web.sha256');
const libs = join(here, '..', '..', 'libs');
/** What the pages share with the storefront and the gateway. */
const SHARED = [
  join(libs, 'browser-sdk', 'src'),
  ...['tables', 'targeting'].map((area) => join(libs, 'contracts', 'src', area)),
];
const COMPRESSED = new Set(['.css', '.html', '.js', '.json', '.svg']);

const sources = fingerprint();
if (
  !existsSync(join(output, 'index.html')) ||
  !existsSync(stamp) ||
  readFileSync(stamp, 'utf8') !== sources
) {
  const { build } = await import('vite');
  await build({ root: join(here, 'web'), configFile: join(here, 'vite.config.ts'), logLevel: 'warn' });
  await buildPreview(build);
  for (const path of filesIn(output)) compress(path);
  writeFileSync(stamp, sources);
}

/** A classic script by itself: no module runs in the sandboxed frame of the preview, which has no origin. */
async function buildPreview(build) {
  await build({
    root: join(here, 'web'),
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir: output,
      emptyOutDir: false,
      target: 'es2022',
      modulePreload: false,
      rollupOptions: {
        input: join(here, 'web', 'preview', 'preview.ts'),
        output: { format: 'iife', entryFileNames: 'preview.js' },
      },
    },
  });
}

function fingerprint() {
  const hash = createHash('sha256');
  const lock = join(here, '..', '..', 'package-lock.json');
  const own = ['package.json', 'vite.config.ts', 'build-pages.mjs'].map((name) => join(here, name));
  const sources = [join(here, 'web'), ...SHARED].flatMap(filesIn);
  for (const path of [...own, ...sources, ...(existsSync(lock) ? [lock] : [])]) {
    hash.update(path.slice(here.length)).update(readFileSync(path));
  }
  return hash.digest('hex');
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

function compress(path) {
  if (!COMPRESSED.has(extname(path))) return;
  const content = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
}
