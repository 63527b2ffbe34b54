import { TOPICS } from '@truetally/contracts/topics';
import { DAY_MS } from '@truetally/kernel';
import { createPool } from '@truetally/persistence';
import { createLogger, databaseUrlOf } from '@truetally/platform';
import { readVerificationConfig } from './config.js';
import { BASKET_DAYS } from './domain/basket.js';
import { MICROS_PER_MS } from './domain/quarters.js';
import { keptSince } from './domain/report-window.js';
import { sitesInLine } from './verify-sums/product-sums.js';
import { compareTold, type Unlike } from './verify-sums/unlike-rows.js';
import { unlikeEntries } from './verify-sums/unlike-entries.js';
import { unlikePurchases } from './verify-sums/unlike-purchases.js';
import { verifySums } from './verify-sums/verify-sums.js';

const SHOWN = 20;
/** Baskets of the day that is being forgotten are left out. */
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
  const since = new Date(keptSince(config.EVENT_RETENTION_DAYS, Date.now()) / MICROS_PER_MS);
  const basketsSince = Math.floor(Date.now() / DAY_MS) - (BASKET_DAYS - AHEAD_DAYS);
  const keepsEvents = config.ANALYTICS_STORE === 'postgres';
  const wrong = await verifySums(pool, { since, basketsSince, most: SHOWN, keepsEvents });
  for (const { siteId, ...sum } of wrong) log.error({ site_id: siteId, ...sum }, 'A sum is not right.');
  const passedOver = await sitesInLine(pool);
  if (passedOver > 0)
    log.warn({ sites: passedOver }, 'Products of these sites were not compared: their baskets wait in line.');
  log.info({ differences: wrong.length }, 'Every sum was computed anew.');
  const unlikeOnes = [
    await compareWith('ingestion', config.INGESTION_SCHEMA, (ingestion) =>
      compareTold(pool, { topic: TOPICS.eventsStored.name }, (readUntil) =>
        unlikePurchases(pool, ingestion, { since, readUntil, most: SHOWN }),
      ),
    ),
    await compareWith('the ledger', config.LEDGER_SCHEMA, (ledger) =>
      compareTold(pool, { topic: TOPICS.conversionsRecorded.name, outbox: ledger }, (readUntil) =>
        unlikeEntries(pool, ledger, { readUntil, most: SHOWN }),
      ),
    ),
  ];
  process.exitCode = wrong.length === 0 && unlikeOnes.every((isLike) => isLike) ? 0 : 1;
} finally {
  await pool.end();
}

/** @returns whether no row differs from its owner's, as far as that can be seen */
async function compareWith(
  owner: string,
  schema: string,
  compare: (schema: string) => Promise<Unlike>,
): Promise<boolean> {
  if (schema === '') {
    log.info({ owner }, 'Revenue was not compared with the owner of its facts: its schema is not set.');
    return true;
  }
  const { wrong, behind } = await compare(schema);
  for (const { siteId, ...row } of wrong)
    log.error({ site_id: siteId, ...row, owner }, 'A row of revenue is not as its owner has it.');
  if (behind > 0) log.warn({ behind, owner }, 'Facts are still on their way; their rows were not compared.');
  log.info({ differences: wrong.length, behind, owner }, 'Revenue was compared with the owner of its facts.');
  return wrong.length === 0;
}
