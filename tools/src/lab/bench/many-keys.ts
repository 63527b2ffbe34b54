import { eventually, request } from '@truetally/processes';
import { publishKeys } from '@truetally/testing-product';
import { ageMs, MIB, residentBytes } from './measure.js';
import type { ProductStack } from './product-stack.js';
import { inMebibytes, type Row } from './report.js';

const KEYS = 100_000;
const MAX_SECONDS = 5;
const MAX_BYTES = 160 * MIB;
const READY_TIMEOUT_MS = 60_000;
const CHECK_MS = 20;
const MS_PER_SECOND = 1_000;
const NO_PREFIX = '';

/** The cost of 100,000 API keys for a starting gateway: time until it is ready, and memory then. */
export async function manyKeysRows(stack: ProductStack): Promise<Row[]> {
  const without = await restartGateway(stack);
  await publishKeys(stack.brokers, NO_PREFIX, KEYS);
  const withKeys = await restartGateway(stack);
  const seconds = (withKeys.ms - without.ms) / MS_PER_SECOND;
  const bytes = withKeys.bytes - without.bytes;
  const name = `${KEYS.toLocaleString('en')} API keys in a gateway that starts`;
  return [
    {
      name: `${name}: longer until it is ready`,
      figure: `${seconds.toFixed(1)} s (${(withKeys.ms / MS_PER_SECOND).toFixed(1)} s in all)`,
      target: `≤ ${MAX_SECONDS} s`,
      isMet: seconds <= MAX_SECONDS,
    },
    {
      name: `${name}: more memory`,
      figure: inMebibytes(bytes),
      target: `≤ ${MAX_BYTES / MIB} MiB`,
      isMet: bytes <= MAX_BYTES,
    },
  ];
}

/** Kills the gateway, which is restarted. @returns its age and memory when it is ready */
async function restartGateway(stack: ProductStack): Promise<{ readonly ms: number; readonly bytes: number }> {
  const pidOf = (): number => stack.now().pids['gateway'] ?? 0;
  const former = pidOf();
  process.kill(former, 'SIGTERM');
  const patience = { timeoutMs: READY_TIMEOUT_MS, intervalMs: CHECK_MS };
  const another = (): Promise<boolean> => Promise.resolve(pidOf() !== former);
  await eventually(another, { ...patience, message: 'another gateway' });
  await eventually(() => isReady(stack), { ...patience, message: 'a ready gateway' });
  return { ms: ageMs(pidOf()), bytes: residentBytes(pidOf()) };
}

async function isReady(stack: ProductStack): Promise<boolean> {
  try {
    const port = stack.now().operations['gateway'];
    return (await request(`http://127.0.0.1:${port}/health/ready`)).status === 200;
  } catch {
    return false;
  }
}
