import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowRecord } from '@truetally/contracts/facts';
import { workflowSealContext } from '@truetally/contracts/management';
import { Keyring, newKeyring } from '@truetally/keyring';
import { inTransaction } from '@truetally/persistence';
import { eventually } from '@truetally/testing';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import type pg from 'pg';
import { WorkflowIndex } from '../domain/workflow-index.js';
import { storeDeliveries } from '../storage/delivery-log.store.js';
import { queueAgain } from '../storage/delivery.store.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';
import { forgetOldDeliveries, lockQueues, refreshQueues } from '../storage/queue.store.js';
import { Deliverer } from './deliverer.js';
import type { EndpointAnswer } from './endpoint-client.js';

const SITE = randomUUID();
const BODY = 'x'.repeat(65_000);
const WORKFLOWS = 100;
const OF_EACH = 6;
const BOUND = 32 * 1_024 * 1_024;

let database: ServiceDatabase;
let owner: pg.Pool;
let pool: pg.Pool;

beforeAll(async () => {
  database = await openServiceDatabase({ name: 'outbound', migrations: MIGRATIONS });
  owner = database.owner;
  pool = database.openPool(4);
});

afterAll(() => database.close());

const keyring = new Keyring(newKeyring(Date.now()));

function workflow(workspaceId: string = randomUUID()): WorkflowRecord {
  const id = randomUUID();
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const { keyId, sealed } = keyring.seal(secret, workflowSealContext(id));
  return {
    workflow_id: id,
    workspace_id: workspaceId,
    site_id: SITE,
    enabled: true,
    event_types: ['purchase'],
    match: 'all',
    conditions: [],
    url: 'https://crm.example/',
    secret: { key_id: keyId, sealed: sealed.toString('base64') },
    former_secrets: [],
    version: 1,
    effective_from: '2026-01-31T00:00:00.000Z',
    updated_at: '2026-01-31T00:00:00.000Z',
  };
}

/** Answers when it is told to. */
class SlowEndpoints {
  lengthUnderWay = 0;
  readonly answers = Promise.withResolvers<undefined>();

  readonly post = async (_: string, __: string, { body }: { readonly body: string }) => {
    this.lengthUnderWay += body.length;
    await this.answers.promise;
    this.lengthUnderWay -= body.length;
    return {
      status: 200,
      latencyMs: 1,
      error: null,
      response: null,
      retryAfterMs: null,
    } satisfies EndpointAnswer;
  };
}

function delivererOf(index: WorkflowIndex, endpoints: Pick<SlowEndpoints, 'post'>): Deliverer {
  return new Deliverer({
    pool,
    directory: { index } as never,
    client: endpoints as never,
    keys: { keyring },
    log: { warn: () => undefined, error: (...told: unknown[]) => expect(told).toEqual([]) } as never,
    observer: { attempted: () => undefined, waited: () => undefined },
    random: () => 0,
  });
}

describe('sending deliveries', () => {
  it('large deliveries of many slow endpoints are under way up to 32 MiB, and the others are sent after them', async () => {
    const index = new WorkflowIndex();
    const workflows = Array.from({ length: WORKFLOWS }, () => index.set(workflow()).record);
    const fact = { eventType: 'purchase', eventId: null, recordId: null, orderId: null, body: BODY };
    for (let count = 0; count < OF_EACH; count += 1) {
      const [factKey, subject] = [randomUUID(), randomUUID()];
      const all = workflows.map((one) => ({ ...fact, workflow: one, factKey, subject }));
      await storeDeliveries(pool, all);
    }
    const endpoints = new SlowEndpoints();
    const deliverer = delivererOf(index, endpoints);
    deliverer.start();
    try {
      // What would be one more workspace's share is left.
      await eventually(() => endpoints.lengthUnderWay > 0.9 * BOUND);
      expect(endpoints.lengthUnderWay).toBeLessThanOrEqual(BOUND);
    } finally {
      endpoints.answers.resolve(undefined);
      await eventually(async () => {
        const { rowCount } = await owner.query("select from deliveries where status = 'pending'");
        return rowCount === 0;
      });
      await deliverer.stop();
    }
  });

  it.each([
    [410, null, 'dead', null],
    [503, 120_000, 'pending', true],
  ])(
    'a delivery that is answered %s, with a wait of %s ms, is %s, and due after two minutes: %s',
    async (status, retryAfterMs, expected, isLater) => {
      const index = new WorkflowIndex();
      const one = index.set(workflow()).record;
      const [factKey, subject] = [randomUUID(), randomUUID()];
      const fact = { eventType: 'purchase', eventId: null, recordId: null, orderId: null, body: '{}' };
      await storeDeliveries(pool, [{ ...fact, workflow: one, factKey, subject }]);
      const told = { status, latencyMs: 1, error: 'It has refused.', response: null, retryAfterMs };
      const deliverer = delivererOf(index, { post: () => Promise.resolve(told as never) });
      deliverer.start();
      const { rows } = await eventually(async () => {
        const found = await owner.query<{ status: string; due: boolean | null }>(
          `select status, next_attempt_at >= created_at + interval '2 minutes' as due
           from deliveries where workflow_id = $1 and attempt_count = 1`,
          [one.workflow_id],
        );
        return found.rowCount === 1 && found;
      });
      await deliverer.stop();
      expect(rows).toEqual([{ status: expected, due: isLater }]);
    },
  );

  it('replays of a subject are sent one after another, oldest first, and those of others meanwhile', async () => {
    const index = new WorkflowIndex();
    const one = index.set(workflow()).record;
    const fact = { eventType: 'purchase', eventId: null, recordId: null, orderId: null, workflow: one };
    const told = ['paid', 'changed', 'cancelled', 'another order'];
    await storeDeliveries(
      pool,
      told.map((body) => ({ ...fact, body, factKey: body, subject: body === 'another order' ? 'b' : 'a' })),
    );
    const { rows } = await owner.query<{ delivery_id: string }>(
      `update deliveries set status = 'dead', next_attempt_at = null where workflow_id = $1 returning delivery_id`,
      [one.workflow_id],
    );
    await inTransaction(pool, async (client) => {
      await lockQueues(client, [one.workflow_id]);
      await queueAgain(
        client,
        rows.map(({ delivery_id }) => delivery_id),
      );
      await refreshQueues(client, [one.workflow_id]);
    });
    const sent: string[] = [];
    const paid = Promise.withResolvers<undefined>();
    const post = async (_: string, __: string, { body }: { readonly body: string }) => {
      sent.push(body);
      if (body === 'paid') await paid.promise;
      return { status: 200, latencyMs: 1, error: null, response: null, retryAfterMs: null };
    };
    const deliverer = delivererOf(index, { post });
    deliverer.start();
    try {
      await eventually(async () => {
        const delivered = await owner.query(
          "select from deliveries where workflow_id = $1 and status = 'delivered'",
          [one.workflow_id],
        );
        return delivered.rowCount === 1;
      });
      expect(sent.toSorted()).toEqual(['another order', 'paid']);
      paid.resolve(undefined);
      await eventually(() => sent.length === told.length);
      expect(sent.slice(2)).toEqual(['changed', 'cancelled']);
    } finally {
      paid.resolve(undefined);
      await deliverer.stop();
    }
  });

  it('a replay that becomes older than deliveries are kept is sent, and so are those of its subject behind it', async () => {
    const index = new WorkflowIndex();
    const one = index.set(workflow()).record;
    const fact = { eventType: 'purchase', eventId: null, recordId: null, orderId: null, workflow: one };
    const told = ['first', 'second', 'ended'];
    await storeDeliveries(
      pool,
      told.map((body) => ({ ...fact, body, factKey: body, subject: 'one' })),
    );
    const replayed = await owner.query<{ delivery_id: string }>(
      `update deliveries set next_attempt_at = null, status = 'dead', created_at = now() - interval '30 days' + case
         when fact_key = 'second' then interval '1 minute' else - interval '1 minute' end
       where workflow_id = $1 returning case when fact_key <> 'ended' then delivery_id end as delivery_id`,
      [one.workflow_id],
    );
    await inTransaction(pool, async (client) => {
      await lockQueues(client, [one.workflow_id]);
      await queueAgain(
        client,
        replayed.rows.flatMap(({ delivery_id: id }: { delivery_id: string | null }) =>
          id === null ? [] : [id],
        ),
      );
      await refreshQueues(client, [one.workflow_id]);
    });
    await forgetOldDeliveries(pool);
    const sent: string[] = [];
    const post = (_: string, __: string, { body }: { readonly body: string }) => {
      sent.push(body);
      return Promise.resolve({
        ...{ status: 200, latencyMs: 1, error: null, response: null, retryAfterMs: null },
      });
    };
    const deliverer = delivererOf(index, { post });
    deliverer.start();
    try {
      await eventually(async () => {
        const { rowCount } = await owner.query(
          "select from deliveries where workflow_id = $1 and status = 'delivered'",
          [one.workflow_id],
        );
        return rowCount === 2;
      });
    } finally {
      await deliverer.stop();
    }
    expect(sent).toEqual(['first', 'second']);
    await forgetOldDeliveries(pool);
    const { rows } = await owner.query('select fact_key from deliveries where workflow_id = $1', [
      one.workflow_id,
    ]);
    expect(rows).toEqual([{ fact_key: 'second' }]);
  });

  it('a workspace with hundreds of workflows whose endpoints hang delays no delivery of another workspace', async () => {
    const [index, workspaceId] = [new WorkflowIndex(), randomUUID()];
    const hanging = Array.from({ length: 200 }, () => index.set(workflow(workspaceId)).record);
    const other = index.set(workflow()).record;
    const queue = (workflows: readonly WorkflowRecord[], body: string) => {
      const [factKey, subject] = [randomUUID(), randomUUID()];
      const fact = { eventType: 'purchase', eventId: null, recordId: null, orderId: null, body };
      return storeDeliveries(
        pool,
        workflows.map((one) => ({ ...fact, workflow: one, factKey, subject })),
      );
    };
    // More than all places.
    for (let count = 0; count < 8; count += 1) await queue(hanging, 'hang');
    const answered = Promise.withResolvers<undefined>();
    const sent: string[] = [];
    const post = async (_: string, __: string, { body }: { readonly body: string }) => {
      sent.push(body);
      if (body === 'hang') await answered.promise;
      return { status: 200, latencyMs: 1, error: null, response: null, retryAfterMs: null };
    };
    const deliverer = delivererOf(index, { post });
    deliverer.start();
    try {
      await eventually(() => sent.length >= 512);
      await queue([other], 'other');
      deliverer.wake();
      await eventually(() => sent.includes('other'));
    } finally {
      answered.resolve(undefined);
      await deliverer.stop();
      await owner.query('delete from deliveries where workflow_id <> $1', [other.workflow_id]);
    }
  });
});
