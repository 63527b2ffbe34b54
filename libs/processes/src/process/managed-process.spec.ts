import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../eventually.js';
import { identify, isAlive } from './identity.js';
import { ManagedProcess } from './managed-process.js';
import { endRecordedProcesses, RECORDS_VARIABLE } from './records.js';
import { programEnvironment } from './spawn-service.js';

let folder: string;
let recordsBefore: string | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'truetally-process-'));
  recordsBefore = process.env[RECORDS_VARIABLE];
});

afterEach(() => {
  process.env[RECORDS_VARIABLE] = recordsBefore ?? '';
  rmSync(folder, { recursive: true, force: true });
});

function runScript(script: string): Promise<ManagedProcess> {
  return ManagedProcess.start({
    name: 'a script',
    command: process.execPath,
    args: ['-e', script],
    env: process.env,
  });
}

const SLEEP = 'setInterval(() => undefined, 1000); console.log("up")';

describe('ManagedProcess', () => {
  it('keeps the output of the process and how it ended', async () => {
    const script = await runScript('console.log("said"); process.exitCode = 3');
    await expect(script.exited).resolves.toEqual({ code: 3, signal: null });
    await eventually(() => script.output() === 'said\n');
    expect(script.describeExit()).toBe('exited with code 3');
    expect(script.isRunning).toBe(false);
  });

  it('keeps the last two MiB of an output that is longer', async () => {
    const line = 'x'.repeat(1_023);
    const script = await runScript(
      `for (let n = 0; n < 5_000; n += 1) console.log("${line}"); console.log("end")`,
    );
    await script.exited;
    await eventually(() => script.output().endsWith('\nend\n'));
    expect(script.output()).toHaveLength(2 * 1024 * 1024);
  });

  it('ends a process that does not heed the request to end', async () => {
    const script = await runScript(`process.on("SIGTERM", () => undefined); ${SLEEP}`);
    await eventually(() => script.output() === 'up\n');
    await expect(script.stop('SIGTERM', 50)).resolves.toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('names a program that cannot be run', async () => {
    const start = ManagedProcess.start({ name: 'Nothing', command: join(folder, 'none'), args: [], env: {} });
    await expect(start).rejects.toThrow(/^Nothing could not be started: .*ENOENT/);
  });
});

describe('process records', () => {
  it('hold a process until it ends, in every folder that is named', async () => {
    const folders = [join(folder, 'a'), join(folder, 'b')];
    process.env[RECORDS_VARIABLE] = folders.join(':');
    const script = await runScript(SLEEP);
    for (const each of folders) expect(readdirSync(each)).toEqual([String(script.pid)]);
    await script.stop('SIGKILL');
    for (const each of folders) expect(readdirSync(each)).toEqual([]);
  });

  it('processes that a program starts are recorded where those of its starter are', () => {
    process.env[RECORDS_VARIABLE] = folder;
    expect(programEnvironment()).toMatchObject({ [RECORDS_VARIABLE]: folder });
  });

  it('let another process end leftover ones', async () => {
    process.env[RECORDS_VARIABLE] = join(folder, 'left');
    const script = await runScript(SLEEP);
    await expect(endRecordedProcesses(join(folder, 'left'))).resolves.toBe(1);
    expect(isAlive(script.identity)).toBe(false);
  });

  it('never end a process that only has the same process id', async () => {
    process.env[RECORDS_VARIABLE] = '';
    const script = await runScript(SLEEP);
    writeFileSync(join(folder, String(script.pid)), 'started long before');
    await expect(endRecordedProcesses(folder)).resolves.toBe(0);
    expect(identify(script.pid)).toEqual(script.identity);
    await script.stop('SIGKILL');
  });
});
