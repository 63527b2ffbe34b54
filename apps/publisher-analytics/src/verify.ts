import { createPool } from '@truetally/persistence';
import { createLogger, databaseUrlOf } from '@truetally/platform';
import { readVerificationConfig } from './config.js';
import { clicksWithoutReference, findMissingClicks } from './verify-reports/missing-clicks.js';
import { verifyReports } from './verify-reports/verify-reports.js';

const SHOWN = 20;
/** Every click of the largest site is read. */
const STATEMENT_TIMEOUT_MS = 3_600_000;

const config = readVerificationConfig();
const log = createLogger({ service: 'publisher-analytics', instance: 'verify', level: config.LOG_LEVEL });
const pool = createPool({
  url: databaseUrlOf(config),
  schema: config.DATABASE_SCHEMA,
  applicationName: 'publisher-verify',
  max: 1,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  pipeline: true,
});
try {
  const { sites, sums, differences } = await verifyReports(pool);
  for (const { siteId, sum, kept, computed } of differences.slice(0, SHOWN)) {
    log.error({ site_id: siteId, sum, kept, computed }, 'A sum is not right.');
  }
  log.info({ sites, sums, differences: differences.length }, 'Every report was computed anew.');
  const uncounted = await clicksWithoutReference(pool);
  if (uncounted > 0)
    log.warn({ clicks: uncounted }, 'Clicks are stored and in no report: their references have not come.');
  const isComplete = await compareClicks();
  process.exitCode = differences.length === 0 && isComplete ? 0 : 1;
} finally {
  await pool.end();
}

/** @returns whether no click is missing, as far as that can be seen */
async function compareClicks(): Promise<boolean> {
  const { INGESTION_SCHEMA: ingestion } = config;
  if (ingestion === '') {
    log.info('Clicks were not compared with those of ingestion: INGESTION_SCHEMA is not set.');
    return true;
  }
  const { days, isBehind } = await findMissingClicks(pool, ingestion, SHOWN);
  if (isBehind)
    log.warn('Clicks are still on their way: the service is behind, and stores more of them each second.');
  else {
    for (const { siteId, ...day } of days) {
      log.error({ site_id: siteId, ...day }, 'Clicks are missing that ingestion has stored.');
    }
  }
  log.info({ complete: days.length === 0 }, 'Clicks were compared with those of ingestion.');
  return days.length === 0 || isBehind;
}
