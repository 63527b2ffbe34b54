import pg from 'pg';

/**
 * Sends statements, of which one is `copy … from stdin`, together with its rows, in one round trip; `copy` is a third of the
 * work of a multi-row insert (measured, see docs/decisions/deduplication.md). A server that fails before or at the `copy` skips
 * the rows (PostgreSQL, "COPY Operations" of the message flow).
 * @param rows in the text format, or those of `BinaryRows` in the binary one
 * @returns the rows of the first statement that has some
 */
export function copyIn<R extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statements: string,
  rows: Buffer | string,
): Promise<readonly R[]> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(statements, (error, results) => {
      if (error instanceof Error) reject(error);
      else resolve(rowsOfFirst<R>(results));
    });
    const messages = copyMessages(statements, rows);
    client.query(
      Object.assign(query, {
        submit: ({ stream }: pg.Connection) => void stream.write(messages),
        // The rows are already sent.
        handleCopyInResponse: () => undefined,
      }),
    );
  });
}

/** Several statements in one query return a list of results. */
function rowsOfFirst<R extends pg.QueryResultRow>(results: unknown): readonly R[] {
  const all = (Array.isArray(results) ? results : [results]) as pg.QueryResult<R>[];
  return all.find(({ rows }) => rows.length > 0)?.rows ?? [];
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
