import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@truetally/persistence';
import { eventually } from '@truetally/testing';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import type pg from 'pg';
import { deleteDeliveries } from './delete-deliveries.js';
import { storeDeliveries } from './delivery-log.store.js';
import { MIGRATIONS } from './migrations/migrations.js';
import { KEPT_ATTEMPTS, storeOutcomes } from './outcome.store.js';
import { endOverdue } from './overdue.store.js';
import { deliveryErasureOfPerson } from './person-erasure.js';
import { outboundErasure } from './site-erasure.js';
import { forgetDeletedWorkflows, forgetOldDeliveries, markDeleted, settleQueues } from './queue.store.js';

let database: ServiceDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await openServiceDatabase({ name: 'outbound', migrations: MIGRATIONS });
  pool = database.openPool(4);
});

afterAll(() => database.close());

/** An event of a session, and workflows of its site. */
class Told {
  readonly siteId = randomUUID();
  readonly [0] = randomUUID();
  readonly [1] = randomUUID();

  store(...workflowIds: readonly string[]): Promise<void> {
    const fact = { factKey: 'event:1', subject: 'session:s', eventType: 'purchase', body: '{}' };
    const ids = { eventId: '1', recordId: null, orderId: null };
    const workflow = { workspace_id: this.siteId, site_id: this.siteId, version: 1, enabled: true };
    return storeDeliveries(
      pool,
      workflowIds.map((id) => ({ ...fact, ...ids, workflow: { ...workflow, workflow_id: id } })),
    );
  }

  async count(): Promise<readonly [deliveries: number, facts: number]> {
    const [deliveries, facts] = await Promise.all(
      ['deliveries', 'facts'].map((table) =>
        database.owner.query(`select from ${table} where site_id = $1`, [this.siteId]),
      ),
    );
    return [deliveries?.rowCount ?? 0, facts?.rowCount ?? 0];
  }
}

async function eraseSite({ siteId }: Told): Promise<void> {
  const erasure = outboundErasure(pool);
  for (let cursor: string | null = null, step = 0; step === 0 || cursor !== null; step += 1)
    ({ cursor } = await erasure.step(`${siteId} ${step}`, siteId, cursor));
}

const whenOneWaits = (): Promise<unknown> => eventually(async () => (await database.countWaiting()) === 1);

const OF_WORKFLOW = 'where workflow_id = $1';

describe('what is delivered of a fact', () => {
  it.each<[string, (workflowId: string) => Promise<unknown>]>([
    [
      '30 days',
      async (id) => {
        await database.owner.query(
          `update deliveries set status = 'dead', next_attempt_at = null, created_at = now() - interval '31 days'
           ${OF_WORKFLOW}`,
          [id],
        );
        await forgetOldDeliveries(pool);
      },
    ],
    [
      'the end of its workflow',
      async (id) => {
        await markDeleted(pool, id);
        await forgetDeletedWorkflows(pool);
      },
    ],
  ])(
    'what is delivered of a fact is kept while one of its deliveries is, and goes with the last after %s',
    async (_, end) => {
      const told = new Told();
      await told.store(told[0], told[1]);
      await end(told[0]);
      expect(await told.count()).toEqual([1, 1]);
      await end(told[1]);
      expect(await told.count()).toEqual([0, 0]);
    },
  );

  it('a delivery that is replayed without end keeps the newest hundred of its attempts', async () => {
    const told = new Told();
    await told.store(told[0]);
    const [claim, before] = [randomUUID(), KEPT_ATTEMPTS + 7];
    const { rows } = await database.owner.query<{ id: string }>(
      `update deliveries set attempt_count = $2, claim = $3 ${OF_WORKFLOW} returning delivery_id as id`,
      [told[0], before, claim],
    );
    const deliveryId = rows[0]?.id ?? '';
    await database.owner.query(
      `insert into attempts select $1, number, $2, now(), 500, 1, null, null, true from generate_series(1, $3) number`,
      [deliveryId, told.siteId, before],
    );
    const failed = { isDelivered: false, retryMs: 1_000, atMs: Date.now(), status: 500, latencyMs: 1 };
    const outcome = { ...failed, deliveryId, workflowId: told[0], claim, error: null, response: null };
    await storeOutcomes(pool, [{ ...outcome, isReplay: true }]);
    const kept = await database.owner.query(
      'select min(number), max(number), count(*)::integer from attempts where delivery_id = $1',
      [deliveryId],
    );
    expect(kept.rows).toEqual([{ min: before + 2 - KEPT_ATTEMPTS, max: before + 1, count: KEPT_ATTEMPTS }]);
  });

  it('deliveries of any number of disabled workflows are dead behind their time', async () => {
    const told = new Told();
    const workflows = Array.from({ length: 50 }, () => randomUUID());
    await told.store(...workflows);
    const { owner } = database;
    await owner.query(`update queues set is_enabled = false where workflow_id = any($1)`, [workflows]);
    await owner.query(`update deliveries set deadline_at = now() where workflow_id = any($1)`, [workflows]);
    while (await endOverdue(pool));
    const left = await owner.query(
      `select from deliveries where workflow_id = any($1) and status = 'pending'`,
      [workflows],
    );
    expect(left.rowCount).toBe(0);
  });

  it('deliveries of a disabled workflow are dead behind their time, however many others have one under way', async () => {
    const told = new Told();
    const underWay = Array.from({ length: 25 }, () => randomUUID().replace(/^./, '0'));
    const last = randomUUID().replace(/^./, 'f');
    await told.store(last, ...underWay);
    const { owner } = database;
    const all = [[last, ...underWay]];
    await owner.query('update queues set is_enabled = false where workflow_id = any($1)', all);
    await owner.query('update deliveries set deadline_at = now() where workflow_id = any($1)', all);
    await owner.query(
      `update deliveries set claimed_until = now() + interval '1 hour' where workflow_id = any($1)`,
      [underWay],
    );
    while (await endOverdue(pool));
    const left = await owner.query<{ workflow_id: string }>(
      `select workflow_id from deliveries where workflow_id = any($1) and status = 'pending'`,
      all,
    );
    expect(left.rows.map(({ workflow_id: id }) => id).toSorted()).toEqual(underWay.toSorted());
  });

  it('what is delivered of a person is erased with its deliveries', async () => {
    const [person, other] = [new Told(), new Told()];
    await person.store(person[0], person[1]);
    await other.store(other[0]);
    const [name, jobId, erasureId] = [randomUUID(), randomUUID(), randomUUID()];
    const subjects = { sessionIds: ['s'], eventIds: [] };
    const asked = { name, jobId, erasureId, siteId: person.siteId, cursor: null, userId: null, subjects };
    await deliveryErasureOfPerson(pool).step(asked);
    expect([await person.count(), await other.count()]).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('a replica that is behind sets no queue back, and what a restored database says of a workflow holds', async () => {
    const workflow = { workspace_id: randomUUID(), site_id: randomUUID(), workflow_id: randomUUID() };
    const { workflow_id: id } = workflow;
    const queue = async () => {
      const { rows } = await database.owner.query<{ is_enabled: boolean; is_deleted: boolean }>(
        'select is_enabled, is_deleted from queues where workflow_id = $1',
        [id],
      );
      return rows.map((row) => (row.is_deleted ? 'deleted' : row.is_enabled ? 'enabled' : 'disabled'));
    };
    const settled = async (incarnation: number, version: number, enabled: boolean) => {
      const revised = { ...workflow, incarnation, version, enabled };
      await inTransaction(pool, (client) => settleQueues(client, [revised]));
      return queue();
    };
    const deleted = async (incarnation?: number) => {
      await markDeleted(pool, id, incarnation);
      return queue();
    };
    expect(await settled(1, 2, false)).toEqual(['disabled']);
    expect(await settled(1, 1, true)).toEqual(['disabled']);
    expect(await settled(2, 1, true)).toEqual(['enabled']);
    // Kafka had lost it.
    expect([await deleted(), await settled(2, 1, true)]).toEqual([['deleted'], ['enabled']]);
    expect(await deleted(1)).toEqual(['enabled']);
    expect([await deleted(2), await settled(2, 1, true)]).toEqual([['deleted'], ['deleted']]);
    expect(await settled(3, 1, true)).toEqual(['enabled']);
  });

  it('what is delivered of a site is erased with it', async () => {
    const told = new Told();
    await told.store(told[0], told[1]);
    await eraseSite(told);
    expect(await told.count()).toEqual([0, 0]);
  });

  it('a site that is erased while its deliveries are forgotten waits for that, and neither is broken off', async () => {
    const told = new Told();
    await told.store(told[0], told[1]);
    let erased: Promise<unknown> = Promise.resolve();
    await inTransaction(database.owner, async (client) => {
      // As whoever forgets deliveries begins.
      await client.query('select from facts where site_id = $1 for update', [told.siteId]);
      erased = eraseSite(told);
      await whenOneWaits();
      await deleteDeliveries(client, OF_WORKFLOW, [told[0]]);
    });
    await erased;
    expect(await told.count()).toEqual([0, 0]);
  });

  it('a site’s erasure goes on behind deliveries that were forgotten while it found them', async () => {
    const told = new Told();
    await told.store(told[0]);
    await database.owner.query(
      `insert into facts (site_id, fact_key, body) select site_id, n::text, body from facts, generate_series(1, 1000) n
       where site_id = $1`,
      [told.siteId],
    );
    await database.owner.query(
      `insert into deliveries (delivery_id, workflow_id, site_id, fact_key, subject, event_type, is_test, lane, status, deadline_at)
       select gen_random_uuid(), $2, site_id, fact_key, 's', 'purchase', false, 1, 'dead', now() from facts
       where site_id = $1 and fact_key <> 'event:1'`,
      [told.siteId, told[1]],
    );
    let erased: Promise<unknown> = Promise.resolve();
    await inTransaction(database.owner, async (client) => {
      await deleteDeliveries(client, 'where site_id = $1 limit 1000', [told.siteId]);
      erased = eraseSite(told);
      await whenOneWaits();
    });
    await erased;
    expect(await told.count()).toEqual([0, 0]);
  });

  it('the last two deliveries of a fact that are deleted at the same time take it with them', async () => {
    const told = new Told();
    await told.store(told[0], told[1]);
    let later: Promise<unknown> = Promise.resolve();
    await inTransaction(database.owner, async (client) => {
      await deleteDeliveries(client, OF_WORKFLOW, [told[0]]);
      later = inTransaction(pool, (another) => deleteDeliveries(another, OF_WORKFLOW, [told[1]]));
      await whenOneWaits();
    });
    await later;
    expect(await told.count()).toEqual([0, 0]);
  });

  it('a fact that is told again while its last delivery is being deleted is there for its new one', async () => {
    const told = new Told();
    await told.store(told[0]);
    let again: Promise<unknown> = Promise.resolve();
    await inTransaction(database.owner, async (client) => {
      await deleteDeliveries(client, OF_WORKFLOW, [told[0]]);
      again = told.store(told[1]);
      await whenOneWaits();
    });
    await again;
    expect(await told.count()).toEqual([1, 1]);
  });
});
