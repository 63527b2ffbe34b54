import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inEventsPerSecond, type Row } from './report.js';
import { send, type Durations, type Floors } from './scenarios.js';

/**
 * A bare prototype of the hot path (`gateway.mjs`, `ingestion.mjs`), measured in the same table if there is
 * one.
 */
export interface Prototype {
  readonly folder: string;
  /** Inside the repository, so that the prototype finds the packages. */
  readonly workFolder: string;
  readonly brokers: string;
  readonly databaseUrl: string;
  readonly port: number;
}

/** Its topics (`proto.events` with 6 partitions, `proto.replies` with 1) must exist. */
export async function runPrototype(bare: Prototype, floors: Floors, durations: Durations): Promise<Row[]> {
  const environment = {
    ...process.env,
    BROKERS: bare.brokers,
    DATABASE_URL: bare.databaseUrl,
    PORT: String(bare.port),
  };
  mkdirSync(bare.workFolder, { recursive: true });
  const children = ['ingestion.mjs', 'gateway.mjs'].map((name): ChildProcess => {
    copyFileSync(join(bare.folder, name), join(bare.workFolder, name));
    return spawn(process.execPath, [join(bare.workFolder, name)], { env: environment, stdio: 'ignore' });
  });
  try {
    const target = {
      baseUrl: `http://127.0.0.1:${bare.port}`,
      apiKey: '',
      exhaustedKey: '',
      processes: () => ({}),
    };
    await untilItStores(target.baseUrl);
    await send(target, 1, 256, { seconds: durations.warmUpSeconds });
    const row = async (name: string, events: number, connections: number): Promise<Row> => {
      const result = await send(target, events, connections, { seconds: durations.measureSeconds });
      return {
        name: `prototype: ${name}`,
        figure: `${inEventsPerSecond(result.eventsPerSecond)}, p50 ${result.latencyMs.p50} ms`,
        ratio: result.eventsPerSecond / floors.echoPerSecond,
      };
    };
    return [
      await row('single events, 256 connections', 1, 256),
      await row('single events, one connection', 1, 1),
      await row('batches of 50, 16 connections', 50, 16),
      await row('batches of 100, 16 connections', 100, 16),
    ];
  } finally {
    children.forEach((child) => child.kill('SIGKILL'));
  }
}

const START_TIMEOUT_MS = 30_000;
const ATTEMPT_TIMEOUT_MS = 1_000;
const ATTEMPT_PAUSE_MS = 100;

async function untilItStores(baseUrl: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    try {
      const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
      const body = JSON.stringify({
        event_type: 'page_view',
        session_id: 'warm-up',
        properties: {},
        context: {},
      });
      const answer = await fetch(`${baseUrl}/events/track`, { method: 'POST', body, signal });
      if (answer.status === 201) return;
    } catch {
      await pause(ATTEMPT_PAUSE_MS);
    }
  }
  throw new Error('The prototype did not answer in time.');
}
