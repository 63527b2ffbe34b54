import { migrateService } from '@truetally/service/migrate-service';
import { ClickHouse } from './clickhouse/clickhouse-client.js';
import { kafkaQueue, schemaStatements } from './clickhouse/clickhouse-schema.js';
import { readMigrationConfig } from './config.js';
import { MIGRATIONS } from './storage/migrations/migrations.js';

const config = readMigrationConfig();
await migrateService('analytics', config, MIGRATIONS);
if (config.ANALYTICS_STORE === 'clickhouse') {
  const { CLICKHOUSE_KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: prefix, CLICKHOUSE_RETENTION_DAYS } = config;
  const clickHouse = new ClickHouse({ url: config.CLICKHOUSE_URL });
  const schema = schemaStatements(
    { retentionDays: CLICKHOUSE_RETENTION_DAYS },
    kafkaQueue({ brokers, prefix }),
  );
  await clickHouse.createDatabase();
  for (const statement of schema) await clickHouse.run(statement);
}
