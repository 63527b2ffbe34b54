import { eventually } from '@truetally/processes';
import { openMessaging } from '@truetally/testing-product';
import type { ProductStack } from './product-stack.js';

const TIMEOUT_MS = 120_000;
const POLL_MS = 200;

/**
 * Resolves when every group has read everything. Reports and workflows follow events: what they still have to do for those of
 * the measurement before is none of the next one's, and what they have to do for its own is.
 */
export async function untilAllIsRead({ brokers }: Pick<ProductStack, 'brokers'>): Promise<void> {
  const messaging = await openMessaging(brokers, '', 'bench-lag');
  try {
    await eventually(async () => (await messaging.lag()).every(({ lag }) => lag === 0), {
      timeoutMs: TIMEOUT_MS,
      intervalMs: POLL_MS,
      message: 'all facts to be read',
    });
  } finally {
    await messaging.close();
  }
}
