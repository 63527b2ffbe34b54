import { copyText } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { Candidate } from '../domain/placed-request.js';

/**
 * The table's columns in the order of both statements below, with the parameter type of each. The time of storage is the
 * transaction's (`open_store`).
 */
const COLUMNS = [
  ['event_id', 'uuid'],
  ['site_id', 'uuid'],
  ['event_type', 'text'],
  ['session_id', 'text'],
  ['user_id', 'text'],
  ['device_id', 'text'],
  ['client_event_id', 'text'],
  ['occurred_at', 'timestamptz'],
  ['trust', 'text'],
  ['is_bot', 'boolean'],
  ['request_id', 'text'],
  ['request_index', 'smallint'],
  ['request_partition', 'integer'],
  ['request_offset', 'bigint'],
  ['correlation_id', 'text'],
  ['content_hash', 'bigint'],
  ['properties', 'json'],
  ['context', 'json'],
] as const;

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const ARRAYS = COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');

/** Fails with a unique violation if any of the rows exists. */
export const COPY_EVENTS = `copy events (${NAMES}) from stdin`;

const INSERT_EVENTS = `insert into events (${NAMES}) select * from unnest(${ARRAYS})
  on conflict do nothing returning event_id`;

/** The slow path after a collision: waits for the other transaction and skips what it stored. */
export async function insertEvents(
  client: ClientBase,
  candidates: readonly Candidate[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ event_id: string }>({
    name: 'insert-events',
    text: INSERT_EVENTS,
    values: rowArrays(candidates),
  });
  const stored = new Set(rows.map((row) => row.event_id));
  return candidates.map(({ event }) => event.event_id).filter((eventId) => !stored.has(eventId));
}

/** The rows as COPY reads them. */
export function copyRows(candidates: readonly Candidate[]): string {
  let text = '';
  for (const candidate of candidates) {
    let separator = '';
    for (const value of rowOf(candidate)) {
      text += separator + copyText(value);
      separator = '\t';
    }
    text += '\n';
  }
  return text;
}

/** The rows as one array per column. */
function rowArrays(candidates: readonly Candidate[]): (string | null)[][] {
  const rows = candidates.map((candidate) => rowOf(candidate));
  return COLUMNS.map((_, column) => rows.map((row) => row[column] ?? null));
}

function rowOf({ request, event }: Candidate): readonly (string | null)[] {
  return [
    event.event_id,
    request.siteId,
    event.event_type,
    event.session_id,
    event.user_id,
    event.device_id,
    event.client_event_id,
    event.occurred_at,
    request.trust,
    event.is_bot ? 't' : 'f',
    request.requestId,
    event.index === null ? null : String(event.index),
    String(request.place.partition),
    request.place.offset,
    request.correlationId,
    event.content_hash,
    event.properties,
    event.context,
  ];
}
