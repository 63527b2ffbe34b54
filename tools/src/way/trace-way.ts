import { randomInt, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@truetally/contracts/services';
import { eventually } from '@truetally/processes';
import { launchProduct, type LaunchedProduct, type LaunchOptions } from '@truetally/testing-product';
import { type Passed, readWay, type Span } from './read-way.js';
import type { Step } from './recorder.js';
import { WAY_FILE } from './trace-hook.js';

/** A kind of request whose way can be traced. */
interface Traced {
  /** The service that it is for. */
  readonly service: ServiceName;
  readonly path: string;
  readonly status: number;
  readonly body: (siteId: string) => object;
}

/** By the path behind `/api/v1/`. */
export const TRACED = {
  'events/track': {
    service: 'ingestion',
    path: 'events/track',
    status: 201,
    body: () => ({
      client_event_id: randomUUID(),
      event_type: 'page_view',
      session_id: 'session-of-the-way',
      context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0 Shop' },
    }),
  },
} as const satisfies Record<string, Traced>;

export type TracedName = keyof typeof TRACED;

/** A Kafka and a Postgres. */
type Stack = NonNullable<LaunchOptions['stack']>;

/** Until code is compiled, connections are open, and what is fetched once has been fetched. */
const WARMING_REQUESTS = 30;
/** Each with a pause before it, so that what the last one left behind is done, and timers do not meet each. */
const REQUESTS = 12;
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 450;
const WRITING_TIMEOUT_MS = 60_000;

/** Launches the product with recording processes, sends requests one after the other, and reads their way. */
export async function traceWay(name: TracedName, stack: Stack): Promise<readonly Passed[]> {
  const traced: Traced = TRACED[name];
  const folder = mkdtempSync(join(tmpdir(), 'truetally-way-'));
  const recorded: readonly ServiceName[] = ['gateway', traced.service];
  const hook = new URL('./trace-hook.js', builtHere()).href;
  const env = Object.fromEntries(
    recorded.map((service) => [
      service,
      { NODE_OPTIONS: `--import=${hook}`, [WAY_FILE]: fileOf(folder, service) },
    ]),
  );
  const services = [...new Set<ServiceName>([...recorded, 'management'])];
  const product = await launchProduct({ stack, services, env, hasFewPartitions: true });
  try {
    const requests = await sendAll(product, traced);
    const steps = new Map<string, readonly Step[]>();
    for (const service of recorded) steps.set(service, await stepsOf(product, service, folder));
    return readWay(steps, requests);
  } finally {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The hook runs in processes without the tests' transformation, so that it is the built one. */
function builtHere(): string {
  return import.meta.url.replace('/src/', '/dist/');
}

async function sendAll(product: LaunchedProduct, traced: Traced): Promise<readonly Span[]> {
  const site = await product.createSite();
  const { key } = await product.createApiKey(site);
  const send = async (): Promise<Span> => {
    const fromNs = process.hrtime.bigint();
    const response = await fetch(`${product.baseUrl}/${traced.path}`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(traced.body(site.id)),
    });
    const text = await response.text();
    const toNs = process.hrtime.bigint();
    if (response.status !== traced.status) throw new Error(`${traced.path}: ${response.status} ${text}`);
    return { fromNs, toNs };
  };
  for (let sent = 0; sent < WARMING_REQUESTS; sent += 1) await send();
  const requests: Span[] = [];
  while (requests.length < REQUESTS) {
    await pause(randomInt(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS));
    requests.push(await send());
  }
  return requests;
}

async function stepsOf(
  product: LaunchedProduct,
  service: ServiceName,
  folder: string,
): Promise<readonly Step[]> {
  const file = fileOf(folder, service);
  for (const process of product.processes(service)) await process.kill('SIGUSR2');
  await eventually(() => existsSync(file), {
    timeoutMs: WRITING_TIMEOUT_MS,
    message: `${service} to write its way`,
  });
  const steps = JSON.parse(readFileSync(file, 'utf8')) as readonly (Omit<Step, 'atNs'> & { atNs: string })[];
  return steps.map((step) => ({ ...step, atNs: BigInt(step.atNs) }));
}

function fileOf(folder: string, service: ServiceName): string {
  return join(folder, `${service}.json`);
}
