import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import { matchTouches } from '../match-touches/match-touches.js';
import { checkLedger } from '../testing/check-ledger.js';
import { anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';
import { aTouch } from '../testing/touches.js';

let database: LedgerDatabase;
let replicas: readonly [Replica, Replica, Replica];

beforeAll(async () => {
  database = await openLedgerDatabase();
  replicas = [database.replica(), database.replica(), database.replica()];
});

afterAll(() => database.close());

describe('replicas at the same time', () => {
  it('accept a key once, whichever orders it names, and answer everybody by that', async () => {
    const siteId = randomUUID();
    const idempotencyKey = 'the key';
    const purchases = Array.from({ length: 24 }, () => aPurchase({ idempotencyKey }));
    const groups = await Promise.all(
      purchases.map((purchase, index) => replicaAt(index).ledger.record([itemOf(siteId, purchase)])),
    );
    const kinds = groups.map(({ outcomes }) => outcomes[0]?.kind);
    expect(kinds.filter((kind) => kind === 'accepted')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'refused')).toHaveLength(23);
    expect(await checkLedger(database.owner, siteId)).toHaveLength(1);
  });

  it('answer the same purchase sent to all of them at once with one entry', async () => {
    const siteId = randomUUID();
    const purchase = aPurchase();
    const groups = await Promise.all(
      Array.from({ length: 24 }, (_, index) => replicaAt(index).ledger.record([itemOf(siteId, purchase)])),
    );
    const kinds = groups.map(({ outcomes }) => outcomes[0]?.kind);
    expect(kinds.toSorted()).toEqual(['accepted', ...Array.from({ length: 23 }, () => 'replayed')]);
  });

  it('lose no update of one hot order: a thousand adjustments in groups, each seen once in its balance', async () => {
    const siteId = randomUUID();
    const purchase = aPurchase({ revenue: 0n, merchandise: 0n, commissionableSubtotal: 0n });
    await replicas[0].ledger.record([itemOf(siteId, purchase)]);
    const { orderId } = purchase;
    const items = Array.from({ length: 1_000 }, (_, index) => {
      const occurredAt = new Date(Date.UTC(2026, 2, 1) + index).toISOString();
      return itemOf(siteId, anAdjustment({ orderId, occurredAt, revenueDelta: 1n, commissionableDelta: 0n }));
    });
    const groups = Array.from({ length: 40 }, (_, group) =>
      items.filter((__, index) => index % 40 === group),
    );
    // A later time makes earlier ones stale: a refused client retries with a later time, like a shop.
    const settled = await Promise.all(groups.map((group, index) => replicaAt(index).ledger.record(group)));
    const outcomes = settled.flatMap((group) => group.outcomes);
    const accepted = outcomes.filter(({ kind }) => kind === 'accepted').length;
    expect(outcomes.filter(({ kind }) => kind === 'refused')).toHaveLength(1_000 - accepted);
    const records = await checkLedger(database.owner, siteId);
    expect(records).toHaveLength(accepted + 1);
    expect(records.at(-1)?.receivable_balance).toBe(String(accepted));
  });

  it('never wait for one another in a circle, whatever orders and sites their groups share', async () => {
    const sites = Array.from({ length: 4 }, () => randomUUID());
    const orders = Array.from({ length: 12 }, (_, index) => `order-${index}`);
    const group = (seed: number) =>
      orders
        .flatMap((orderId) => sites.map((siteId) => ({ siteId, orderId })))
        .toSorted((one, other) => hashed(seed, one) - hashed(seed, other))
        .map(({ siteId, orderId }) => itemOf(siteId, aPurchase({ orderId })));
    const settled = await Promise.all(
      Array.from({ length: 12 }, (_, index) => replicaAt(index).ledger.record(group(index))),
    );
    const accepted = settled.flatMap(({ outcomes }) => outcomes.filter(({ kind }) => kind === 'accepted'));
    expect(accepted).toHaveLength(sites.length * orders.length);
    for (const siteId of sites) expect(await checkLedger(database.owner, siteId)).toHaveLength(orders.length);
  });

  it('match every touch and order that come at the same time, once', async () => {
    const siteId = randomUUID();
    const pairs = Array.from({ length: 60 }, (_, index) => ({
      touch: aTouch({ touch_id: `touch-${index}` }),
      purchase: aPurchase({ touchIds: [`touch-${index}`] }),
    }));
    await Promise.all(
      pairs.flatMap(({ touch, purchase }, index) => [
        keepTouch(replicaAt(index), siteId, touch),
        keepOrder(replicaAt(index + 1), siteId, purchase),
      ]),
    );
    const records = await checkLedger(database.owner, siteId);
    const last = new Map(records.map((record) => [record.order_id, record.attribution]));
    expect(last.size).toBe(pairs.length);
    for (const attribution of last.values()) expect(attribution).not.toContain('unmatched');
    const { rows } = await database.owner.query('select 1 from awaited_touches where site_id = $1', [siteId]);
    expect(rows).toEqual([]);
  });

  it('match a touch with every order that has waited for it, however many they are', async () => {
    const siteId = randomUUID();
    const purchases = Array.from({ length: 300 }, () => aPurchase({ touchIds: ['late'] }));
    await replicaAt(0).ledger.record(purchases.map((purchase) => itemOf(siteId, purchase)));
    await Promise.all(
      [0, 1].map((index) => keepTouch(replicaAt(index), siteId, aTouch({ touch_id: 'late' }))),
    );
    const { rows } = await database.owner.query('select 1 from awaited_touches where site_id = $1', [siteId]);
    expect(rows).toEqual([]);
    expect(await checkLedger(database.owner, siteId)).toHaveLength(2 * purchases.length);
  });
});

/** Stores a touch and then handles its fact: never before the commit, but possibly before the order's fact. */
async function keepTouch(replica: Replica, siteId: string, touch: ReturnType<typeof aTouch>): Promise<void> {
  const requestId = randomUUID();
  const request = { site_id: siteId, request_id: requestId, touches: [touch] };
  await replica.touches.record([{ request, correlationId: requestId }]);
  await follow(replica, TOPICS.touchesRecorded.name, { site_id: siteId, touch_id: touch.touch_id });
}

async function keepOrder(
  replica: Replica,
  siteId: string,
  purchase: ReturnType<typeof aPurchase>,
): Promise<void> {
  const { outcomes } = await replica.ledger.record([itemOf(siteId, purchase)]);
  const [outcome] = outcomes;
  if (outcome?.kind !== 'accepted') throw new Error('A purchase was not accepted.');
  const isMatched = !(outcome.sealed.fields.attribution ?? '').includes('unmatched');
  await follow(replica, TOPICS.conversionsRecorded.name, {
    site_id: siteId,
    order_id: purchase.orderId,
    event_type: 'purchase',
    unmatched_touch_ids: isMatched ? [] : purchase.touchIds,
  });
}

function follow(replica: Replica, topic: string, fact: object): Promise<void> {
  const relay = { wake: () => undefined };
  return matchTouches({ ...replica, relay }, [{ topic, value: JSON.stringify(fact) }]);
}

function replicaAt(index: number): Replica {
  return replicas[index % replicas.length] ?? replicas[0];
}

/** Another permutation of the same names for each seed. */
function hashed(seed: number, { siteId, orderId }: { siteId: string; orderId: string }): number {
  let hash = seed + 1;
  for (const character of siteId + orderId) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003;
  return hash;
}
