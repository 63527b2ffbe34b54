import { parseArgs } from 'node:util';
import { readPeriod } from '@truetally/kernel';
import { createPool } from '@truetally/persistence';
import { createLogger, databaseUrlOf } from '@truetally/platform';
import { readRepublishConfig } from './config.js';
import { republishRecords } from './republish-records/republish-records.js';

const WRONG_USE = 2;
/** Chains are read in their order: the first record of a late period may be behind all others. */
const STATEMENT_TIMEOUT_MS = 600_000;

const config = readRepublishConfig();
const log = createLogger({ service: 'attribution-ledger', instance: 'republish', level: config.LOG_LEVEL });
const { values } = parseArgs({ options: { from: { type: 'string' }, to: { type: 'string' } } });
const period = readPeriod(values, Date.now());
if (period === undefined) {
  log.error(
    'Say which records, by when they were stored: --from 2026-01-31T00:00:00Z --to 2026-02-01T00:00:00Z',
  );
  process.exit(WRONG_USE);
}
const pool = createPool({
  url: databaseUrlOf(config),
  schema: config.DATABASE_SCHEMA,
  applicationName: 'attribution-ledger-republish',
  max: 1,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
});
try {
  const onPiece = (records: number): void => log.info({ records }, 'Records were published again.');
  const records = await republishRecords({ pool, period, onPiece });
  log.info({ records, ...period }, 'All records of the period were published again.');
} finally {
  await pool.end();
}
