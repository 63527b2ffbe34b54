import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AssignedSessionFact } from '@truetally/contracts/facts';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { ClientBase } from 'pg';
import { FoldStore } from '../storage/fold.store.js';
import {
  assignedFact,
  insertAssignments,
  insertRunning,
  openExperimentDatabase,
  type RunningRow,
  soldRecord,
} from '../testing/experiment-database.js';
import { verifyResults } from './verify-results.js';

let database: ServiceDatabase;
let row: RunningRow;
let session: AssignedSessionFact;

beforeAll(async () => {
  database = await openExperimentDatabase();
  const store = new FoldStore(database.openPool(2));
  row = await insertRunning(database);
  session = assignedFact(row, { variant: 'control' });
  const [other, waiting] = [assignedFact(row), assignedFact(row)];
  await insertAssignments(database, [session, other, waiting]);
  const foreign = soldRecord(session, { currency: 'USD' });
  await store.fold({ assigned: [session, other, waiting], records: [soldRecord(session), foreign] });
  await store.setAside({ assigned: [], records: [soldRecord(waiting)] });
});

afterAll(() => database.close());

/** Ways in which the rows of a table can be wrong, and what the verification says. `$1` is the experiment. */
type Changes = Readonly<Record<string, readonly (readonly [statement: string, fault: string])[]>>;

const OF = 'where experiment_id = $1';
/** The statement without the table's guards: those hold against everybody but the owner of the database. */
const UNGUARDED = (statement: string): string =>
  `alter table assignments disable trigger all; ${statement}; alter table assignments enable trigger all`;

function changesOf(
  { experimentId }: RunningRow,
  { assignment_id: id, site_id: siteId }: AssignedSessionFact,
): Changes {
  const ofSession = `where assignment_id = '${id}'`;
  const strangers = (table: string): string =>
    `update ${table} set experiment_id = gen_random_uuid() where experiment_id = '${experimentId}'`;
  const lost = `delete from arm_sums where experiment_id = '${experimentId}';
    delete from hour_sums where experiment_id = '${experimentId}';
    delete from sample_parts where experiment_id = '${experimentId}';
    delete from other_currency_orders where experiment_id = '${experimentId}'`;
  return {
    assignments: [
      [UNGUARDED(`update assignments set variant = 'treatment' ${ofSession}`), 'differs from its assignment'],
      [UNGUARDED(`update assignments set provider = 'other' ${ofSession}`), 'differs from its assignment'],
      [UNGUARDED(`delete from assignments ${ofSession}`), `${id} is a session of no assignment`],
    ],
    session_results: [
      [`update session_results set refunds = 1 ${ofSession}`, `session ${id} has refunds 1 instead of 0`],
      [`update session_results set variant = 'treatment' ${ofSession}`, 'differs from its assignment'],
      [`delete from session_results ${ofSession}`, `assignment ${id} counts in no session`],
      // Consistently with everything that is derived from it.
      [
        `${lost}; delete from session_results where site_id = '${siteId}';
         delete from session_records where site_id = '${siteId}';
         delete from session_orders where site_id = '${siteId}';
         delete from session_hours where site_id = '${siteId}'`,
        'counts in no session',
      ],
    ],
    session_records: [
      [
        `update session_records set revenue_delta = 1 ${ofSession}`,
        `session ${id} has revenue 1000 instead of 1`,
      ],
      [`delete from session_records ${ofSession}`, `session ${id} has revenue 1000 instead of 0`],
      [`update session_records set assignment_id = gen_random_uuid() ${ofSession}`, 'record of no session'],
    ],
    session_orders: [
      [`update session_orders set last_sequence = 7 ${ofSession}`, 'with lastSequence 7 instead of 1'],
      [
        `update session_orders set revenue = 7 ${ofSession} and currency = 'EUR'`,
        'with revenue 7 instead of 1000',
      ],
      [`delete from session_orders ${ofSession}`, `session ${id} lacks order`],
      [`update session_orders set conversion_id = gen_random_uuid() ${ofSession}`, 'lacks order'],
      [`update session_orders set assignment_id = gen_random_uuid() ${ofSession}`, 'order of no session'],
      [
        `insert into session_orders (assignment_id, conversion_id, site_id, last_sequence, last_hour_ms, purchased_us,
           currency, has_exact_margin, rule) values ('${id}', gen_random_uuid(), '${siteId}', 1, 0, 0, 'EUR', true, 'ruled')`,
        'has no record',
      ],
    ],
    session_hours: [
      [`update session_hours set revenue = 7 ${ofSession}`, 'has revenue 7 instead of 1000'],
      [`delete from session_hours ${ofSession}`, 'has revenue 0 instead of 1000'],
      [`update session_hours set assignment_id = gen_random_uuid() ${ofSession}`, 'hour of no session'],
    ],
    arm_sums: [
      [
        `update arm_sums set revenue = revenue + 1 ${OF} and variant = 'control'`,
        'arm control has revenue 1001',
      ],
      [`delete from arm_sums ${OF}`, 'has sessions 0 instead of'],
      [strangers('arm_sums'), 'arm of no experiment'],
    ],
    hour_sums: [
      [`update hour_sums set sessions = 2 ${OF} and variant = 'control'`, 'has sessions 2 instead of 1'],
      [`delete from hour_sums ${OF}`, 'has sessions 0 instead of'],
      [strangers('hour_sums'), 'hour of no experiment'],
    ],
    sample_parts: [
      [
        `update sample_parts set treatment = 1 ${OF} and dimension = 'day'`,
        'part of the sample day 2026-01-31 has 1/1 instead of 1/2',
      ],
      [`delete from sample_parts ${OF} and dimension = 'device'`, 'has 0 instead of 1/2'],
      [strangers('sample_parts'), 'part of the sample of no experiment'],
    ],
    other_currency_orders: [
      [`update other_currency_orders set orders = 2 ${OF}`, 'currency USD has 2 instead of 1'],
      [`delete from other_currency_orders ${OF}`, 'currency USD has 0 instead of 1'],
      [strangers('other_currency_orders'), 'currency of no experiment'],
    ],
    experiments: [
      [`update experiments set currency = 'USD' ${OF}`, 'currency EUR has 0 instead of 1'],
      [
        `update experiments set attribution_window_days = 8, experiment_id = gen_random_uuid() ${OF}`,
        'no experiment',
      ],
      [`delete from experiments ${OF}`, 'session of no experiment'],
    ],
    excluded_sessions: [
      [
        `insert into excluded_sessions select '${id}', $1, '${siteId}'`,
        'arm control has sessions 1 instead of 0',
      ],
      [
        `insert into excluded_sessions select gen_random_uuid(), $1, '${siteId}'`,
        'excluded session of no assignment',
      ],
    ],
    exclusion_changes: [
      [
        `insert into exclusion_changes (experiment_id, version, changed_at) values (gen_random_uuid(), 1, now())`,
        'change of the exclusions of no experiment',
      ],
    ],
    exclusion_rounds: [
      [
        `insert into exclusion_rounds (experiment_id, site_id) values (gen_random_uuid(), '${siteId}')`,
        'round of no experiment',
      ],
      [`update experiments set sessions_per_network = 1 ${OF}`, 'no round of the exclusions'],
    ],
    sessions_to_fold: [[`delete from sessions_to_fold`, 'record that waits for nothing']],
    sites_to_fold: [[`delete from sites_to_fold`, 'session to fold without a turn']],
    // A record that is gone before it was folded is known to the ledger only, which is another service's.
    pending_records: [],
  };
}

/** Not part of the results: other services' data, requests, messages, and the service's own bookkeeping. */
const OTHERS = [
  'campaigns',
  'erased_sites',
  'held_experiments',
  'idempotent_replies',
  'idempotent_reply_bytes',
  'inbox',
  'incarnations',
  'known_states',
  'migrations',
  'outbox',
  'outbox_digest_keys',
  'outbox_set_aside',
  'outbox_set_aside_actions',
  'sites',
  'touches',
];

async function faultAfter(client: ClientBase, statement: string): Promise<string | null> {
  await client.query('begin');
  try {
    await client.query(statement.replaceAll('$1', `'${row.experimentId}'`));
    return (await verifyResults(client)).fault;
  } finally {
    await client.query('rollback');
  }
}

describe('the verification of results', () => {
  it('finds nothing where nothing was changed, and counts what waits', async () => {
    const client = await database.owner.connect();
    try {
      expect(await verifyResults(client)).toEqual({
        experiments: 1,
        sessions: 3,
        unfolded: 0,
        waiting: 1,
        fault: null,
      });
    } finally {
      client.release();
    }
  });

  it('finds every kind of change in every kind of row', async () => {
    const client = await database.owner.connect();
    try {
      for (const [table, changes] of Object.entries(changesOf(row, session))) {
        for (const [statement, fault] of changes) {
          const found = await faultAfter(client, statement);
          expect(`${table}: ${statement}: ${found}`).toContain(fault);
          expect(found).not.toBeNull();
        }
      }
    } finally {
      client.release();
    }
  });

  it('finds nothing in a site that is being erased, whatever is left of it', async () => {
    const client = await database.owner.connect();
    const ofSite = `where site_id = '${session.site_id}'`;
    const tables = ['session_records', 'session_orders', 'session_hours', 'session_results'];
    try {
      for (const gone of tables.map((_, place) => tables.slice(0, place + 1))) {
        const deletions = gone.map((table) => `delete from ${table} ${ofSite}`).join('; ');
        const erased = `insert into erased_sites (site_id) values ('${session.site_id}'); ${deletions}`;
        expect([gone, await faultAfter(client, erased)]).toEqual([gone, null]);
      }
    } finally {
      client.release();
    }
  });

  it('knows every table of the service', async () => {
    const { rows } = await database.owner.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = $1 order by 1`,
      [database.schema],
    );
    const known = [...Object.keys(changesOf(row, session)), ...OTHERS].sort();
    expect(rows.map(({ name }) => name)).toEqual(known);
  });

  it('counts an assignment of the last minute as lag, and an older one as lost', async () => {
    const client = await database.owner.connect();
    try {
      const late = assignedFact(row, { assignment_id: randomUUID() });
      const fresh = { ...late, assignment_id: randomUUID(), assigned_at: new Date().toISOString() };
      await insertAssignments(database, [fresh]);
      expect(await verifyResults(client)).toMatchObject({ unfolded: 1, fault: null });
      await insertAssignments(database, [late]);
      expect(await verifyResults(client)).toMatchObject({
        fault: `assignment ${late.assignment_id} counts in no session`,
      });
    } finally {
      client.release();
    }
  });
});
