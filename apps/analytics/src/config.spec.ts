import { describe, expect, it } from '@jest/globals';
import { readAnalyticsConfig } from './config.js';

const REQUIRED = {
  KAFKA_BROKERS: '127.0.0.1:9092',
  DATABASE_URL: 'postgres://analytics@127.0.0.1/truetally',
  OPERATIONS_PORT: '0',
};
const CLICKHOUSE = { ANALYTICS_STORE: 'clickhouse', CLICKHOUSE_URL: 'http://127.0.0.1:8123/analytics' };

describe('configuration', () => {
  it('events that reports of Postgres read are kept for 31 days at least', () => {
    const days = (kept: string) => readAnalyticsConfig({ ...REQUIRED, EVENT_RETENTION_DAYS: kept });
    expect(days('31')).toMatchObject({ EVENT_RETENTION_DAYS: 31 });
    expect(() => days('30')).toThrow('EVENT_RETENTION_DAYS must be at least 31');
  });

  it('events that ClickHouse has may leave Postgres after days', () => {
    const config = readAnalyticsConfig({ ...REQUIRED, ...CLICKHOUSE, EVENT_RETENTION_DAYS: '7' });
    expect(config).toMatchObject({ EVENT_RETENTION_DAYS: 7 });
  });

  it('ClickHouse needs its address', () => {
    expect(() => readAnalyticsConfig({ ...REQUIRED, ANALYTICS_STORE: 'clickhouse' })).toThrow(
      'CLICKHOUSE_URL',
    );
  });
});
