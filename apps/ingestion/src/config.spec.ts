import { describe, expect, it } from '@jest/globals';
import { readIngestionConfig } from './config.js';

const REQUIRED = {
  KAFKA_BROKERS: '127.0.0.1:9092',
  DATABASE_URL: 'postgres://ingestion@127.0.0.1/truetally',
  OPERATIONS_PORT: '0',
};

describe('configuration', () => {
  it('partitions by day, finds replays for 30 days in 32 MiB, and keeps events for 400 days', () => {
    expect(readIngestionConfig(REQUIRED)).toMatchObject({
      DATABASE_SCHEMA: 'ingestion',
      EVENT_PARTITION_SECONDS: 86_400,
      DEDUPLICATION_WINDOW_DAYS: 30,
      DEDUPLICATION_FILTER_MIB: 32,
      EVENT_RETENTION_DAYS: 400,
    });
  });

  it.each([
    ['DEDUPLICATION_WINDOW_DAYS', '29'],
    ['EVENT_PARTITION_SECONDS', '86401'],
    ['EVENT_PARTITION_SECONDS', '0'],
    ['EVENT_RETENTION_DAYS', '30'],
    ['DEDUPLICATION_FILTER_MIB', '0'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => readIngestionConfig({ ...REQUIRED, [name]: value })).toThrow(name);
  });

  it('refuses to drop events that a replay must still find', () => {
    const days = { DEDUPLICATION_WINDOW_DAYS: '60', EVENT_RETENTION_DAYS: '60' };
    expect(() => readIngestionConfig({ ...REQUIRED, ...days })).toThrow('EVENT_RETENTION_DAYS');
  });
});
