import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Authority,
  type LocalPostgres,
  removePostgresData,
  startPostgres,
  testStack,
} from '@truetally/testing';
import { connectionOf } from './connection.js';
import { migrate } from './migrate.js';
import { createPool } from './pool.js';
import { SharedReader } from './shared-reader.js';

const ROLE = { schema: 'secured', role: 'secured_role', rolePassword: 'of-the-role', migrations: [] };

let folder: string;
let caFile: string;
let postgres: LocalPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truetally-tls-'));
  const authority = await Authority.create('Truetally test');
  caFile = join(folder, 'ca.crt');
  await authority.writeTo(caFile);
  // By its address only: `localhost` is another name.
  const server = await authority.issue(folder, { name: 'postgres', hosts: ['127.0.0.1'] });
  const dataDir = join(folder, 'data');
  postgres = await startPostgres({ dataDir, user: 'owner', password: 'p@ss', tls: { ...server, caFile } });
});

afterAll(async () => {
  await postgres.stop();
  await removePostgresData(postgres.dataDir);
  await rm(folder, { recursive: true, force: true });
});

function urlWith(changes: { readonly host?: string; readonly mode?: string; readonly ca?: string }): string {
  const url = new URL(postgres.url);
  if (changes.host !== undefined) url.hostname = changes.host;
  url.searchParams.set('sslmode', changes.mode ?? 'verify-full');
  if (changes.mode === 'disable') url.searchParams.delete('sslrootcert');
  if (changes.ca !== undefined) url.searchParams.set('sslrootcert', changes.ca);
  return url.href;
}

/** Whether the session is encrypted according to Postgres, or the error without a session. */
async function outcomeOf(url: string, pipeline = false): Promise<string> {
  const pool = createPool({ url, schema: 'public', applicationName: 'test', max: 1, pipeline });
  try {
    const { rows } = await pool.query<{ ssl: boolean }>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return rows[0]?.ssl === true ? 'encrypted' : 'plain';
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
    return `${code} ${error instanceof Error ? error.message : String(error)}`.trim();
  } finally {
    await pool.end();
  }
}

describe('a connection to a Postgres with TLS', () => {
  it('a connection with TLS is encrypted, also where statements are pipelined and shared', async () => {
    expect(await outcomeOf(urlWith({}))).toBe('encrypted');
    expect(await outcomeOf(urlWith({}), true)).toBe('encrypted');
    const options = { url: urlWith({}), schema: 'public', applicationName: 'test', max: 1 };
    const reader = new SharedReader(options);
    const answers = Array.from({ length: 20 }, (_, n) =>
      reader.query<{ n: number; ssl: boolean }>(
        'select $1::int as n, ssl from pg_stat_ssl where pid = pg_backend_pid()',
        [n],
      ),
    );
    const rows = (await Promise.all(answers)).map((answer) => answer.rows[0]);
    expect(rows).toEqual(Array.from({ length: 20 }, (_, n) => ({ n, ssl: true })));
    await reader.close();
  });

  it('a connection with TLS is made by migrations, too', async () => {
    await expect(migrate({ url: urlWith({}), ...ROLE })).resolves.toEqual([]);
    await expect(migrate({ url: urlWith({ mode: 'disable' }), ...ROLE })).rejects.toThrow('no encryption');
    const url = urlWith({ host: 'localhost' });
    await expect(migrate({ url, ...ROLE })).rejects.toThrow('does not match certificate');
  });

  it('a connection without TLS is refused by a Postgres that requires it', async () => {
    expect(await outcomeOf(urlWith({ mode: 'disable' }))).toContain('no encryption');
  });

  it('a connection with TLS is refused with a certificate of another or untrusted authority', async () => {
    const stranger = join(folder, 'stranger.crt');
    await (await Authority.create('Truetally test')).writeTo(stranger);
    expect(await outcomeOf(urlWith({ ca: stranger }))).toMatch(/SIGNATURE|VERIFY|certificate/i);
    const untrusting = new URL(urlWith({}));
    untrusting.searchParams.delete('sslrootcert');
    expect(await outcomeOf(untrusting.href)).toMatch(/VERIFY|certificate/i);
  });

  it('a connection with TLS is refused when the certificate is that of another host', async () => {
    expect(await outcomeOf(urlWith({ host: 'localhost' }))).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await outcomeOf(urlWith({ host: 'localhost' }), true)).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('a connection with TLS is refused when Postgres has no TLS', async () => {
    const url = new URL(testStack().databaseUrl);
    url.searchParams.set('sslmode', 'verify-full');
    url.searchParams.set('sslrootcert', caFile);
    expect(await outcomeOf(url.href)).toContain('does not support SSL');
    expect(await outcomeOf(testStack().databaseUrl)).toBe('plain');
  });

  it('reads the authority again, so that a changed one needs no restart', async () => {
    const file = join(folder, 'changing.crt');
    await (await Authority.create('Another')).writeTo(file);
    const url = urlWith({ ca: file });
    const pool = createPool({ url, schema: 'public', applicationName: 'test', max: 1 });
    await expect(pool.query('select 1')).rejects.toThrow();
    const { ca } = connectionOf(urlWith({})).ssl as { readonly ca: Buffer };
    await writeFile(file, ca);
    await expect(pool.query('select 1')).resolves.toMatchObject({ rowCount: 1 });
    await pool.end();
  });

  it('takes the authority that it knows while the file is away', async () => {
    const file = join(folder, 'vanishing.crt');
    await copyFile(caFile, file);
    const pool = createPool({
      url: urlWith({ ca: file }),
      schema: 'public',
      applicationName: 'test',
      max: 1,
    });
    await rm(file);
    await expect(
      pool.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()'),
    ).resolves.toMatchObject({
      rows: [{ ssl: true }],
    });
    await pool.end();
  });

  it.each(['prefer', 'require', 'verify-ca', 'no-verify'])('knows no sslmode %s', (mode) => {
    expect(() => connectionOf(urlWith({ mode }))).toThrow(
      `sslmode must be verify-full or disable, not ${mode}`,
    );
  });
});
