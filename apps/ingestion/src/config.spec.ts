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
    ['EVENT_RETENTION_DAYS', '0'],
    ['DEDUPLICATION_FILTER_MIB', '0'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => readIngestionConfig({ ...REQUIRED, [name]: value })).toThrow(name);
  });

  it('rows may be kept for less than the window, whose keys outlive them', () => {
    expect(readIngestionConfig({ ...REQUIRED, EVENT_RETENTION_DAYS: '7' })).toMatchObject({
      DEDUPLICATION_WINDOW_DAYS: 30,
      EVENT_RETENTION_DAYS: 7,
    });
  });
});
