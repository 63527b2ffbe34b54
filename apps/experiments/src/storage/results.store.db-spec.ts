import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ServiceDatabase } from '@truetally/testing-product';
import { openExperimentDatabase } from '../testing/experiment-database.js';
import { readHours } from './results.store.js';

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openExperimentDatabase();
});

afterAll(() => database.close());

it('a series by day has the sums of every hour, however many there are, each until its last hour', async () => {
  const experimentId = randomUUID();
  const days = 900;
  await database.owner.query(
    `insert into hour_sums (experiment_id, variant, hour, sessions)
     select $1, variant, timestamptz '2024-01-01 00:00:00Z' + n * interval '1 hour', 1
     from generate_series(0, $2::integer * 24 - 1) n, (values ('control'), ('treatment')) arms (variant)`,
    [experimentId, days],
  );
  const read = await readHours(database.owner, experimentId, 'day');
  expect(read).toHaveLength(2 * days);
  expect(new Set(read.map(({ sums }) => sums.sessions))).toEqual(new Set([24n]));
  expect(read.at(-1)?.hourMs).toBe(Date.parse('2024-01-01T00:00:00Z') + (days * 24 - 1) * 3_600_000);
  expect(await readHours(database.owner, experimentId, 'hour')).toHaveLength(40_000);
});
