import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  eventually,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
} from '@truetally/testing';

const DAY_MS = 86_400_000;
/** A major version that does not exist, so that the bootstrap starts it. */
const PRODUCT_NODE = { version: '999.0.0' };
/** Reports by a file beside it that it runs, and by another that it was asked to stop. */
const PROGRAM = `#!/bin/sh
trap 'touch "$0.ended"; exit 0' TERM
touch "$0.up"
while [ -e "$0" ]; do sleep 0.05; done
`;

describe('the bootstrap', () => {
  let checkout: string;
  let program: string;
  let npm: ManagedProcess;

  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'truetally-checkout-'));
    program = join(checkout, 'node_modules', 'node', 'bin', 'node');
    const lockfile = JSON.stringify({ packages: {} });
    write('package-lock.json', lockfile);
    write('node_modules/.package-lock.json', lockfile);
    write('node_modules/node/package.json', JSON.stringify(PRODUCT_NODE));
    write('node_modules/node/bin/node', PROGRAM);
    write('.local/bootstrap.lock', '999999999 1');
    mkdirSync(join(checkout, 'tools'));
    copyFileSync(join(REPOSITORY_ROOT, 'tools', 'bootstrap.mjs'), join(checkout, 'tools', 'bootstrap.mjs'));
  });

  afterEach(async () => {
    await npm.stop('SIGKILL');
    // The program ends with its file.
    rmSync(checkout, { recursive: true, force: true });
  });

  it('replaces one that ended, and asks its command under the other Node to end when npm is killed', async () => {
    npm = await ManagedProcess.start({
      name: 'npm',
      command: 'sh',
      args: ['-c', `"${NODE_BINARY}" "${join(checkout, 'tools', 'bootstrap.mjs')}" start; true`],
      env: { ...programEnvironment(), npm_lifecycle_event: 'start' },
    });
    await eventually(() => existsSync(`${program}.up`));
    expect(readdirSync(join(checkout, '.local'))).toEqual([]);
    await npm.stop('SIGKILL');
    await eventually(() => existsSync(`${program}.ended`));
    expect(npm.exitStatus).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('says how a command is used, and does nothing, wherever --help stands', async () => {
    const bootstrap = join(checkout, 'tools', 'bootstrap.mjs');
    const manifest = readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8');
    const { scripts } = JSON.parse(manifest) as { readonly scripts: Readonly<Record<string, string>> };
    for (const parameters of [
      ['bench', '--events', '--help'],
      ['reset', '--help'],
      ['way', '-h'],
      ['openapi', '--help'],
      ['asyncapi', '--help'],
    ]) {
      npm = await ManagedProcess.start({
        name: 'npm',
        command: NODE_BINARY,
        args: [bootstrap, ...parameters],
        env: { ...programEnvironment(), npm_lifecycle_event: parameters[0] },
      });
      await npm.exited;
      expect(npm.exitStatus).toEqual({ code: 0, signal: null });
      expect(npm.output()).toMatch(new RegExp(`^.*Usage: npm run ${parameters[0]}`));
      expect(scripts[String(parameters[0])]).toBe(`exec node tools/bootstrap.mjs ${parameters[0]}`);
    }
    expect(existsSync(`${program}.up`)).toBe(false);
  });

  it('refuses an argument of a command that takes none, before anything is done', async () => {
    npm = await ManagedProcess.start({
      name: 'npm',
      command: NODE_BINARY,
      args: [join(checkout, 'tools', 'bootstrap.mjs'), 'reset', '--all'],
      env: programEnvironment(),
    });
    await npm.exited;
    expect(npm.exitStatus).toEqual({ code: 2, signal: null });
    expect(npm.output()).toContain('Unknown argument --all; reset takes none.');
    expect(existsSync(`${program}.up`)).toBe(false);
  });

  it.each([
    ['apps/gateway/lint-document.mjs', '--wrong', 2],
    ['tools/licenses.mjs', 'wrong', 2],
    ['apps/gateway/lint-document.mjs', '--help', 0],
  ])('%s takes no argument: %s is answered with its usage', async (script, argument, code) => {
    npm = await ManagedProcess.start({
      name: 'npm',
      command: NODE_BINARY,
      args: [join(REPOSITORY_ROOT, script), argument],
      env: programEnvironment(),
    });
    const { code: given } = await npm.exited;
    expect([given, npm.output()]).toEqual([code, expect.stringContaining('Usage: ')]);
  });

  it('what the compiler has checked counts as checked since the command began, and not as of later', async () => {
    write('node_modules/node/package.json', JSON.stringify({ version: process.versions.node }));
    for (const program of [
      'node_modules/typescript/bin/tsc',
      'libs/browser-sdk/bundle.mjs',
      'libs/node-sdk/bundle.mjs',
      'libs/worker/bundle.mjs',
      'apps/gateway/build-api-page.mjs',
      'apps/dashboard/build-pages.mjs',
      'tools/bundle-services.mjs',
      'tools/dist/way.js',
    ]) {
      write(program, '');
    }
    // Unlike those it is asked for what it says.
    write('package.json', JSON.stringify({ type: 'module' }));
    const flags = 'libs/processes/dist/process/exit-flags.js';
    write(flags, readFileSync(join(REPOSITORY_ROOT, flags), 'utf8'));
    const [former, later] = [new Date(0), new Date(Date.now() + DAY_MS)];
    const records = { 'apps/dashboard/dist/.web.tsbuildinfo': former, 'tools/dist/.spec.tsbuildinfo': later };
    for (const [record, time] of Object.entries(records)) {
      write(record, '{}');
      utimesSync(join(checkout, record), time, time);
    }
    const begun = new Date();
    npm = await ManagedProcess.start({
      name: 'npm',
      command: NODE_BINARY,
      args: [join(checkout, 'tools', 'bootstrap.mjs'), 'way', 'events/track'],
      env: programEnvironment(),
    });
    await npm.exited;
    expect([npm.exitStatus, npm.output()]).toEqual([{ code: 0, signal: null }, '']);
    const [checked, kept] = Object.keys(records).map((record) => statSync(join(checkout, record)).mtime);
    expect(Number(checked)).toBeGreaterThanOrEqual(Number(begun));
    expect(kept).toEqual(later);
  });

  function write(name: string, text: string): void {
    const file = join(checkout, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o755 });
  }
});
