// Bundles the SDK into dist/bundle: as a module for bundlers, and as scripts for pages in `served`, each with its
// hash in its name and in `manifest.json`. Plain JavaScript: it needs no build, and an image's build runs it, too.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { minify } from '@swc/core';
import { build } from 'esbuild';

const here = import.meta.dirname;
const out = join(here, 'dist', 'bundle');
const served = join(out, 'served');
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
/** Members that no page and no browser knows, by shorter names. */
const INNER =
  /^(ask|backing|beacon|chance|client|clock|count|identity|ended|exchange|forget|hear|id|fromJson|isAhead|isKnown|isLasting|isNameless|isStuck|keep|keysWith|kind|landing|newId|next|options|outbox|pageContext|pass|pausedUntil|place|platform|post|prefix|read|resetMs|records|refused|reply|report|requestId|network|rested|retryAfterMs|sendBeacons|sendNow|sender|serverAheadMs|setTimer|settle|stop|store|timeNow|toJson|user|verdict|visitor|waitMs|wake|watch|withLock|wordsOf|write)$/;
const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  target: ['es2022'],
  legalComments: 'none',
  mangleProps: INNER,
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
};
const HASH_CHARACTERS = 8;
const written = new Set();

mkdirSync(served, { recursive: true });
/** Short names are the same in both scripts, because one uses the other's members. */
let mangleCache = {};
const onsite = await script(
  'truetally-onsite',
  'src/global-onsite.ts',
  {},
  { hoist_vars: true, collapse_vars: false, conditionals: false },
);
const parts = {
  ONSITE_FILE: JSON.stringify(onsite.file),
  ONSITE_INTEGRITY: JSON.stringify(onsite.integrity),
};
const core = await script('truetally', 'src/global.ts', parts, { hoist_vars: true });
const files = { 'truetally.js': core, 'truetally-onsite.js': onsite };
put(join(served, 'manifest.json'), JSON.stringify({ version, files }, null, 2));
const modules = await build({
  ...common,
  entryPoints: ['src/index.ts', 'src/render.ts'],
  format: 'esm',
  splitting: true,
  outdir: out,
  outExtension: { '.js': '.mjs' },
  chunkNames: '[name]-[hash]',
  write: false,
});
for (const { path, contents } of modules.outputFiles) put(path, contents);
removeOthers();

/** Writes a script under its name with the hash. @param compress what makes this one smaller, and another larger */
async function script(name, entry, define, compress) {
  const { outputFiles, mangleCache: names } = await build({
    ...common,
    mangleCache,
    entryPoints: [entry],
    format: 'iife',
    define,
    write: false,
  });
  mangleCache = names;
  const content = await smaller(outputFiles[0].text, compress);
  const digest = createHash('sha256').update(content).digest();
  const file = `${name}.${digest.toString('hex').slice(0, HASH_CHARACTERS)}.js`;
  put(join(served, file), content);
  return {
    file,
    integrity: `sha256-${digest.toString('base64')}`,
    bytes: content.length,
    gzip_bytes: gzipSync(content, { level: 9 }).length,
    brotli_bytes: brotliCompressSync(content).length,
  };
}

/** A second pass, by a tool that looks further: it is what keeps the core below its limit. */
async function smaller(source, compress) {
  const { code } = await minify(source, {
    ecma: 2022,
    compress: {
      ecma: 2022,
      passes: 4,
      toplevel: true,
      keep_fargs: false,
      // Of what these assume, our source gives no occasion: no getter has an effect, no text is a symbol, no number a bigint.
      unsafe: true,
      unsafe_arrows: true,
      unsafe_math: true,
      unsafe_methods: true,
      unsafe_undefined: true,
      pure_getters: true,
      ...compress,
    },
    mangle: { toplevel: true },
    // A static host may name no character set.
    format: { asciiOnly: true },
  });
  return Buffer.from(code);
}

/** Renamed into place: a gateway that starts meanwhile reads a whole file. */
function put(path, content) {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
  written.add(path);
}

/** Files of earlier sources. */
function removeOthers() {
  for (const folder of [out, served]) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isFile() && !written.has(path)) rmSync(path, { force: true });
    }
  }
}
