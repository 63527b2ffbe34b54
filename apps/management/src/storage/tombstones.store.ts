import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';

const POLL_MS = 20;
/**
 * A relay publishes within some tens of milliseconds, or within its two seconds when nobody told it; then the caller's
 * job is tried again later.
 */
const MAX_WAIT_MS = 5_000;

const WAITING = `
  select exists (select from outbox where topic = $1 and value is null and starts_with(key, $2::text)) as is_queued,
    exists (select from outbox_set_aside where topic = $1 and value is null and workspace_id::text = $2) as is_refused`;

/**
 * Waits until the tombstones of a workspace are published.
 * @throws Error when they are not within five seconds, or when Kafka refuses one; an operator then has to replay or discard
 * it (docs/decisions/outbox.md)
 */
export async function tombstonesGone(client: ClientBase, topic: string, workspaceId: string): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const { rows } = await client.query<{ is_queued: boolean; is_refused: boolean }>(WAITING, [
      topic,
      workspaceId,
    ]);
    const { is_queued: isQueued = false, is_refused: isRefused = false } = rows[0] ?? {};
    if (isRefused)
      throw new Error(`Kafka refuses a tombstone on ${topic}: replay or discard the set-aside fact.`);
    if (!isQueued) return;
    if (performance.now() > deadline) throw new Error(`A tombstone on ${topic} is not published yet.`);
    await delay(POLL_MS);
  }
}
