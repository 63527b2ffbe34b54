import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { inTransaction } from '@truetally/persistence';
import type { Outcome } from '@truetally/resource';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import {
  HELD_EXPERIMENTS_BYTES,
  MAX_EXPERIMENTS,
  MAX_EXPERIMENTS_OF_WORKSPACE,
} from '../domain/experiment.js';
import { insertRunning, openExperimentDatabase } from '../testing/experiment-database.js';
import { createExperiment } from './create-experiment.js';

const CLIENTS = 4;

let database: ServiceDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await openExperimentDatabase();
  pool = database.openPool(CLIENTS);
});

afterAll(() => database.close());

/** A site with this many experiments, and the command that creates another. */
async function siteWith(count: number): Promise<ResourceCommand> {
  const { experimentId, siteId } = await insertRunning(database);
  const campaignId = randomUUID();
  await database.owner.query(
    `insert into campaigns (campaign_id, site_id, type, version) values ($1, $2, 'overlay', 1)`,
    [campaignId, siteId],
  );
  const { rows } = await database.owner.query<{ workspace_id: string }>(
    `with more as (
       insert into experiments select (jsonb_populate_record(first, jsonb_build_object(
         'experiment_id', gen_random_uuid(), 'state', 'stopped', 'stopped_at', now()))).*
       from experiments first, generate_series(2, $2) where experiment_id = $1)
     select workspace_id from experiments where experiment_id = $1`,
    [experimentId, count],
  );
  return {
    workspace_id: rows[0]?.workspace_id ?? '',
    actor: null,
    params: {},
    version: null,
    idempotency: null,
    body: {
      site_id: siteId,
      name: 'One more',
      surface: 'overlay',
      campaign_ids: [campaignId],
      minimum_detectable_effect: 0.1,
      baseline_rate: 0.1,
    },
  };
}

const create = (command: ResourceCommand): Promise<Outcome> =>
  inTransaction(pool, (client) =>
    createExperiment(client, command, { nowMs: Date.now(), newId: () => randomUUID() }),
  );

const codeOf = (outcome: Outcome): string => ('error' in outcome ? outcome.error.code : 'created');

describe('experiments of a site (docs/limits.md)', () => {
  it('experiments of a site are bounded, stopped ones too, and beyond it 409 names the quota', async () => {
    const command = await siteWith(MAX_EXPERIMENTS - 1);
    expect(codeOf(await create(command))).toBe('created');
    expect(await create(command)).toEqual({
      error: expect.objectContaining({
        code: 'CONFLICT',
        details: { experiments: [`must not be more than ${MAX_EXPERIMENTS}`] },
      }),
    });
  });

  it('experiments created at once do not exceed the bound of their site or lower that of another', async () => {
    const command = await siteWith(MAX_EXPERIMENTS - 1);
    const codes = await Promise.all(
      Array.from({ length: CLIENTS }, async () => codeOf(await create(command))),
    );
    expect(codes.toSorted()).toEqual([...Array<string>(CLIENTS - 1).fill('CONFLICT'), 'created']);
    expect(codeOf(await create(await siteWith(1)))).toBe('created');
  });

  it.each(['its own', 'those of others'])(
    'experiments beyond the memory of gateways are refused, naming the bound, when they are %s',
    async (whose) => {
      const command = await siteWith(2);
      const held = await database.owner.query<{ bytes: number; all: number }>(
        `select bytes::float8, (select sum(bytes) from held_experiments)::float8 as all
       from held_experiments where workspace_id = $1`,
        [command.workspace_id],
      );
      const { bytes = 0, all = 0 } = held.rows[0] ?? {};
      expect(bytes).toBe(256 + 88 + 256);
      const isOwn = whose === 'its own';
      const { workspace, installation } = HELD_EXPERIMENTS_BYTES;
      const filler = isOwn ? command.workspace_id : randomUUID();
      const fill = (to: number) =>
        database.owner.query(
          `insert into held_experiments values ($1, $2) on conflict (workspace_id) do update set bytes = excluded.bytes`,
          [filler, to],
        );
      // Others leave twice as much as it has.
      await fill(isOwn ? workspace : installation - (all - bytes) - 2 * bytes);
      const most = isOwn ? workspace : bytes;
      expect(await create(command)).toEqual({
        error: expect.objectContaining({
          code: 'CONFLICT',
          details: { workspace_experiment_bytes: [`must not be more than ${most}`] },
        }),
      });
      await fill(0);
      expect(codeOf(await create(command))).toBe('created');
    },
  );

  it('experiments of all sites of a workspace are bounded as well, as gateways hold them', async () => {
    const command = await siteWith(1);
    const fill = (count: number) =>
      database.owner.query(
        `insert into experiments select (jsonb_populate_record(first, jsonb_build_object(
           'experiment_id', gen_random_uuid(), 'site_id', gen_random_uuid()))).*
         from experiments first, generate_series(1, $2) where workspace_id = $1`,
        [command.workspace_id, count],
      );
    await fill(MAX_EXPERIMENTS_OF_WORKSPACE - 2);
    const codes = await Promise.all(
      Array.from({ length: CLIENTS }, async () => codeOf(await create(command))),
    );
    expect(codes.toSorted()).toEqual([...Array<string>(CLIENTS - 1).fill('CONFLICT'), 'created']);
    expect(await create(command)).toEqual({
      error: expect.objectContaining({
        details: { experiments: [`must not be more than ${MAX_EXPERIMENTS_OF_WORKSPACE}`] },
      }),
    });
  });
});
