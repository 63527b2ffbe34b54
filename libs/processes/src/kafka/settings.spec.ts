import { describe, expect, it } from '@jest/globals';
import { brokerSettings, properties } from './settings.js';

describe('properties', () => {
  it('escape characters that Java would read differently', () => {
    expect(properties({ 'log.dirs': 'C:\\Käfig\\日本', port: 1 })).toBe(
      'log.dirs=C:\\\\K\\u00e4fig\\\\\\u65e5\\u672c\nport=1\n',
    );
  });
});

describe('brokerSettings', () => {
  it('leave to Kafka how often a broker looks for what it can compact, unless it is named', () => {
    const place = { port: 1, controllerPort: 2 };
    expect(brokerSettings({ dataDir: '/data', ...place }, '/log')).not.toHaveProperty([
      'log.cleaner.backoff.ms',
    ]);
    expect(brokerSettings({ dataDir: '/data', ...place, compactionMs: 7 }, '/log')).toHaveProperty(
      ['log.cleaner.backoff.ms'],
      7,
    );
  });
});
