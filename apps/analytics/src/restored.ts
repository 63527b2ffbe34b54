import { parseArgs } from 'node:util';
import { createPool } from '@truetally/persistence';
import { createLogger, databaseUrlOf } from '@truetally/platform';
import { ClickHouse } from './clickhouse/clickhouse-client.js';
import { takeBackCopy } from './clickhouse/clickhouse-restore.js';
import { readVerificationConfig } from './config.js';

/** After Postgres was restored to `--to`: `npm run restored` runs it where events of reports are in ClickHouse. */
const { values } = parseArgs({ options: { to: { type: 'string', default: '' } } });
const config = readVerificationConfig();
const log = createLogger({ service: 'analytics', instance: 'restored', level: config.LOG_LEVEL });
const pool = createPool({
  url: databaseUrlOf(config),
  schema: config.DATABASE_SCHEMA,
  applicationName: 'analytics-restored',
  max: 1,
});
try {
  const { rows } = await pool.query<{ site_id: string }>('select site_id from erased_sites');
  const erasedSites = rows.map(({ site_id }) => site_id);
  await takeBackCopy(new ClickHouse({ url: config.CLICKHOUSE_URL }), {
    restoredTo: new Date(values.to),
    erasedSites,
  });
  log.info(
    { restored_to: values.to },
    "ClickHouse's copy ends at this point; the migration makes its queues anew.",
  );
} finally {
  await pool.end();
}
