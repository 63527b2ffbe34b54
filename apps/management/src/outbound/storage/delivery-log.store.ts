import { randomUUID } from 'node:crypto';
import { arrayLiteral, inTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { DELIVERY_LIFETIME_HOURS } from '../domain/retry-schedule.js';
import { addQueues, lockQueues, promoteSubjects, type QueuedWorkflow, refreshQueues } from './queue.store.js';

/** A delivery of a fact to a workflow. */
export interface NewDelivery {
  readonly workflow: Pick<QueuedWorkflow, 'workflow_id' | 'site_id'>;
  readonly factKey: string;
  readonly subject: string;
  readonly eventType: string;
  readonly eventId: string | null;
  readonly recordId: string | null;
  readonly orderId: string | null;
  readonly body: string;
}

/** One that was found just now. */
export interface MatchedDelivery extends NewDelivery {
  readonly workflow: QueuedWorkflow;
}

/** One that is there is locked: it stays for the deliveries that come with it. */
const INSERT_FACTS = `
  insert into facts as known (site_id, fact_key, body)
  select * from unnest($1::uuid[], $2::text[], $3::text[]) as given (site_id, fact_key, body)
  order by site_id, fact_key
  on conflict (site_id, fact_key) do update set body = known.body`;

const INSERT = `
  insert into deliveries (delivery_id, workflow_id, site_id, fact_key, subject, event_type, event_id, record_id,
    order_id, is_test, lane, status, deadline_at)
  select delivery_id, workflow_id, site_id, fact_key, subject, event_type, event_id, record_id, order_id,
    false, 1, 'pending', now() + interval '${DELIVERY_LIFETIME_HOURS} hours'
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[]) with ordinality as given (delivery_id, workflow_id, site_id, fact_key, subject, event_type,
    event_id, record_id, order_id, place)
  order by place
  on conflict (fact_key, workflow_id) do nothing`;

/**
 * Stores deliveries in their order, in one transaction. A fact that is told again is stored once.
 * @throws Postgres' error; the same may be stored again
 */
export function storeDeliveries(pool: Pool, told: readonly MatchedDelivery[]): Promise<void> {
  const workflows = new Map(told.map(({ workflow }) => [workflow.workflow_id, workflow]));
  return inTransaction(pool, async (client) => {
    await addQueues(client, [...workflows.values()]);
    await insertDeliveries(client, told);
  });
}

/** Stores deliveries in their order; those of a workflow whose queue is gone are not. @throws Postgres' error */
export async function insertDeliveries(client: ClientBase, told: readonly NewDelivery[]): Promise<void> {
  if (told.length === 0) return;
  const ids = [...new Set(told.map(({ workflow }) => workflow.workflow_id))];
  const living = await lockQueues(client, ids);
  const deliveries = told.filter(({ workflow }) => living.has(workflow.workflow_id));
  if (deliveries.length === 0) return;
  const facts = [
    ...new Map(deliveries.map((one) => [`${one.workflow.site_id} ${one.factKey}`, one])).values(),
  ];
  await client.query(INSERT_FACTS, [
    arrayLiteral(facts.map(({ workflow }) => workflow.site_id)),
    arrayLiteral(facts.map(({ factKey }) => factKey)),
    arrayLiteral(facts.map(({ body }) => body)),
  ]);
  // All have one `created_at`, so that lists have them by their ids: as the facts came.
  const deliveryIds = deliveries.map(() => randomUUID()).sort();
  await client.query(INSERT, [
    arrayLiteral(deliveryIds),
    arrayLiteral(deliveries.map(({ workflow }) => workflow.workflow_id)),
    arrayLiteral(deliveries.map(({ workflow }) => workflow.site_id)),
    arrayLiteral(deliveries.map(({ factKey }) => factKey)),
    arrayLiteral(deliveries.map(({ subject }) => subject)),
    arrayLiteral(deliveries.map(({ eventType }) => eventType)),
    arrayLiteral(deliveries.map(({ eventId }) => eventId)),
    arrayLiteral(deliveries.map(({ recordId }) => recordId)),
    arrayLiteral(deliveries.map(({ orderId }) => orderId)),
  ]);
  await promoteSubjects(
    client,
    deliveries.map(({ workflow: { workflow_id }, subject }) => ({ workflow_id, subject, lane: 1 })),
  );
  await refreshQueues(client, ids);
}
