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
  const query: CopyQuery = new CopyQuery(statements, copyMessages(statements, rows), (error, results) => {
    query.settle(error, results);
  });
  const answer = query.answer();
  client.query(query);
  return answer.then((results) => rowsOfFirst<R>(results));
}

/**
 * V8 makes a function in the old space that stands in an object literal or is assigned to a property, as the driver does for
 * its timeout of each query. Small collections take it for alive, with all that it leads to: a class needs no such function,
 * and a query that is settled leads to nothing (docs/benchmarks/profiles.md).
 */
class CopyQuery extends pg.Query {
  private resolve: ((results: unknown) => void) | undefined;
  private reject: ((error: Error) => void) | undefined;

  constructor(
    statements: string,
    private messages: Buffer | undefined,
    done: (error: Error | undefined, results: unknown) => void,
  ) {
    super(statements, done);
  }

  answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  settle(error: Error | null | undefined, results: unknown): void {
    if (error instanceof Error) this.reject?.(error);
    else this.resolve?.(results);
    this.resolve = this.reject = this.messages = undefined;
  }

  send({ stream }: pg.Connection): void {
    if (this.messages !== undefined) stream.write(this.messages);
    this.messages = undefined;
  }

  /** The rows are already sent. */
  handleCopyInResponse(): void {
    return undefined;
  }
}

CopyQuery.prototype.submit = CopyQuery.prototype.send;

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
