import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  eventually,
  freePort,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
} from '@truetally/processes';

const SCRIPT = join(REPOSITORY_ROOT, 'tools', 'clickhouse-engine', 'serve.mjs');
const START_TIMEOUT_MS = 120_000;

/** ClickHouse's engine, and how to reach it. */
export interface LocalClickHouse {
  /** With a database that is not made yet. */
  readonly url: string;
  /** Also removes what was stored. */
  stop(): Promise<void>;
}

/** Starts ClickHouse's engine (`tools/clickhouse-engine`) on loopback. Resolves when it answers. */
export async function startClickHouse(): Promise<LocalClickHouse> {
  const [folder, port] = await Promise.all([mkdtemp(join(tmpdir(), 'truetally-clickhouse-')), freePort()]);
  const origin = `http://127.0.0.1:${port}`;
  const engine = await ManagedProcess.start({
    name: 'clickhouse',
    command: NODE_BINARY,
    args: [SCRIPT, folder, String(port)],
    env: programEnvironment(),
    cwd: REPOSITORY_ROOT,
  });
  const stop = async (): Promise<void> => {
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await eventually(() => !engine.isRunning || isServing(origin), { timeoutMs: START_TIMEOUT_MS });
    if (!engine.isRunning) throw new Error(`clickhouse ${engine.describeExit()} at start:\n${engine.tail()}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `${origin}/analytics`, stop };
}

async function isServing(origin: string): Promise<boolean> {
  return (await fetch(origin, { method: 'POST' })).ok;
}
