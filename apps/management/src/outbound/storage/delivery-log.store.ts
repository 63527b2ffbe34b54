import { randomUUID } from 'node:crypto';
import { arrayLiteral, inTransaction } from '@truetally/persistence';
import type { Pool } from 'pg';
import { DELIVERY_LIFETIME_HOURS } from '../domain/retry-schedule.js';
import {
  addQueues,
  lockQueues,
  OF_LIVING_WORKFLOW,
  promoteSubjects,
  type QueuedWorkflow,
  refreshQueues,
} from './queue.store.js';

/** A delivery of a fact to a workflow. */
export interface NewDelivery {
  readonly workflow: QueuedWorkflow;
  readonly factKey: string;
  readonly subject: string;
  readonly eventType: string;
  readonly eventId: string | null;
  readonly recordId: string | null;
  readonly orderId: string | null;
  readonly body: string;
}

const INSERT = `
  insert into deliveries (delivery_id, workflow_id, site_id, fact_key, subject, event_type, event_id, record_id,
    order_id, body, is_test, lane, status, deadline_at)
  select delivery_id, workflow_id, site_id, fact_key, subject, event_type, event_id, record_id, order_id, body,
    false, 1, 'pending', now() + interval '${DELIVERY_LIFETIME_HOURS} hours'
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[]) with ordinality as given (delivery_id, workflow_id, site_id, fact_key, subject,
    event_type, event_id, record_id, order_id, body, place)
  where ${OF_LIVING_WORKFLOW}
  order by place
  on conflict (workflow_id, fact_key) where fact_key is not null do nothing`;

/**
 * Stores deliveries in their order, in one transaction. A fact that is told again is stored once.
 * @throws Postgres' error; the same may be stored again
 */
export function storeDeliveries(pool: Pool, deliveries: readonly NewDelivery[]): Promise<void> {
  const workflows = [...new Map(deliveries.map(({ workflow }) => [workflow.workflow_id, workflow])).values()];
  const ids = workflows.map(({ workflow_id }) => workflow_id);
  // All have one `created_at`, so that lists have them by their ids: as the facts came.
  const deliveryIds = deliveries.map(() => randomUUID()).sort();
  return inTransaction(pool, async (client) => {
    await addQueues(client, workflows);
    await lockQueues(client, ids);
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
      arrayLiteral(deliveries.map(({ body }) => body)),
    ]);
    await promoteSubjects(
      client,
      deliveries.map(({ workflow: { workflow_id }, subject }) => ({ workflow_id, subject, lane: 1 })),
    );
    await refreshQueues(client, ids);
  });
}
