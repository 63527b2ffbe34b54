import { type ClientBase, escapeIdentifier } from 'pg';
import type { StoredKey } from '../domain/placed-request.js';
import type { Partition } from './partition.catalog.js';

/** Partitions asked in one statement, so that no statement grows without bound. */
const MAX_PARTITIONS_AT_ONCE = 64;

interface KeyRow {
  readonly event_id: string;
  readonly received_at: string;
  readonly request_partition: number;
  readonly request_offset: string;
  readonly request_id: string;
  readonly content_hash: string;
}

/** Adds to `known` which of the events the open partition holds. */
export async function findInCurrent(
  client: ClientBase,
  partition: Partition,
  eventIds: readonly string[],
  known: Map<string, StoredKey>,
): Promise<void> {
  const unknown = eventIds.filter((eventId) => !known.has(eventId));
  if (unknown.length === 0) return;
  const { rows } = await client.query<KeyRow>({
    name: `find-in-${partition.tableName}`,
    text: selectKeys(partition, 1),
    values: [unknown],
  });
  remember(rows, known);
}

/**
 * Adds to `known` which of the candidates the closed partitions hold.
 * @returns how many keys were asked about
 */
export async function findInClosed(
  client: ClientBase,
  candidates: ReadonlyMap<Partition, readonly string[]>,
  known: Map<string, StoredKey>,
): Promise<number> {
  const partitions = [...candidates];
  let asked = 0;
  for (let from = 0; from < partitions.length; from += MAX_PARTITIONS_AT_ONCE) {
    const some = partitions.slice(from, from + MAX_PARTITIONS_AT_ONCE);
    const { rows } = await client.query<KeyRow>(
      some.map(([partition], index) => selectKeys(partition, index + 1)).join(' union all '),
      some.map(([, eventIds]) => eventIds),
    );
    remember(rows, known);
    asked += some.reduce((sum, [, eventIds]) => sum + eventIds.length, 0);
  }
  return asked;
}

/** From the partition itself: its unique index answers, and no other partition is even locked. */
function selectKeys({ tableName }: Partition, parameter: number): string {
  return `select event_id, to_char(received_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as received_at,
    request_partition, request_offset, request_id, content_hash
    from ${escapeIdentifier(tableName)} where event_id = any($${parameter}::uuid[])`;
}

function remember(rows: readonly KeyRow[], known: Map<string, StoredKey>): void {
  for (const row of rows) {
    known.set(row.event_id, {
      eventId: row.event_id,
      receivedAt: row.received_at,
      place: { partition: row.request_partition, offset: row.request_offset },
      requestId: row.request_id,
      contentHash: row.content_hash,
    });
  }
}
