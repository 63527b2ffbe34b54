import { type ClientBase, escapeIdentifier } from 'pg';
import type { StoredKey } from '../domain/placed-request.js';
import type { Partition } from './partition-catalog.js';

/** Partitions per statement, which bounds its size. */
const MAX_PARTITIONS_AT_ONCE = 64;
/** Up to this number they are queried individually: a statement has a cost per partition, used or not. */
const MAX_PARTITIONS_ONE_BY_ONE = 8;

interface KeyRow {
  readonly event_id: string;
  readonly received_at: string;
  readonly correlation_id: string;
  readonly content_hash: string;
}

/** Adds the events in one partition to `known`. */
export async function findInPartition(
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
 * Queries closed partitions: the few that the filter names or, while filters are missing, most of them.
 * Planning a statement over some thirty partitions costs more than running it, so that it is prepared once
 * per connection for all of them, and those without a candidate get an empty array.
 */
export class ClosedLookup {
  private partitions: readonly Partition[] | undefined;
  private statements: readonly ClosedStatement[] = [];
  private generation = 0;
  private readonly prepared = new WeakMap<ClientBase, readonly ClosedStatement[]>();

  /**
   * Adds the candidates that the partitions contain to `known`.
   * @param searched all partitions that can have candidates; the same array while they are unchanged
   * @returns the number of keys that were looked up
   */
  async find(
    client: ClientBase,
    searched: readonly Partition[],
    candidates: ReadonlyMap<Partition, readonly string[]>,
    known: Map<string, StoredKey>,
  ): Promise<number> {
    let asked = 0;
    for (const eventIds of candidates.values()) asked += eventIds.length;
    if (candidates.size <= MAX_PARTITIONS_ONE_BY_ONE) {
      for (const [partition, eventIds] of candidates)
        await findInPartition(client, partition, eventIds, known);
    } else {
      await this.findInMany(client, searched, candidates, known);
    }
    return asked;
  }

  private async findInMany(
    client: ClientBase,
    searched: readonly Partition[],
    candidates: ReadonlyMap<Partition, readonly string[]>,
    known: Map<string, StoredKey>,
  ): Promise<void> {
    this.prepareFor(searched);
    await this.forgetOlder(client);
    for (const { name, text, partitions } of this.statements) {
      const values = partitions.map((partition) => candidates.get(partition) ?? []);
      if (values.every((eventIds) => eventIds.length === 0)) continue;
      const { rows } = await client.query<KeyRow>({ name, text, values });
      remember(rows, known);
    }
  }

  private prepareFor(searched: readonly Partition[]): void {
    if (this.partitions === searched) return;
    this.partitions = searched;
    this.generation += 1;
    const statements: ClosedStatement[] = [];
    for (let from = 0; from < searched.length; from += MAX_PARTITIONS_AT_ONCE) {
      const partitions = searched.slice(from, from + MAX_PARTITIONS_AT_ONCE);
      const text = partitions.map((partition, index) => selectKeys(partition, index + 1)).join(' union all ');
      statements.push({ name: `find-closed-${this.generation}-${from}`, text, partitions });
    }
    this.statements = statements;
  }

  /** Otherwise statements of earlier days would stay on the connection for its whole life. */
  private async forgetOlder(client: ClientBase): Promise<void> {
    const older = this.prepared.get(client);
    const { statements } = this;
    if (older === statements) return;
    this.prepared.set(client, statements);
    if (older === undefined) return;
    const { rows } = await client.query<{ name: string }>(
      'select name from pg_prepared_statements where name = any($1)',
      [older.map(({ name }) => name)],
    );
    for (const { name } of rows) await client.query(`deallocate ${escapeIdentifier(name)}`);
  }
}

interface ClosedStatement {
  readonly name: string;
  readonly text: string;
  readonly partitions: readonly Partition[];
}

/** Directly from the partition: its unique index answers, and no other partition is locked. */
function selectKeys({ tableName }: Partition, parameter: number): string {
  return `select event_id, to_char(received_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as received_at,
    correlation_id, content_hash
    from ${escapeIdentifier(tableName)} where event_id = any($${parameter}::uuid[])`;
}

function remember(rows: readonly KeyRow[], known: Map<string, StoredKey>): void {
  for (const row of rows) {
    known.set(row.event_id, {
      eventId: row.event_id,
      receivedAt: row.received_at,
      correlationId: row.correlation_id,
      contentHash: row.content_hash,
    });
  }
}
