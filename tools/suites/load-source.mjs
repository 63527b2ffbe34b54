import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import swc from '@swc/core';

const GLOBALS = new URL('globals.mjs', import.meta.url).href;
const ROOT = new URL('../../', import.meta.url);
const INSTALLED = '/node_modules/';
const options = {
  ...JSON.parse(readFileSync(new URL('.swcrc', ROOT), 'utf8')),
  swcrc: false,
  cwd: dirname(fileURLToPath(ROOT)),
};

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
  const filename = fileURLToPath(url);
  const { code } = swc.transformSync(readFileSync(filename, 'utf8'), { ...options, filename });
  return { format: 'module', source: code, shortCircuit: true };
}

function isSource(url) {
  return url !== undefined && url.startsWith(ROOT.href) && url.endsWith('.ts') && !url.includes(INSTALLED);
}
