import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import swc from '@swc/core';

const GLOBALS = new URL('globals.mjs', import.meta.url).href;
const ROOT = new URL('../../', import.meta.url);
const INSTALLED = '/node_modules/';
const options = { ...JSON.parse(readFileSync(new URL('.swcrc', ROOT), 'utf8')), swcrc: false };

/** One file for each source, whose first line says of which text and options it was made: the same in a copy of the repository. */
const MADE = fileURLToPath(new URL('node_modules/.cache/suites/', ROOT));
const MAKER = `${swc.version} ${JSON.stringify(options)}`;
mkdirSync(MADE, { recursive: true });

/** Lets Node load the sources of the product: TypeScript, and libraries from their sources instead of their builds. */
registerHooks({ resolve, load });

function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, format: 'module', shortCircuit: true };
  if (!isSource(context.parentURL)) return next(specifier, context);
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    const source = new URL(`${specifier.slice(0, -'.js'.length)}.ts`, context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, { ...context, conditions: ['development', ...context.conditions] });
}

function load(url, context, next) {
  if (!isSource(url)) return next(url, context);
  return { format: 'module', source: madeOf(fileURLToPath(url)), shortCircuit: true };
}

/** Each worker of each run needs the same: they make it once. */
function madeOf(filename) {
  const text = readFileSync(filename, 'utf8');
  const mark = `// ${hash('sha1', `${MAKER} ${text}`)}\n`;
  const place = join(MADE, relative(fileURLToPath(ROOT), filename).replaceAll('/', '+'));
  const kept = existsSync(place) ? readFileSync(place, 'utf8') : '';
  if (kept.startsWith(mark)) return kept.slice(mark.length);
  const { code } = swc.transformSync(text, { ...options, filename, sourceFileName: basename(filename) });
  // Others read it meanwhile.
  const unfinished = `${place}.${process.pid}`;
  writeFileSync(unfinished, mark + code);
  renameSync(unfinished, place);
  return code;
}

function isSource(url) {
  return url !== undefined && url.startsWith(ROOT.href) && url.endsWith('.ts') && !url.includes(INSTALLED);
}
