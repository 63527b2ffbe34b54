import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ResultsSeries } from '@truetally/contracts/experiments';
import type { AssignedSessionFact } from '@truetally/contracts/facts';
import type { Reply } from '@truetally/kernel';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { NamedRecord } from '../fold-facts/read-facts.js';
import { FoldStore } from '../storage/fold.store.js';
import {
  assignedFact,
  insertRunning,
  openExperimentDatabase,
  type RunningRow,
  soldRecord,
} from '../testing/experiment-database.js';
import { reportSeries } from './report-results.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.parse('2026-01-10T00:30:00.000Z');
const at = (offsetMs: number): string => new Date(START_MS + offsetMs).toISOString();

let database: ServiceDatabase;
let store: FoldStore;

beforeAll(async () => {
  database = await openExperimentDatabase();
  store = new FoldStore(database.openPool(2));
});

afterAll(() => database.close());

/** An experiment that has run since `START_MS`. */
async function started(): Promise<RunningRow & { readonly workspaceId: string }> {
  const row = await insertRunning(database);
  const { rows } = await database.owner.query<{ workspace_id: string }>(
    'update experiments set started_at = $2 where experiment_id = $1 returning workspace_id',
    [row.experimentId, at(0)],
  );
  return { ...row, workspaceId: rows[0]?.workspace_id ?? '' };
}

type Started = Awaited<ReturnType<typeof started>>;

const seriesOf = (
  { experimentId, workspaceId }: Started,
  interval: 'hour' | 'day',
  afterMs: number,
): Promise<Reply<ResultsSeries>> =>
  reportSeries(
    database.owner,
    {
      workspace_id: workspaceId,
      actor: null,
      params: { experiment_id: experimentId },
      filters: { interval },
      limit: 1,
      cursor: null,
    },
    START_MS + afterMs,
  );

const pointsIn = (reply: Reply<ResultsSeries>) => ('ok' in reply ? reply.ok.series : []);

const order = (session: AssignedSessionFact, changes: Partial<NamedRecord> = {}): NamedRecord =>
  soldRecord(session, { purchaseOccurredAt: at(HOUR_MS), recordedAt: at(HOUR_MS), ...changes });

describe('interface page, section 7: the series', () => {
  it('a series has at most 400 points; a longer experiment needs day', async () => {
    const row = await started();
    // The 400th hour ends 399.5 h after the start, which is half past an hour.
    expect(pointsIn(await seriesOf(row, 'hour', 399 * HOUR_MS))).toHaveLength(400);
    const longer = await seriesOf(row, 'hour', 400 * HOUR_MS);
    expect(longer).toMatchObject({
      error: {
        code: 'VALIDATION_ERROR',
        details: { interval: ['must be day: the experiment is longer than 400 hours'] },
      },
    });
    expect(pointsIn(await seriesOf(row, 'day', 400 * HOUR_MS))).toHaveLength(17);
  });

  it('a daily series ends with the latest 400 days of a longer one', async () => {
    const row = await started();
    const points = pointsIn(await seriesOf(row, 'day', 450 * DAY_MS));
    expect(points).toHaveLength(400);
    expect(points.at(-1)?.at).toBe(at(450 * DAY_MS));
    expect(points.at(0)?.at).toBe('2026-03-03T00:00:00.000Z');
  });

  it('a series is the primary metric at the end of each interval, of all records until then', async () => {
    const row = await started();
    const treatment = assignedFact(row, { assigned_at: at(0) });
    const control = assignedFact(row, { assigned_at: at(2 * HOUR_MS), variant: 'control' });
    const sold = order(treatment);
    const cancelled = order(treatment, {
      conversionId: sold.conversionId,
      orderSequence: 2,
      eventType: 'cancellation',
      revenueDelta: -1_000n,
      recordedAt: at(3 * HOUR_MS),
    });
    await store.fold({ assigned: [treatment, control], records: [cancelled, sold] });
    const points = pointsIn(await seriesOf(row, 'hour', 4 * HOUR_MS));
    expect(points.map((point) => point.at)).toEqual([
      '2026-01-10T01:00:00.000Z',
      '2026-01-10T02:00:00.000Z',
      '2026-01-10T03:00:00.000Z',
      '2026-01-10T04:00:00.000Z',
      // The current hour, with its sums so far.
      at(4 * HOUR_MS),
    ]);
    expect(
      points.map(({ arms, effect }) => [
        arms.treatment.eligible_sessions,
        arms.treatment.converted_sessions,
        arms.control.eligible_sessions,
        effect.absolute,
      ]),
    ).toEqual([
      [1, 0, 0, null],
      [1, 1, 0, null],
      [1, 1, 1, 1],
      [1, 0, 1, 0],
      [1, 0, 1, 0],
    ]);
    expect(points[0]?.effect).toMatchObject({ reason: 'no_sessions' });
    const daily = await seriesOf(row, 'day', 4 * HOUR_MS);
    expect(daily).toMatchObject({ ok: { timezone: 'UTC' } });
    const days = pointsIn(daily);
    expect(days.map(({ arms }) => arms)).toEqual([points.at(-1)?.arms]);
  });

  it('the series of a stopped experiment ends at its stop, or in the hour of its last fact', async () => {
    const row = await started();
    const session = assignedFact(row, { assigned_at: at(0) });
    await store.fold({ assigned: [session], records: [] });
    await database.owner.query(
      `update experiments set state = 'stopped', stopped_at = $2 where experiment_id = $1`,
      [row.experimentId, at(2 * HOUR_MS)],
    );
    expect(pointsIn(await seriesOf(row, 'hour', 90 * HOUR_MS)).at(-1)?.at).toBe(at(2 * HOUR_MS));
    const late = order(session, { recordedAt: at(5 * HOUR_MS) });
    await store.fold({ assigned: [], records: [late] });
    const points = pointsIn(await seriesOf(row, 'hour', 90 * HOUR_MS));
    expect(points.at(-1)?.arms.treatment).toEqual({ eligible_sessions: 1, converted_sessions: 1 });
    expect(points.at(-1)?.at).toBe('2026-01-10T06:00:00.000Z');
  });

  it('the series of a draft is empty, and that of another workspace’s experiment missing', async () => {
    const row = await started();
    const foreign = await seriesOf({ ...row, workspaceId: randomUUID() }, 'day', 0);
    expect(foreign).toMatchObject({ error: { code: 'NOT_FOUND' } });
    await database.owner.query(
      `update experiments set state = 'draft', started_at = null where experiment_id = $1`,
      [row.experimentId],
    );
    expect(pointsIn(await seriesOf(row, 'day', DAY_MS))).toEqual([]);
  });
});
