import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { SharedReader } from '@truetally/persistence';
import { ResourceDatabase } from '@truetally/resource';
import { eventually } from '@truetally/testing';
import type { ServiceDatabase } from '@truetally/testing-product';
import { FoldStore } from '../storage/fold.store.js';
import {
  assignedFact,
  insertRunning,
  openExperimentDatabase,
  type RunningRow,
  soldRecord,
} from '../testing/experiment-database.js';
import { ReadTurns } from '@truetally/service';
import { reportsAnswers } from './report-results.consumer.js';

const ASKED = { holder: 'owner' };
const PATIENCE = { timeoutMs: 240_000 };

let database: ServiceDatabase;
let reader: SharedReader;
let reports: ReturnType<typeof reportsAnswers>;
let store: FoldStore;

beforeAll(async () => {
  database = await openExperimentDatabase();
  const { url, schema } = database;
  reader = new SharedReader({ url, schema, applicationName: 'test-reader', max: 1 });
  reports = reportsAnswers(
    new ResourceDatabase({
      pool: database.openPool(2),
      reader,
      relay: { wake: () => undefined },
      audit: () => Promise.resolve(),
    }),
    new ReadTurns(3, 2),
  );
  store = new FoldStore(database.openPool(1));
});

afterAll(async () => {
  await reader.close();
  await database.close();
});

/** A query about the experiment, as the gateway asks it. */
async function queryOf({ experimentId }: RunningRow): Promise<ResourceQuery> {
  const { rows } = await database.owner.query<{ workspace_id: string }>(
    'select workspace_id from experiments where experiment_id = $1',
    [experimentId],
  );
  const params = { experiment_id: experimentId };
  return {
    workspace_id: rows[0]?.workspace_id ?? '',
    actor: null,
    params,
    filters: {},
    limit: 1,
    cursor: null,
  };
}

/** Asks, and changes every sum after the report has begun and before it reads this table. */
async function askWhileChanged<T>(
  table: string,
  row: RunningRow,
  ask: (query: ResourceQuery) => Promise<T>,
): Promise<T> {
  const query = await queryOf(row);
  const writer = await database.owner.connect();
  try {
    await writer.query(`begin; lock table ${table}`);
    const asked = ask(query);
    await eventually(async () => {
      const { rows } = await writer.query<{ waiting: boolean }>(
        'select exists (select from pg_locks where not granted and relation = $1::regclass) as waiting',
        [table],
      );
      return rows[0]?.waiting === true;
    }, PATIENCE);
    const of = [row.experimentId];
    await writer.query('update arm_sums set sessions = sessions + 5 where experiment_id = $1', of);
    await writer.query('update hour_sums set sessions = sessions + 5 where experiment_id = $1', of);
    await writer.query('update sample_parts set treatment = treatment + 5 where experiment_id = $1', of);
    await writer.query('update other_currency_orders set orders = orders + 5 where experiment_id = $1', of);
    await writer.query('commit');
    return await asked;
  } finally {
    writer.release();
  }
}

/** One session in treatment with one order in another currency. */
async function experimentWithOrder(): Promise<RunningRow> {
  const row = await insertRunning(database);
  const session = assignedFact(row);
  await store.fold({ assigned: [session], records: [soldRecord(session, { currency: 'USD' })] });
  return row;
}

describe('a report of an experiment', () => {
  it.each(['sample_parts', 'other_currency_orders'])(
    'shows one instant, though everything changes before it reads %s',
    async (table) => {
      const row = await experimentWithOrder();
      const reply = await askWhileChanged(table, row, (query) => reports.reportResults(query, ASKED));
      expect(reply).toMatchObject({
        ok: {
          results: {
            arms: { treatment: { eligible_sessions: 1 } },
            sample_ratio: { breakdown: { device: [{ observed: { treatment: 1 } }] } },
            other_currencies: { count: 1, currencies: [{ currency: 'USD', orders: 1 }] },
          },
        },
      });
      expect(await reports.reportResults(await queryOf(row), ASKED)).toMatchObject({
        ok: { results: { arms: { treatment: { eligible_sessions: 6 } } } },
      });
    },
  );

  it('a report of an experiment has a series of one instant, too', async () => {
    const row = await experimentWithOrder();
    const reply = await askWhileChanged('hour_sums', row, (query) => reports.reportSeries(query, ASKED));
    const last = 'ok' in reply ? reply.ok.series.at(-1) : undefined;
    expect(last).toMatchObject({ arms: { treatment: { eligible_sessions: 1 } } });
  });
});
