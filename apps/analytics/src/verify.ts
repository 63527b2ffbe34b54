import { DAY_MS } from '@truetally/kernel';
import { createPool } from '@truetally/persistence';
import { createLogger, databaseUrlOf } from '@truetally/platform';
import { readVerificationConfig } from './config.js';
import { BASKET_DAYS } from './domain/basket.js';
import { unlikeEntries } from './verify-sums/unlike-entries.js';
import { verifySums } from './verify-sums/verify-sums.js';

const SHOWN = 20;
/** Events are at most a day ahead of their receipt, by which they are forgotten. */
const AHEAD_DAYS = 1;
/** Every event is read. */
const STATEMENT_TIMEOUT_MS = 3_600_000;

const config = readVerificationConfig();
const log = createLogger({ service: 'analytics', instance: 'verify', level: config.LOG_LEVEL });
const pool = createPool({
  url: databaseUrlOf(config),
  schema: config.DATABASE_SCHEMA,
  applicationName: 'analytics-verify',
  max: 1,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
});
try {
  const since = new Date(Date.now() - (config.EVENT_RETENTION_DAYS - AHEAD_DAYS) * DAY_MS);
  const basketsSince = Math.floor(Date.now() / DAY_MS) - (BASKET_DAYS - AHEAD_DAYS);
  const keepsEvents = config.ANALYTICS_STORE === 'postgres';
  const wrong = await verifySums(pool, { since, basketsSince, most: SHOWN, keepsEvents });
  for (const { siteId, ...sum } of wrong) log.error({ site_id: siteId, ...sum }, 'A sum is not right.');
  log.info({ differences: wrong.length }, 'Every sum was computed anew.');
  const unlike = await compareEntries();
  process.exitCode = wrong.length + unlike === 0 ? 0 : 1;
} finally {
  await pool.end();
}

/** @returns how many entries differ, as far as that can be seen */
async function compareEntries(): Promise<number> {
  const { LEDGER_SCHEMA: ledger } = config;
  if (ledger === '') {
    log.info('Entries were not compared with the ledger: LEDGER_SCHEMA is not set.');
    return 0;
  }
  const unlike = await unlikeEntries(pool, ledger, SHOWN);
  for (const { siteId, ...entry } of unlike)
    log.error({ site_id: siteId, ...entry }, 'An entry is not as the ledger has it.');
  log.info({ differences: unlike.length }, 'Entries were compared with the ledger.');
  return unlike.length;
}
