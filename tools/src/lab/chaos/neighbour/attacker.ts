import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Attack, ATTACKS } from './attacks.js';
import { type KnownTenant, Tenant } from './tenant.js';

interface Order {
  readonly name: string;
  readonly tenant: KnownTenant;
}

/**
 * Begins an attack in a thread of its own: what its clients cost is not in the times of whoever is measured.
 * @returns ends it. It tells what the machine allowed
 */
export function begin({ name }: Attack, tenant: Tenant): () => Promise<string> {
  const workerData: Order = { name, tenant: tenant.known };
  const worker = new Worker(new URL(import.meta.url), { workerData });
  const told = new Promise<string>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return () => {
    worker.postMessage('stop');
    return told;
  };
}

async function attack({ name, tenant }: Order): Promise<void> {
  const stopping = new AbortController();
  parentPort?.once('message', () => stopping.abort());
  const chosen = ATTACKS.find((one) => one.name === name);
  parentPort?.postMessage(await chosen?.run(new Tenant(tenant), stopping.signal));
}

if (!isMainThread) await attack(workerData as Order);
