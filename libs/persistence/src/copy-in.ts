import type { ClientBase, Connection, Submittable } from 'pg';

/**
 * Sends the rows of `copy … from stdin`: a third of the work of a multi-row insert (measured, see
 * docs/decisions/deduplication.md), in one round trip.
 * @param rows in the text format, or those of `BinaryRows` in the binary one
 */
export function copyIn(client: ClientBase, statement: string, rows: Buffer | string): Promise<void> {
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
function copyMessages(statement: string, rows: Buffer | string): Buffer {
  const queryBytes = LENGTH_BYTES + Buffer.byteLength(statement) + 1;
  const dataBytes = LENGTH_BYTES + Buffer.byteLength(rows);
  const buffer = Buffer.allocUnsafe(1 + queryBytes + 1 + dataBytes + MESSAGE_HEADER_BYTES);
  let offset = beginMessage(buffer, 0, QUERY, queryBytes);
  offset += buffer.write(statement, offset);
  buffer[offset++] = 0;
  offset = beginMessage(buffer, offset, COPY_DATA, dataBytes);
  offset += typeof rows === 'string' ? buffer.write(rows, offset) : rows.copy(buffer, offset);
  beginMessage(buffer, offset, COPY_DONE, LENGTH_BYTES);
  return buffer;
}

function beginMessage(buffer: Buffer, start: number, kind: number, bytes: number): number {
  buffer[start] = kind;
  return buffer.writeInt32BE(bytes, start + 1);
}
