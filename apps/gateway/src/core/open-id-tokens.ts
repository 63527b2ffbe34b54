import { IdTokens } from '../credentials/id-token.js';
import { IssuerKeys } from '../credentials/issuer-keys.js';
import { atMostOncePer, OUTAGE_LOG_INTERVAL_MS } from './at-most-once-per.js';
import type { GatewayFoundation } from './gateway-foundation.js';

/** Undefined without a configured issuer. Its keys are fetched when they are first needed, not at startup. */
export function openIdTokens({ config: { identityProvider }, log }: GatewayFoundation): IdTokens | undefined {
  if (identityProvider === undefined) return undefined;
  const keys = new IssuerKeys({
    ...identityProvider,
    // A clock that is set back would leave the issuer alone for as long.
    nowMs: () => performance.now(),
    onUnreachable: atMostOncePer(OUTAGE_LOG_INTERVAL_MS, (error) => {
      log.warn({ err: error }, "The issuer's keys cannot be fetched; those known last are used.");
    }),
  });
  return new IdTokens(identityProvider, keys, Date.now);
}
