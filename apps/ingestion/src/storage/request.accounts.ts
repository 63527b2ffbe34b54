import { type ClientBase, escapeLiteral } from 'pg';
import type { SiteCounts } from '../domain/count-requests.js';
import { nameOf, type SettledRequest } from '../domain/settle-requests.js';

const REMEMBER = `
  insert into handled_requests (request_partition, request_offset, request_id)
  select * from unnest($1::integer[], $2::bigint[], $3::text[])
  on conflict do nothing returning request_partition, request_offset, request_id`;

/**
 * A request that stored a row is known by that row. One that stored none (replays, or refused items only) leaves its
 * name here, in the transaction that counts it.
 * @returns whether a request is handled now for the first time
 */
export async function rememberRequests(
  client: ClientBase,
  settled: readonly SettledRequest[],
): Promise<(request: SettledRequest) => boolean> {
  const nameless = settled.filter((one) => one.evidence === 'unknown').map((one) => one.request);
  if (nameless.length === 0) return (one) => one.evidence === 'stores-now';
  const inOrder = nameless.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const { rows } = await client.query<{
    request_partition: number;
    request_offset: string;
    request_id: string;
  }>({
    name: 'remember-requests',
    text: REMEMBER,
    values: [
      inOrder.map((request) => request.place.partition),
      inOrder.map((request) => request.place.offset),
      inOrder.map((request) => request.requestId),
    ],
  });
  const names = new Set(
    rows.map((row) => `${row.request_partition}/${row.request_offset}/${row.request_id}`),
  );
  return (one) =>
    one.evidence === 'stores-now' || (one.evidence === 'unknown' && names.has(nameOf(one.request)));
}

/**
 * Adds to the counters, as a statement that goes with the commit. Each connection has rows of its own, so that storing
 * transactions never wait for one another's counters.
 */
export function countStatement(receivedAt: string, counts: readonly SiteCounts[]): string {
  if (counts.length === 0) return '';
  const rows = counts.map(
    ({ siteId, received, stored, deduplicated, failed }) =>
      `(${escapeLiteral(siteId)}::uuid, date_trunc('hour', ${escapeLiteral(receivedAt)}::timestamptz, 'UTC'),
        pg_backend_pid(), ${received}, ${stored}, ${deduplicated}, ${failed})`,
  );
  return `
    insert into event_counts as counts (site_id, hour, writer, received, stored, deduplicated, failed)
    values ${rows.join(', ')}
    on conflict (site_id, hour, writer) do update set
      received = counts.received + excluded.received,
      stored = counts.stored + excluded.stored,
      deduplicated = counts.deduplicated + excluded.deduplicated,
      failed = counts.failed + excluded.failed`;
}
