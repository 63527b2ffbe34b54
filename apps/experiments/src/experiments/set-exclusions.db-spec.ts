import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@truetally/persistence';
import type { Outcome } from '@truetally/resource';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import { MAX_EXCLUSION_CHANGES } from '../domain/experiment.js';
import { insertRunning, openExperimentDatabase } from '../testing/experiment-database.js';
import { setExclusions } from './set-exclusions.js';

let database: ServiceDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await openExperimentDatabase();
  pool = database.openPool(1);
});

afterAll(() => database.close());

describe('changes of an experiment’s exclusions (docs/limits.md)', () => {
  it('changes of an experiment’s exclusions are bounded, those that change nothing are only noted, and beyond it 409 names the bound', async () => {
    const { experimentId } = await insertRunning(database);
    const { rows } = await database.owner.query<{ workspace_id: string }>(
      'select workspace_id from experiments where experiment_id = $1',
      [experimentId],
    );
    const set = (sessions_per_network: number | null): Promise<Outcome> =>
      inTransaction(pool, (client) =>
        setExclusions(
          client,
          {
            workspace_id: rows[0]?.workspace_id ?? '',
            actor: null,
            params: { experiment_id: experimentId },
            version: null,
            idempotency: null,
            body: { sessions_per_network },
          },
          { nowMs: Date.now(), newId: () => randomUUID() },
        ),
      );
    for (let n = 1; n <= MAX_EXCLUSION_CHANGES; n += 1) expect(await set(n)).toHaveProperty('ok');
    expect(await set(MAX_EXCLUSION_CHANGES)).toMatchObject({ ok: {}, audit: { action: 'exclude' } });
    expect(await set(null)).toEqual({
      error: expect.objectContaining({
        code: 'CONFLICT',
        details: { exclusion_changes: [`must not be more than ${MAX_EXCLUSION_CHANGES}`] },
      }),
    });
  });
});
