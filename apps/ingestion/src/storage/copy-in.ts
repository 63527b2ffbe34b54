import type { ClientBase, Connection, Submittable } from 'pg';

/**
 * Sends rows in the text format to `copy … from stdin`: a third of the work of a multi-row insert (measured, see
 * docs/decisions/deduplication.md), in one round trip.
 */
export function copyIn(client: ClientBase, statement: string, rows: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(statement, rows, resolve, reject));
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

/** What node-postgres calls on a query of one's own, as pg-copy-streams has it too. */
class CopyIn implements Submittable {
  constructor(
    private readonly statement: string,
    private readonly rows: string,
    private readonly resolve: () => void,
    private readonly reject: (error: Error) => void,
  ) {}

  submit(connection: Connection): void {
    if (!canCopy(connection)) throw new Error('This version of node-postgres does not copy.');
    connection.query(this.statement);
  }

  handleCopyInResponse(connection: Connection): void {
    if (!canCopy(connection)) throw new Error('This version of node-postgres does not copy.');
    connection.sendCopyFromChunk(Buffer.from(this.rows));
    connection.endCopyFrom();
  }

  handleError(error: Error): void {
    this.reject(error);
  }

  handleReadyForQuery(): void {
    this.resolve();
  }

  handleCommandComplete(): void {
    // The number of rows is known: COPY takes all of them or fails.
  }
}

interface CopyingConnection extends Connection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

function canCopy(connection: Connection): connection is CopyingConnection {
  return 'sendCopyFromChunk' in connection && 'endCopyFrom' in connection;
}
