import { parseArgs } from 'node:util';
import { TOPICS } from '@truetally/contracts/topics';
import { readPeriod } from '@truetally/kernel';
import { Messaging } from '@truetally/messaging';
import { createPool } from '@truetally/persistence';
import { createLogger, databaseUrlOf, kafkaSecurityOf } from '@truetally/platform';
import { readRepublishConfig } from './config.js';
import { republishClicks } from './republish-clicks/republish-clicks.js';

const WRONG_USE = 2;

const config = readRepublishConfig();
const log = createLogger({ service: 'ingestion', instance: 'republish', level: config.LOG_LEVEL });
const { values } = parseArgs({ options: { from: { type: 'string' }, to: { type: 'string' } } });
const period = readPeriod(values, Date.now());
if (period === undefined) {
  log.error(
    'Say which clicks, by when they were stored: --from 2026-01-31T00:00:00Z --to 2026-02-01T00:00:00Z',
  );
  process.exit(WRONG_USE);
}
const pool = createPool({
  url: databaseUrlOf(config),
  schema: config.DATABASE_SCHEMA,
  applicationName: 'ingestion-republish',
  max: 1,
});
const messaging = new Messaging({
  brokers: config.KAFKA_BROKERS,
  clientId: 'ingestion-republish',
  instance: `${config.INSTANCE_ID}-republish`,
  topicPrefix: config.KAFKA_TOPIC_PREFIX,
  requireReplication: config.KAFKA_REQUIRE_REPLICATION,
  security: kafkaSecurityOf(config),
  log,
});
try {
  await messaging.start();
  await messaging.ensureTopics([TOPICS.clicksStored]);
  const clicks = await republishClicks({
    pool,
    messaging,
    period,
    onPartition: (done) => log.info(done, 'Clicks were published again up to here.'),
  });
  log.info({ clicks, ...period }, 'All clicks of the period were published again.');
} finally {
  await messaging.close();
  await pool.end();
}
