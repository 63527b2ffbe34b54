import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  eventually,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
} from '@truetally/testing';
import { localFolder } from './local-folder.js';
import { takeLock } from './stack-lock.js';

const STARTS = 4;
/** Time for all of them to start before the first one takes the lock. */
const HEAD_START_MS = 2_000;
const STALE = JSON.stringify({ pid: 999_999_999, startedAt: '1' });
/** Tries to take the lock at the given moment, keeps it, and prints the result. */
const TAKE = `import { takeLock } from '${join(REPOSITORY_ROOT, 'tools', 'dist', 'stack', 'stack-lock.js')}';
const [path, at] = process.argv.slice(1);
while (Date.now() < Number(at));
try { takeLock({ path, lock: path + '/stack.lock' }); console.log('holds'); } catch { console.log('refused'); }
setInterval(() => undefined, 1000);`;

describe('takeLock', () => {
  let path: string;
  let folder: ReturnType<typeof localFolder>;

  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'truetally-lock-'));
    folder = localFolder({ TRUETALLY_LOCAL_DIR: path });
  });

  afterEach(() => rmSync(path, { recursive: true, force: true }));

  it('names the process that holds it, and leaves nothing but the lock', () => {
    const { release } = takeLock(folder);
    expect(() => takeLock(folder)).toThrow(`already runs in ${path} (process ${process.pid})`);
    expect(readdirSync(path)).toEqual(['stack.lock']);
    release();
    expect(readdirSync(path)).toEqual([]);
  });

  it.each(['', STALE])('takes the place of one who died: %j', (left) => {
    writeFileSync(folder.lock, left);
    takeLock(folder);
    expect(JSON.parse(readFileSync(folder.lock, 'utf8'))).toMatchObject({ pid: process.pid });
    expect(readdirSync(path)).toEqual(['stack.lock']);
  });

  it('a stale lock has one holder when several find it at once', async () => {
    writeFileSync(folder.lock, STALE);
    const at = String(Date.now() + HEAD_START_MS);
    const starts = await Promise.all(Array.from({ length: STARTS }, () => start(at)));
    const said = await eventually(() => {
      const outputs = starts.map((each) => each.output());
      return outputs.every((output) => output.endsWith('\n')) && outputs;
    });
    await Promise.all(starts.map((each) => each.stop('SIGKILL')));
    expect(said.filter((output) => output === 'holds\n')).toHaveLength(1);
  });

  function start(at: string): Promise<ManagedProcess> {
    return ManagedProcess.start({
      name: 'a start',
      command: NODE_BINARY,
      args: ['--input-type=module', '-e', TAKE, path, at],
      env: programEnvironment(),
    });
  }
});
