import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  eventually,
  identify,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
} from '@truetally/testing';

/**
 * Processes of a run, by the kind of its tests: Jest, and the servers that they need. A run with Kafka ends in the same way,
 * and its start costs more than all others here.
 */
const PROCESSES = { pure: 1, stored: 2 } as const;
type Kind = keyof typeof PROCESSES | 'product';

/** The inner test reports its environment, and that it is running. */
const TELL = `
  import { writeFileSync } from 'node:fs';
  const { TEST_KAFKA_BROKERS, TEST_DATABASE_URL } = process.env;
  writeFileSync(process.env.TELL_FILE, JSON.stringify({ TEST_KAFKA_BROKERS, TEST_DATABASE_URL }));`;

describe('npm test', () => {
  let folder: string;
  let temporary: string;
  let told: string;
  let run: ManagedProcess;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'truetally-runner-'));
    temporary = join(folder, 'tmp');
    told = join(folder, 'told.json');
    mkdirSync(temporary);
  });

  afterEach(async () => {
    await run.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs Jest on a file outside the repository, as a test of this kind. */
  async function start(test: string, kind: Kind): Promise<void> {
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'inner.spec.mjs'), test);
    const config = { displayName: kind, rootDir: project, testMatch: ['**/*.spec.mjs'], transform: {} };
    run = await ManagedProcess.start({
      name: 'npm test',
      command: NODE_BINARY,
      args: [
        join(REPOSITORY_ROOT, 'tools', 'dist', 'test.js'),
        '--config',
        JSON.stringify(config),
        '--selectProjects',
        kind,
      ],
      env: { ...programEnvironment(), TMPDIR: temporary, TELL_FILE: told },
      cwd: REPOSITORY_ROOT,
    });
  }

  /** Waits until the inner test runs. */
  async function untilToldOf(): Promise<void> {
    await eventually(() => existsSync(told) || !run.isRunning);
    if (!run.isRunning) throw new Error(`The run ended: ${run.output()}`);
  }

  const processesOfRun = (): string[] => {
    const names = readdirSync(temporary).map((name) => join(temporary, name, 'processes'));
    return names.filter((name) => existsSync(name)).flatMap((name) => readdirSync(name));
  };

  it('gives the tests a Kafka and a Postgres, passes arguments on, and leaves nothing behind', async () => {
    await start(`${TELL} test('passes', () => undefined);`, 'product');
    await expect(run.exited).resolves.toEqual({ code: 0, signal: null });
    expect(run.output()).toMatch(/Tests: +1 passed, 1 total/);
    expect(JSON.parse(readFileSync(told, 'utf8'))).toEqual({
      TEST_KAFKA_BROKERS: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      TEST_DATABASE_URL: expect.stringMatching(/^postgres:/),
    });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("exits with Jest's own code", async () => {
    await start(`test('fails', () => { throw new Error('as it must'); });`, 'pure');
    await expect(run.exited).resolves.toEqual({ code: 1, signal: null });
    expect(run.output()).toMatch(/Tests: +1 failed, 1 total/);
  });

  it.each([
    ['SIGINT', 130, 'stored'],
    ['SIGTERM', 143, 'pure'],
  ] as const)('cleans up when it is interrupted with %s', async (signal, code, kind) => {
    await start(
      `${TELL} test('never ends', () => new Promise(() => setInterval(() => undefined, 1000)), 1e6);`,
      kind,
    );
    await untilToldOf();
    expect(processesOfRun()).toHaveLength(PROCESSES[kind]);
    run.send(signal);
    await expect(run.exited).resolves.toEqual({ code, signal: null });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('removes the files of a killed run', async () => {
    await start(
      `${TELL} test('never ends', () => new Promise(() => setInterval(() => undefined, 1000)), 1e6);`,
      'stored',
    );
    await untilToldOf();
    await run.stop('SIGKILL');
    const left = processesOfRun().map((pid) => identify(Number(pid)));
    expect(left).toHaveLength(PROCESSES.stored);
    expect(left).not.toContain(null);

    rmSync(join(folder, 'project'), { recursive: true });
    await start(`test('passes', () => undefined);`, 'pure');
    await expect(run.exited).resolves.toEqual({ code: 0, signal: null });
    expect(readdirSync(temporary)).toEqual([]);
    for (const process of left) expect(process && identify(process.pid)).not.toEqual(process);
  });
});
