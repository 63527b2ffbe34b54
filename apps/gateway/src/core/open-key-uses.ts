import { OPERATIONS } from '@truetally/contracts/topics';
import type { Asker } from '../ask/ask.js';
import { KeyUses } from '../credentials/key-uses.js';
import { atMostOncePer, OUTAGE_LOG_INTERVAL_MS } from './at-most-once-per.js';
import type { GatewayFoundation } from './gateway-foundation.js';

/** Sent to management in no particular order: it keeps the newest use of each key. */
export function openKeyUses({ config, log, closing }: GatewayFoundation, asker: Asker): KeyUses {
  const keyUses = new KeyUses({
    intervalMs: config.KEY_USE_INTERVAL_MS,
    tell: (told) => asker.tell(OPERATIONS.recordKeyUse, told),
    onError: atMostOncePer(OUTAGE_LOG_INTERVAL_MS, (error) => {
      log.warn({ err: error }, 'When keys were used could not be told; their next use will.');
    }),
  });
  closing.add(() => {
    keyUses.close();
  });
  return keyUses;
}
