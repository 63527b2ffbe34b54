import { eventually } from '@truetally/processes';
import { isKeyKnown, ManagementClient } from '@truetally/testing-product';
import { SHOP_ORIGIN } from './management.js';
import type { ProductStack } from './product-stack.js';
import type { Row } from './report.js';

const TRIES = 20;
const CHECK_MS = 5;
const MOST_MS = 1_000;
const NO_PREFIX = '';
/** The time is measured from the answer to each change. */
const CHANGES = [
  'a new API key works',
  'a suspended workspace is refused',
  'it lives again',
  'a revoked API key is refused',
] as const;

/**
 * How fast a gateway receives changes made elsewhere, the slowest of several: the change is requested from the
 * service directly, so that this gateway receives it like every replica.
 */
export async function promptnessRows({ brokers, baseUrl }: ProductStack): Promise<Row[]> {
  const management = await ManagementClient.connect(brokers, NO_PREFIX);
  try {
    const { id: workspace_id } = await management.createWorkspace({ name: 'Prompt', owner_sub: 'prompt' });
    const shop = { name: 'Prompt', domain: 'bench.example', allowed_origins: [SHOP_ORIGIN] };
    const { id: site_id } = await management.createSite({ ...shop, workspace_id });
    const slowest = CHANGES.map(() => 0);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const tookMs = await changeAll(management, baseUrl, { workspace_id, site_id });
      tookMs.forEach((ms, index) => (slowest[index] = Math.max(slowest[index] ?? 0, ms)));
    }
    return CHANGES.map((name, index) => row(name, slowest[index] ?? 0));
  } finally {
    await management.close();
  }
}

/** @returns milliseconds, one for each of CHANGES */
async function changeAll(
  management: ManagementClient,
  baseUrl: string,
  place: { readonly workspace_id: string; readonly site_id: string },
): Promise<number[]> {
  const { workspace_id } = place;
  const { id: key_id, key } = await management.createApiKey({
    ...place,
    name: 'Prompt',
    scopes: ['events:write'],
    hourly_limit: 1_000_000,
  });
  const until = async (isKnown: boolean): Promise<number> => {
    const startedMs = performance.now();
    await eventually(async () => (await isKeyKnown(baseUrl, key)) === isKnown, { intervalMs: CHECK_MS });
    return performance.now() - startedMs;
  };
  const isNew = await until(true);
  await management.administerWorkspace({ workspace_id, suspended: true });
  const isSuspended = await until(false);
  await management.administerWorkspace({ workspace_id, suspended: false });
  const isBack = await until(true);
  await management.revokeApiKey({ ...place, key_id });
  return [isNew, isSuspended, isBack, await until(false)];
}

function row(name: string, ms: number): Row {
  return {
    name: `${name} after, the slowest of ${TRIES}`,
    figure: `${Math.round(ms)} ms`,
    target: `≤ ${MOST_MS} ms`,
    isMet: ms <= MOST_MS,
  };
}
