import { createPool } from '@truetally/persistence';
import type { HealthReader } from '@truetally/service';
import { HourlyLimiter } from '../limits/hourly-limiter.js';
import { LEASE_MS } from '../limits/leases.js';
import { LimitStore } from '../storage/limit.store.js';
import { atMostOncePer, OUTAGE_LOG_INTERVAL_MS } from './at-most-once-per.js';
import type { GatewayFoundation } from './gateway-foundation.js';

/** One for consuming limits, one for housekeeping and probes. */
const DATABASE_CONNECTIONS = 2;
const LIMIT_STATEMENT_TIMEOUT_MS = 3_000;
const FORGET_HOURS_INTERVAL_MS = 600_000;

/** The hourly limits over their counters in Postgres. */
export function openLimits({ config, log, closing }: GatewayFoundation, health: HealthReader): HourlyLimiter {
  const pool = createPool({
    url: config.DATABASE_URL,
    schema: config.DATABASE_SCHEMA,
    applicationName: config.INSTANCE_ID,
    max: DATABASE_CONNECTIONS,
    statementTimeoutMs: LIMIT_STATEMENT_TIMEOUT_MS,
  });
  const store = new LimitStore(pool);
  const oldHours = setInterval(() => {
    store
      .forgetOldHours()
      .catch((error: unknown) => log.warn({ err: error }, 'Old hours were not forgotten.'));
  }, FORGET_HOURS_INTERVAL_MS);
  oldHours.unref();
  health.add('postgres', () => store.isReachable());
  const limiter = new HourlyLimiter({
    counters: store,
    areEventsBeside: config.EVENTS_SHARE_POSTGRES,
    monotonicMs: performance.now.bind(performance),
    onError: atMostOncePer(OUTAGE_LOG_INTERVAL_MS, (error) => {
      log.error({ err: error }, 'The hourly limits cannot be counted.');
    }),
  });
  const idleLeases = setInterval(() => limiter.giveBack(), LEASE_MS / 2);
  idleLeases.unref();
  closing.add(async () => {
    clearInterval(oldHours);
    clearInterval(idleLeases);
    await limiter.close();
    await pool.end();
  });
  return limiter;
}
