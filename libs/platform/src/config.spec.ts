import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  ConfigError,
  flag,
  integer,
  json,
  list,
  port,
  readConfig,
  secret,
  serviceSettings,
  text,
  url,
} from './index.js';

const POSTGRES = { protocols: ['postgres:', 'postgresql:'] };

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  it('reads typed values and fills in defaults', () => {
    const config = readConfig(
      { BROKERS: 'a:1, b:2', URL: 'postgres://u:p@h/d', KEYS: '[1]', DEBUG: 'true' },
      {
        BROKERS: list({ min: 1 }),
        URL: url(POSTGRES),
        KEYS: json({ rule: 'a list', parse: (value) => value as number[] }),
        DEBUG: flag(),
        HTTP_PORT: port({ default: 8080 }),
        NAME: text({ default: 'x' }),
      },
    );
    expect(config).toEqual({
      BROKERS: ['a:1', 'b:2'],
      URL: 'postgres://u:p@h/d',
      KEYS: [1],
      DEBUG: true,
      HTTP_PORT: 8080,
      NAME: 'x',
    });
  });

  it('names every bad variable at once, with its rule', () => {
    const problems = problemsOf(() =>
      readConfig(
        { HTTP_PORT: '70000', COUNT: '1.5', DEBUG: 'yes', BROKERS: 'a,,b', KEYS: '{' },
        {
          HTTP_PORT: port(),
          COUNT: integer({ min: 1, max: 9 }),
          DEBUG: flag(),
          BROKERS: list(),
          KEYS: json({ rule: 'a JSON list', parse: (value) => value }),
          NAME: text(),
        },
      ),
    );
    expect(problems).toEqual([
      'HTTP_PORT must be a whole number from 0 to 65535; got "70000"',
      'COUNT must be a whole number from 1 to 9; got "1.5"',
      'DEBUG must be true or false; got "yes"',
      'BROKERS must be a list of at least 0 values with commas between them; got "a,,b"',
      'KEYS must be a JSON list; got "{"',
      'NAME is missing; it must be a non-empty text',
    ]);
  });

  it('never repeats a secret', () => {
    const problems = problemsOf(() =>
      readConfig(
        { ADMIN_SECRET: 'hunter2', DATABASE_URL: 'mysql://root:hunter2@h' },
        { ADMIN_SECRET: secret({ minLength: 32 }), DATABASE_URL: url(POSTGRES) },
      ),
    );
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('reads the common settings, with a schema named after the service', () => {
    const environment = { KAFKA_BROKERS: 'h:9092', DATABASE_URL: 'postgres://u@h/d', OPERATIONS_PORT: '0' };
    const config = readConfig(environment, serviceSettings('attribution-ledger'));
    expect(config.DATABASE_SCHEMA).toBe('attribution_ledger');
    expect(config.INSTANCE_ID).toMatch(/^attribution-ledger-[0-9a-f]{8}$/);
    expect(config.KAFKA_TOPIC_PREFIX).toBe('');
  });
});

describe('NAME_FILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function fileOf(content: string): string {
    const path = join(folder, 'value');
    writeFileSync(path, content);
    return path;
  }

  it.each(['postgres://u:p@h/d', 'postgres://u:p@h/d\n', 'postgres://u:p@h/d\r\n'])(
    'gives the value in a file, without the newline at its end: %j',
    (content) => {
      const config = readConfig({ DATABASE_URL_FILE: fileOf(content) }, { DATABASE_URL: url(POSTGRES) });
      expect(config).toEqual({ DATABASE_URL: 'postgres://u:p@h/d' });
    },
  );

  it('a value from NAME_FILE is judged by the same rule, and its secret is not repeated', () => {
    const settings = { ADMIN_SECRET: secret({ minLength: 32 }) };
    const problems = problemsOf(() => readConfig({ ADMIN_SECRET_FILE: fileOf('short-secret') }, settings));
    expect(problems).toEqual([expect.stringContaining('ADMIN_SECRET must be a secret of at least 32')]);
    expect(problems.join()).not.toContain('short-secret');
  });

  it('a value from NAME_FILE is refused beside the variable itself, or from an unreadable file', () => {
    const settings = { NAME: text() };
    expect(problemsOf(() => readConfig({ NAME: 'a', NAME_FILE: fileOf('b') }, settings))).toEqual([
      'NAME and NAME_FILE are both given',
    ]);
    const missing = join(folder, 'missing');
    expect(problemsOf(() => readConfig({ NAME_FILE: missing }, settings))).toEqual([
      'NAME_FILE names a file that cannot be read (ENOENT)',
    ]);
  });
});
