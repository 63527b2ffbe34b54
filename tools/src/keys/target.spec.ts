import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writePrivateJson } from '../stack/private-file.js';
import { stackSecrets } from '../stack/stack-secrets.js';
import { rotationTarget } from './target.js';

describe('the target of a rotation', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'target-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const local = () => rotationTarget({ TRUETALLY_LOCAL_DIR: folder });

  it('those of DATABASE_URL, with KEYRING_FILE relative to the user’s folder', () => {
    const target = rotationTarget({
      DATABASE_URL: 'postgres://ledger@db/truetally',
      MANAGEMENT_DATABASE_URL: 'postgres://management@db/truetally',
      MANAGEMENT_DATABASE_SCHEMA: 'management_2',
      PUBLISHER_DATABASE_URL: 'postgres://publisher@db/truetally',
      KEYRING_FILE: 'keys/ring.json',
      INIT_CWD: '/etc',
    });
    expect(target).toEqual({
      ledger: { databaseUrl: 'postgres://ledger@db/truetally', schema: 'attribution_ledger' },
      management: { databaseUrl: 'postgres://management@db/truetally', schema: 'management_2' },
      publisher: { databaseUrl: 'postgres://publisher@db/truetally', schema: 'publisher_analytics' },
      keyringFile: '/etc/keys/ring.json',
    });
  });

  it.each([
    [{ DATABASE_URL: 'postgres://ledger@db/truetally' }, 'KEYRING_FILE is missing'],
    [
      { DATABASE_URL: 'postgres://ledger@db/truetally', KEYRING_FILE: 'ring.json' },
      'MANAGEMENT_DATABASE_URL is missing',
    ],
    [{ MANAGEMENT_DATABASE_URL: 'postgres://db' }, 'DATABASE_URL is missing'],
    [{ KEYRING_FILE: 'ring.json' }, 'DATABASE_URL is missing'],
    [{ DATABASE_URL: 'mysql://db', KEYRING_FILE: 'ring.json' }, 'DATABASE_URL must be'],
    [
      { DATABASE_URL: 'postgres://db', KEYRING_FILE: 'ring.json', DATABASE_SCHEMA: 'a -c role=x' },
      'DATABASE_SCHEMA must be',
    ],
  ])('never half of them: %j', (environment, message) => {
    expect(() => rotationTarget(environment)).toThrow(message);
  });

  it("those of the local stack, as the service's own role, as long as it runs", () => {
    expect(local).toThrow(`No stack runs in ${folder}`);
    const { product } = stackSecrets(join(folder, 'secrets.json'));
    expect(local).toThrow(`No stack runs in ${folder}`);
    writePrivateJson(join(folder, 'stack.json'), {
      database_url: 'postgres://owner:secret@127.0.0.1:4132/postgres',
      keyring_file: join(folder, 'keyring.json'),
    });
    const password = product.rolePasswords['attribution-ledger'];
    expect(local()).toEqual({
      ledger: {
        databaseUrl: `postgres://truetally_attribution_ledger:${password}@127.0.0.1:4132/postgres`,
        schema: 'attribution_ledger',
      },
      management: {
        databaseUrl: `postgres://truetally_management:${product.rolePasswords.management}@127.0.0.1:4132/postgres`,
        schema: 'management',
      },
      publisher: {
        databaseUrl: `postgres://truetally_publisher_analytics:${product.rolePasswords['publisher-analytics']}@127.0.0.1:4132/postgres`,
        schema: 'publisher_analytics',
      },
      keyringFile: join(folder, 'keyring.json'),
    });
  });
});
