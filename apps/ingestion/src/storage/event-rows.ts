import type { ClientBase, Connection, Submittable } from 'pg';
import type { Candidate } from '../domain/placed-request.js';

/** The table's columns in the order of both statements below, with the parameter type of each. */
const COLUMNS = [
  ['event_id', 'uuid'],
  ['site_id', 'uuid'],
  ['event_type', 'text'],
  ['session_id', 'text'],
  ['user_id', 'text'],
  ['device_id', 'text'],
  ['client_event_id', 'text'],
  ['occurred_at', 'timestamptz'],
  ['received_at', 'timestamptz'],
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

/**
 * Waits for a concurrent transaction with the same event, and skips it: returns only the ids that it stored.
 */
export const INSERT_EVENTS = `insert into events (${NAMES}) select * from unnest(${ARRAYS})
  on conflict do nothing returning event_id`;

/** The rows as COPY reads them. */
export function copyRows(candidates: readonly Candidate[], receivedAt: string): string {
  let text = '';
  for (const candidate of candidates) {
    let separator = '';
    for (const value of rowOf(candidate, receivedAt)) {
      text += separator + copyText(value);
      separator = '\t';
    }
    text += '\n';
  }
  return text;
}

/** The rows as one array per column. */
export function rowArrays(candidates: readonly Candidate[], receivedAt: string): (string | null)[][] {
  const rows = candidates.map((candidate) => rowOf(candidate, receivedAt));
  return COLUMNS.map((_, column) => rows.map((row) => row[column] ?? null));
}

function rowOf({ request, event }: Candidate, receivedAt: string): readonly (string | null)[] {
  return [
    event.event_id,
    request.siteId,
    event.event_type,
    event.session_id,
    event.user_id,
    event.device_id,
    event.client_event_id,
    event.occurred_at,
    receivedAt,
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

/**
 * Sends rows in the text format of `copy … from stdin`: a third of the work of a multi-row insert (measured,
 * see docs/decisions/deduplication.md), in one round trip.
 */
export function copyIn(client: ClientBase, statement: string, rows: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(copyMessages(statement, rows), resolve, reject));
  });
}

const NULL = '\\N';
const SPECIAL = /[\\\n\r\t]/;
const EVERY_SPECIAL = /[\\\n\r\t]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** One column in the text format of COPY. */
export function copyText(value: string | null): string {
  if (value === null) return NULL;
  return SPECIAL.test(value) ? value.replace(EVERY_SPECIAL, (special) => ESCAPES[special] ?? special) : value;
}

/**
 * The interface of custom queries in node-postgres, also used by pg-copy-streams. Statement and rows are sent
 * together: a server that refuses the statement skips the rows (PostgreSQL, "COPY Operations" of the message
 * flow).
 */
class CopyIn implements Submittable {
  /** Set by the driver if its client has a query timeout. */
  callback: (() => void) | undefined;

  constructor(
    private readonly messages: Buffer,
    private readonly resolve: () => void,
    private readonly reject: (error: Error) => void,
  ) {}

  submit(connection: Connection): void {
    connection.stream.write(this.messages);
  }

  handleCopyInResponse(): void {
    // The rows are already sent.
  }

  handleError(error: Error): void {
    this.callback?.();
    this.reject(error);
  }

  handleReadyForQuery(): void {
    this.callback?.();
    this.resolve();
  }

  handleCommandComplete(): void {
    // The number of rows is known: COPY stores all of them or fails.
  }
}

const QUERY = 0x51;
const COPY_DATA = 0x64;
const COPY_DONE = 0x63;
/** Kind and length, where the length counts itself. */
const MESSAGE_HEADER_BYTES = 5;
const LENGTH_BYTES = 4;

/** Query, CopyData and CopyDone in one buffer of their exact size. */
function copyMessages(statement: string, rows: string): Buffer {
  const queryBytes = LENGTH_BYTES + Buffer.byteLength(statement) + 1;
  const dataBytes = LENGTH_BYTES + Buffer.byteLength(rows);
  const buffer = Buffer.allocUnsafe(1 + queryBytes + 1 + dataBytes + MESSAGE_HEADER_BYTES);
  let offset = beginMessage(buffer, 0, QUERY, queryBytes);
  offset += buffer.write(statement, offset);
  buffer[offset++] = 0;
  offset = beginMessage(buffer, offset, COPY_DATA, dataBytes);
  offset += buffer.write(rows, offset);
  beginMessage(buffer, offset, COPY_DONE, LENGTH_BYTES);
  return buffer;
}

function beginMessage(buffer: Buffer, start: number, kind: number, bytes: number): number {
  buffer[start] = kind;
  return buffer.writeInt32BE(bytes, start + 1);
}
