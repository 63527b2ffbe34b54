import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REPLAY_DELIVERIES } from '@truetally/contracts/outbound';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import { storeDeliveries } from '../storage/delivery-log.store.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';
import { ReplaySteps } from './replay-steps.js';

/** More than may wait for their first attempt. */
const DELIVERIES = 250;
const [SITE, WORKSPACE] = [randomUUID(), randomUUID()];
const WORKFLOW = {
  workflow_id: randomUUID(),
  workspace_id: WORKSPACE,
  site_id: SITE,
  version: 1,
  enabled: true,
};

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openServiceDatabase({ name: 'outbound', migrations: MIGRATIONS });
});

afterAll(() => database.close());

/** The endpoint takes all that is queued. @returns how many that were */
async function deliverAll(): Promise<number> {
  const { rowCount } = await database.owner.query(
    `update deliveries set status = 'delivered', tries = 1, next_attempt_at = null where status = 'pending'`,
  );
  return rowCount ?? 0;
}

describe('replaying a range', () => {
  it('a first piece whose answer was lost is not queued again, although it has to wait when it is asked for again', async () => {
    const pool = database.openPool(2);
    const fact = { eventType: 'purchase', eventId: null, recordId: null, orderId: null, body: '{}' };
    const told = Array.from({ length: DELIVERIES }, () => ({
      ...{ ...fact, workflow: WORKFLOW, factKey: randomUUID(), subject: randomUUID() },
    }));
    await storeDeliveries(pool, told);
    expect(await deliverAll()).toBe(DELIVERIES);
    const steps = new ReplaySteps(pool, { index: { get: () => WORKFLOW } } as never);
    const [jobId, hourMs] = [randomUUID(), 3_600_000];
    const params = {
      workflow_id: WORKFLOW.workflow_id,
      from: new Date(Date.now() - hourMs).toISOString(),
      to: new Date(Date.now() + hourMs).toISOString(),
      statuses: 'delivered',
      matched: String(DELIVERIES),
    };
    const asked = async (cursor: string | null) => {
      const reply = await steps.handle({ job_id: jobId, step: REPLAY_DELIVERIES, params, cursor });
      return 'ok' in reply ? reply.ok : expect(reply).toBeUndefined();
    };
    const lost = await asked(null);
    const waiting = await asked(null);
    const sent = await deliverAll();
    const again = await asked(waiting?.cursor ?? null);
    expect([sent, again, await deliverAll()]).toEqual([lost?.done, lost, 0]);
    expect(await asked(again?.cursor ?? null)).toMatchObject({ cursor: null, done: DELIVERIES - sent });
    expect(await deliverAll()).toBe(DELIVERIES - sent);
  });
});
