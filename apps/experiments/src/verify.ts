import { connectionOf, GuardedClient } from '@truetally/persistence';
import { createLogger, databaseUrlOf } from '@truetally/platform';
import { readVerifyConfig } from './config.js';
import { verifyResults } from './verify/verify-results.js';

/**
 * `npm run experiments:verify`: recomputes every sum of partner experiments, and reports the first
 * difference. Exit code 0: all agree, 1: one differs, 2: verification failed.
 */
const DIFFERENT = 1;
const NOT_VERIFIED = 2;

const config = readVerifyConfig();
const log = createLogger({ service: 'experiments', instance: 'verify', level: config.LOG_LEVEL });
const client = new GuardedClient({
  ...connectionOf(databaseUrlOf(config)),
  options: `-c search_path=${config.DATABASE_SCHEMA} -c timezone=UTC`,
});
try {
  await client.connect();
  await client.query('begin transaction isolation level repeatable read read only');
  const { fault, ...counted } = await verifyResults(client);
  if (fault === null) log.info(counted, 'Sound: every sum is what its sessions and their facts come to.');
  else log.error(counted, `First that differs: ${fault}.`);
  process.exitCode = fault === null ? 0 : DIFFERENT;
} catch (error) {
  log.error({ err: error }, 'Not verified.');
  process.exitCode = NOT_VERIFIED;
} finally {
  await client.end();
}
