import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RECORD_COLUMNS } from '@truetally/contracts/attribution';
import {
  eventually,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
  uniqueName,
} from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import pg from 'pg';
import { openDatabase } from './database-source.js';
import { runVerify } from './run-verify.js';
import { sellOrders } from '../testing/sold-orders.js';
import { type Told, toldBy } from '../testing/told-by.js';
import { verifyLedger } from './verify-ledger.js';

/** The manipulated record, in the middle of its chain and of its order. */
const SEQUENCE = 6;
const LAST = 8;
const COMMISSION = 4;

let product: Product;
let superuser: pg.Client;
/** A ledger of its own, without any trigger, constraint or index that would refuse a change, as a superuser can make it. */
const schema = uniqueName('tampered');
let siteId: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'truetally-tampering-'));
  product = await sharedProduct();
  const { databaseUrl } = product.installation;
  superuser = new pg.Client({ connectionString: databaseUrl, options: `-c search_path=${schema}` });
  await superuser.connect();
  const siteIds = [await sellOrders(product, hasRecords), await sellOrders(product, hasRecords)];
  siteId = String(siteIds.at(-1));
  await copyLedgerOf(siteIds);
});

afterAll(async () => {
  await superuser.query(`drop schema if exists ${schema} cascade`);
  await superuser.end();
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ledger = (): string => product.schema('attribution-ledger');

async function hasRecords(site: string, count: number): Promise<boolean> {
  const { rowCount } = await superuser.query(`select 1 from ${ledger()}.records where site_id = $1`, [site]);
  return rowCount === count;
}

async function copyLedgerOf(siteIds: readonly string[]): Promise<void> {
  const sites = siteIds.map((id) => pg.escapeLiteral(id)).join(', ');
  await superuser.query('begin isolation level repeatable read');
  await superuser.query(`create schema ${schema}`);
  for (const [table, kept] of [
    ['records', 'kept'],
    ['chain_heads', 'kept_heads'],
  ] as const) {
    await superuser.query(
      `create table ${kept} as select * from ${ledger()}.${table} where site_id in (${sites})`,
    );
    await superuser.query(`create table ${table} as table ${kept}`);
  }
  await superuser.query('commit');
}

/** Manipulates, verifies, and restores the original rows. */
async function faultAfter(...statements: readonly string[]): Promise<string | null> {
  try {
    for (const statement of statements) await superuser.query(statement);
    const { databaseUrl } = product.installation;
    const source = await openDatabase({ databaseUrl, schema });
    try {
      return (await verifyLedger(source)).fault?.message ?? null;
    } finally {
      await source.close();
    }
  } finally {
    await superuser.query('truncate records; insert into records select * from kept');
    await superuser.query('truncate chain_heads; insert into chain_heads select * from kept_heads');
  }
}

/** Another value of the column's type. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  uuid: `'00000000-0000-4000-8000-000000000000'`,
  text: `coalesce({column}, '') || 'x'`,
  integer: 'coalesce({column}, 0) + 1',
  bigint: 'coalesce({column}, 0) + 1',
  numeric: 'coalesce({column}, 0) + 1',
  json: `(coalesce({column}, 'null')::text || ' ')::json`,
  'timestamp with time zone': `{column} + interval '1 millisecond'`,
};

async function otherValue(column: string): Promise<string> {
  const { rows } = await superuser.query<{ type: string }>(
    `select format_type(atttypid, null) as type from pg_attribute
     where attrelid = 'records'::regclass and attname = $1`,
    [column],
  );
  const expression = OTHER_VALUES[String(rows[0]?.type)];
  if (expression === undefined) throw new Error(`${column} is of the unforeseen type ${rows[0]?.type}`);
  return expression.replaceAll('{column}', column);
}

function row(sequence: number): string {
  return `site_id = '${siteId}' and chain_sequence = ${sequence}`;
}

describe('a ledger that a superuser changed behind the service’s back', () => {
  it('the ledger is sound before a superuser changes it', async () => {
    await expect(faultAfter()).resolves.toBeNull();
  });

  it.each([...RECORD_COLUMNS, 'previous_hash', 'hash'])('%s of one record', async (column) => {
    const fault = await faultAfter(
      `update records set ${column} = ${await otherValue(column)} where ${row(SEQUENCE)}`,
    );
    expect(fault).not.toBeNull();
    // A moved record is missing at its original position.
    if (column !== 'site_id' && column !== 'chain_sequence') expect(fault).toContain(`record ${SEQUENCE} (`);
  });

  it.each(['idempotency_key', 'fingerprint', 'lines', 'reason', 'request_id', 'margin_basis'])(
    '%s of one record, taken away',
    async (column) => {
      const fault = await faultAfter(`update records set ${column} = null where ${row(SEQUENCE)}`);
      expect(fault).toContain(`record ${SEQUENCE} (`);
    },
  );

  it('the commission of a partner, raised on both sides and in the balances', async () => {
    const raise = (column: string, by: string): string => `${column} = ${column} ${by}`;
    const fault = await faultAfter(
      `update records set ${raise('commission', '+ 1')}, ${raise('memorandum', '- 1')},
         ${raise('commission_balance', '+ 1')}, ${raise('memorandum_balance', '- 1')} where ${row(COMMISSION)}`,
    );
    expect(fault).toMatch(new RegExp(`record ${COMMISSION} \\(commission .*: its columns have the seal`));
  });

  it('a record deleted', async () => {
    await expect(faultAfter(`delete from records where ${row(SEQUENCE)}`)).resolves.toContain(
      `it stands where record ${SEQUENCE} of the chain must be`,
    );
  });

  it('a record deleted, and all that follow moved up', async () => {
    const fault = await faultAfter(
      `delete from records where ${row(SEQUENCE)}`,
      `update records set chain_sequence = chain_sequence - 1
       where site_id = '${siteId}' and chain_sequence > ${SEQUENCE}`,
    );
    expect(fault).toMatch(new RegExp(`record ${SEQUENCE} .* as the seal before it`));
  });

  it('a duplicated record', async () => {
    const fault = await faultAfter(`insert into records select * from kept where ${row(SEQUENCE)}`);
    expect(fault).toContain(`it stands where record ${SEQUENCE + 1} of the chain must be`);
  });

  it('two records that changed places', async () => {
    const fault = await faultAfter(
      `update records set chain_sequence = ${2 * SEQUENCE + 1} - chain_sequence
       where site_id = '${siteId}' and chain_sequence in (${SEQUENCE}, ${SEQUENCE + 1})`,
    );
    expect(fault).toMatch(new RegExp(`record ${SEQUENCE} .* as the seal before it`));
  });

  it('the last record deleted', async () => {
    const fault = await faultAfter(`delete from records where ${row(LAST)}`);
    expect(fault).toMatch(/must end with record 8 .*, and ends with record 7/);
  });

  it('a whole chain deleted', async () => {
    const fault = await faultAfter(`delete from records where site_id = '${siteId}'`);
    expect(fault).toMatch(new RegExp(`${siteId} ends with record ${LAST}, and there is none of its records`));
  });

  it.each([
    ['moved back', 'set chain_sequence = chain_sequence - 1', /must end with record 7/],
    ['of another seal', `set hash = repeat('0', 64)`, /must end with record 8 and seal 0000/],
  ])('a head %s', async (_name, change, found) => {
    await expect(faultAfter(`update chain_heads ${change} where site_id = '${siteId}'`)).resolves.toMatch(
      found,
    );
  });

  it('a head deleted', async () => {
    const fault = await faultAfter(`delete from chain_heads where site_id = '${siteId}'`);
    expect(fault).toContain(`the chain of site ${siteId} has no head`);
  });

  it('a record of another site’s chain put into this one', async () => {
    const fault = await faultAfter(
      `delete from records where ${row(SEQUENCE)}`,
      `update records set site_id = '${siteId}' where site_id <> '${siteId}' and chain_sequence = ${SEQUENCE}`,
    );
    expect(fault).not.toBeNull();
  });
});

describe('the commands', () => {
  const environment = (): NodeJS.ProcessEnv => ({
    DATABASE_URL: product.installation.databaseUrl,
    DATABASE_SCHEMA: schema,
  });
  const verify = (...parameters: string[]): Promise<Told> =>
    toldBy(() => runVerify(parameters, environment()));

  const runInProcess = async (command: string, ...parameters: string[]): Promise<Told> => {
    const running = await ManagedProcess.start({
      name: command,
      command: NODE_BINARY,
      args: [join(REPOSITORY_ROOT, 'tools', 'dist', `${command}.js`), ...parameters],
      env: { ...programEnvironment(), ...environment() },
      cwd: folder,
    });
    const { code } = await running.exited;
    // Its last output may still be in a buffer.
    await eventually(() => running.output().endsWith('\n'));
    return { code, output: running.output() };
  };

  it('npm run ledger:verify reports what it has verified', async () => {
    const { code, output } = await runInProcess('ledger-verify');
    expect(output).toMatch(
      /^Sound: 16 records with \d+ entries, 2 chains, 4 orders; .* records a second\.$/m,
    );
    expect(code).toBe(0);
  });

  it('npm run ledger:export writes a file that ledger:verify accepts offline, and rejects after a change', async () => {
    const file = join(folder, 'ledger.jsonl');
    await expect(runInProcess('ledger-export', '--file', file)).resolves.toMatchObject({ code: 0 });
    const offline = await verify('--file', file);
    expect(offline.output).toContain('Sound: 16 records');
    expect(offline.code).toBe(0);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"return"', '"other"'));
    const changed = await verify('--file', file);
    expect(changed.output).toMatch(
      /^First bad record: site .*, record 5 \(adjustment .* of order order-1\): /m,
    );
    expect(changed.code).toBe(1);
  });

  it('npm run ledger:verify names the first bad record and ends with 1', async () => {
    await superuser.query(`update records set reason = 'other' where ${row(SEQUENCE)}`);
    const { code, output } = await verify();
    await superuser.query('truncate records; insert into records select * from kept');
    expect(output).toContain(`First bad record: site ${siteId}, record ${SEQUENCE} (`);
    expect(code).toBe(1);
  });

  it('npm run ledger:verify ends with 2 when there is nothing that it could verify', async () => {
    const { code, output } = await verify('--file', join(folder, 'none.jsonl'));
    expect(output).toContain('Not verified: ');
    expect(code).toBe(2);
    await expect(verify('--anchor', 'x')).resolves.toMatchObject({ code: 2 });
  });
});
