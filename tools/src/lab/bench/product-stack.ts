import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, freePort } from '@truetally/processes';
import { ManagementClient, untilKeyIsKnown } from '@truetally/testing-product';
import { PORT_VARIABLES } from '../../stack/configuration.js';

/** The product as `npm start` runs it, on free ports and in a separate folder. */
export interface ProductStack {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly siteId: string;
  readonly workspaceId: string;
  /** An ID token of the demo's owner, valid for a day. */
  readonly ownerToken: string;
  /** Signs messages of platform workers. */
  readonly workerSecret: string;
  readonly brokers: string;
  readonly databaseUrl: string;
  /** Current process ids and operations ports: processes that die are restarted. */
  now(): Processes;
  /** From the start command to ready. */
  readonly startSeconds: number;
  readonly supervisorPid: number;
  /** A key whose limit of one request per hour is used up. */
  exhaustedKey(): Promise<string>;
  stop(): Promise<void>;
}

export interface Processes {
  readonly pids: Readonly<Record<string, number>>;
  readonly operations: Readonly<Record<string, number>>;
}

const READY_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 60_000;

export async function startProductStack(): Promise<ProductStack> {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-bench-'));
  const ports = await distinctFreePorts();
  const script = fileURLToPath(new URL('../../start.js', import.meta.url));
  const started = performance.now();
  const child = spawn(process.execPath, [script, '--no-demo'], {
    env: { ...process.env, TRUETALLY_LOCAL_DIR: folder, ...ports },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await eventually(() => Promise.resolve(child.exitCode !== null || child.signalCode !== null), {
      timeoutMs: STOP_TIMEOUT_MS,
      message: 'the stack to stop',
    });
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('SIGINT', () => child.kill('SIGTERM'));
  try {
    await eventually(() => Promise.resolve(existsSync(join(folder, 'stack.json'))), {
      timeoutMs: READY_TIMEOUT_MS,
      message: 'the stack to be ready',
    });
    const startSeconds = (performance.now() - started) / 1_000;
    return { ...describeStack(folder), startSeconds, supervisorPid: child.pid ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function describeStack(folder: string): Omit<ProductStack, 'startSeconds' | 'supervisorPid' | 'stop'> {
  const file = join(folder, 'stack.json');
  const stack = readJson(file) as {
    base_url: string;
    api_key: string;
    site_id: string;
    id_tokens: { owner: string };
    worker_secret: string;
    kafka_brokers: string;
    database_url: string;
  };
  const { workspaceId } = readJson(join(folder, 'demo.json')) as { workspaceId: string };
  return {
    baseUrl: stack.base_url,
    apiKey: stack.api_key,
    siteId: stack.site_id,
    workspaceId,
    ownerToken: stack.id_tokens.owner,
    workerSecret: stack.worker_secret,
    brokers: stack.kafka_brokers,
    databaseUrl: stack.database_url,
    now: () => readJson(file) as Processes,
    exhaustedKey: async () => {
      const management = await ManagementClient.connect(stack.kafka_brokers, '');
      try {
        const { key } = await management.createApiKey({
          workspace_id: workspaceId,
          site_id: stack.site_id,
          name: 'Exhausted',
          scopes: ['events:write'],
          hourly_limit: 1,
        });
        await untilKeyIsKnown(stack.base_url, key);
        return key;
      } finally {
        await management.close();
      }
    },
  };
}

/** A free port for each variable of `npm start`. */
export async function distinctFreePorts(): Promise<Record<string, string>> {
  const ports = new Set<number>();
  while (ports.size < PORT_VARIABLES.length) ports.add(await freePort());
  const list = [...ports];
  return Object.fromEntries(PORT_VARIABLES.map((name, index) => [name, String(list[index])]));
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
