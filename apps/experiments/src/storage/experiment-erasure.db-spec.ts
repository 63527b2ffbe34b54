import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CampaignRecord, SiteRecord } from '@truetally/contracts/facts';
import { inTransaction } from '@truetally/persistence';
import { type ServiceDatabase, SiteRows, tablesOfSites, walkErasure } from '@truetally/testing-product';
import fc from 'fast-check';
import { createExperiment } from '../experiments/create-experiment.js';
import { insertRunning, openExperimentDatabase } from '../testing/experiment-database.js';
import { experimentErasure } from './experiment-erasure.js';
import { keepCampaigns, keepSites } from './surroundings.store.js';

/** Inserts this many rows of a site into each table with a site id. */
const ROWS = new SiteRows({
  sites: `select $1, gen_random_uuid(), 'EUR', 1 from generate_series(1, least($2::integer, 1))`,
  assignments: `select gen_random_uuid(), gen_random_uuid(), $1, 's', 'control', 'awin', 'desktop', now(), 'c'
    from generate_series(1, $2::integer)`,
  session_records: `select gen_random_uuid(), gen_random_uuid(), $1, gen_random_uuid(), 1, 'purchase', 'EUR', now(),
    now(), 1, null, 0, true, 'ruled' from generate_series(1, $2::integer) n`,
  pending_records: `select gen_random_uuid(), gen_random_uuid(), $1, gen_random_uuid(), 1, 'purchase', 'EUR', now(),
    now(), 1, null, 0, true, 'ruled' from generate_series(1, $2::integer) n`,
  session_orders: `select gen_random_uuid(), gen_random_uuid(), $1, 1, 0, 0, 'EUR', true, 'ruled'
    from generate_series(1, $2::integer) n`,
  session_hours: `select gen_random_uuid(), now(), $1 from generate_series(1, $2::integer) n`,
  sessions_to_fold: `select $1, gen_random_uuid() from generate_series(1, $2::integer) n`,
  sites_to_fold: `select $1 from generate_series(1, least($2::integer, 1))`,
  session_results: `select gen_random_uuid(), gen_random_uuid(), $1, 'control', 'awin', 'desktop', now()
    from generate_series(1, $2::integer) n`,
  excluded_sessions: `select gen_random_uuid(), gen_random_uuid(), $1 from generate_series(1, $2::integer) n`,
  exclusion_rounds: `select gen_random_uuid(), $1 from generate_series(1, $2::integer) n`,
  touches: `select gen_random_uuid(), null, $1, 'awin', null, now() from generate_series(1, $2::integer) n`,
  campaigns: `select gen_random_uuid(), $1, 'overlay', 1 from generate_series(1, $2::integer) n`,
  experiments: `select gen_random_uuid(), gen_random_uuid(), $1, 'Test', null, 'overlay', array[gen_random_uuid()],
    '{}', '{}', 1, 0.5, 0.5, 'conversion', 0.05, 0.8, 0.1, 0.1, 7, null, 'running', repeat('0', 32), 'EUR', 1, now(), now(),
    now(), null from generate_series(1, $2::integer) n`,
  outbox_set_aside: `(id, topic, key, value, headers, reason, is_state, site_id)
    select nextval('outbox_id_seq'), 't', 'key', '{}', '{}', 'refused', false, $1 from generate_series(1, $2::integer)`,
});
const MOST_ROWS = 25;

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openExperimentDatabase();
});

afterAll(() => database.close());

describe('erasing a site', () => {
  it('knows every table with a site_id', async () => {
    const tables = await tablesOfSites(database.owner, database.schema);
    expect(tables).toEqual([...ROWS.tables].sort());
  });

  it('ends with nothing left, whatever number of rows there is and however many go at once', async () => {
    const pool = database.openPool(1);
    const erasure = (rows: number, experiments: number) => experimentErasure(pool, { rows, experiments });
    const count = fc.nat(MOST_ROWS);
    const sizes = fc.integer({ min: 1, max: MOST_ROWS });
    const rowsOfEach = fc.record(Object.fromEntries(ROWS.tables.map((table) => [table, count])));
    await fc.assert(
      fc.asyncProperty(rowsOfEach, sizes, sizes, async (drawn, rows, experiments) => {
        const [siteId, other] = [randomUUID(), randomUUID()];
        const filled = { ...ROWS.each(0), ...drawn };
        await ROWS.fill(database.owner, siteId, filled);
        await ROWS.fill(database.owner, other, ROWS.each(1));
        const counted = filled.assignments + filled.experiments;
        const walked = await walkErasure(
          erasure(rows, experiments),
          siteId,
          ROWS.tables.length * (MOST_ROWS + 2),
        );
        expect(walked).toMatchObject({ found: counted, done: counted });
        expect(await ROWS.count(database.owner, siteId)).toEqual(ROWS.each(0));
        expect(await ROWS.count(database.owner, other)).toEqual(ROWS.each(1));
      }),
      {
        numRuns: 20,
        examples: [
          [ROWS.each(10), 10, 10],
          [ROWS.each(20), 10, 5],
        ],
      },
    );
  });
});

describe('an erased site', () => {
  it('gets no rows from late facts about itself and its campaigns, and no experiment', async () => {
    const { experimentId, siteId } = await insertRunning(database);
    const { rows } = await database.owner.query<{ workspace_id: string }>(
      'select workspace_id from experiments where experiment_id = $1',
      [experimentId],
    );
    const workspaceId = rows[0]?.workspace_id ?? '';
    const pool = database.openPool(1);
    await walkErasure(experimentErasure(pool), siteId, 100);
    const site = { site_id: siteId, workspace_id: workspaceId, currency: 'EUR' } as SiteRecord;
    const campaign = { campaign_id: randomUUID(), site_id: siteId, type: 'overlay' } as CampaignRecord;
    const body = {
      site_id: siteId,
      name: 'Late',
      surface: 'overlay',
      campaign_ids: [campaign.campaign_id],
      minimum_detectable_effect: 0.1,
      baseline_rate: 0.1,
    };
    const command = {
      workspace_id: workspaceId,
      actor: null,
      params: {},
      version: null,
      idempotency: null,
      body,
    };
    const outcome = await inTransaction(pool, async (client) => {
      await keepSites(client, [site], []);
      await keepCampaigns(client, [campaign], []);
      return createExperiment(client, command, { nowMs: Date.now(), newId: () => randomUUID() });
    });
    expect(outcome).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await ROWS.count(database.owner, siteId)).toEqual(ROWS.each(0));
  });

  it('gets no row in any table whose transactions do not read its mark', async () => {
    const siteId = randomUUID();
    const { owner } = database;
    await owner.query('insert into erased_sites (site_id) values ($1)', [siteId]);
    await ROWS.fill(owner, siteId, ROWS.each(1));
    const written = Object.entries(await ROWS.count(owner, siteId)).filter(([, rows]) => rows > 0);
    // Written by the stores of assignments, folds, exclusions and touches, whose first statement reads the mark.
    const guarded = [
      'assignments',
      'excluded_sessions',
      'pending_records',
      'session_hours',
      'session_orders',
      'session_records',
      'session_results',
      'sessions_to_fold',
      'sites_to_fold',
      'touches',
    ];
    expect(written.map(([table]) => table).sort()).toEqual(guarded);
  });
});
