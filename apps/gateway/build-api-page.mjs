// Writes the page of `GET /api/docs` into dist/api-page: the viewer's files from its package under names with their hash,
// each also as `.br` and `.gz`, and a manifest. Skipped when nothing that they are made of has changed since. Plain
// JavaScript: it needs no build of its own, and an image's build runs it, too.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, parse } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const here = import.meta.dirname;
const require = createRequire(import.meta.url);
const viewer = dirname(require.resolve('swagger-ui-dist/package.json'));
const output = join(here, 'dist', 'api-page');
const manifestFile = join(output, 'manifest.json');
const CONTENT_TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};
const PAGE = 'index.html';

const assets = [
  ...['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) => [name, readFileSync(join(viewer, name))]),
  ['start.js', readFileSync(join(here, 'api-page', 'start.js'))],
];
const page = readFileSync(join(here, 'api-page', PAGE), 'utf8');
const sources = sha256([readFileSync(import.meta.filename), page, ...assets.map(([, content]) => content)]);
if (!existsSync(manifestFile) || JSON.parse(readFileSync(manifestFile, 'utf8')).sources !== sources) build();

function build() {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  let html = page;
  const files = {};
  for (const [name, content] of assets) {
    const { name: stem, ext } = parse(name);
    const hashed = `${stem}.${sha256([content]).slice(0, 16)}${ext}`;
    html = html.replace(`docs/${name}`, `docs/${hashed}`);
    files[hashed] = write(hashed, content);
  }
  const manifest = { sources, page: write(PAGE, Buffer.from(html)), files };
  // Last: without it nothing counts as built.
  writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 1)}\n`);
}

/** @returns how it is served: its type, its tag, and its bytes in each encoding */
function write(name, content) {
  const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  const gzip = gzipSync(content, { level: 9 });
  const path = join(output, name);
  writeFileSync(path, content);
  writeFileSync(`${path}.br`, brotli);
  writeFileSync(`${path}.gz`, gzip);
  const bytes = { br: brotli.length, gzip: gzip.length, identity: content.length };
  return { content_type: CONTENT_TYPES[extname(name)], sha256: sha256([content]), bytes };
}

function sha256(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
