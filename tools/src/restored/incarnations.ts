import {
  connectionOf,
  currentIncarnation,
  firstIncarnationSince,
  type Incarnation,
  inTransaction,
  markRewound,
  reportRestore,
  type Restore,
} from '@truetally/persistence';
import pg from 'pg';

/** A service's schema, with a connection of the database's owner. */
export interface Schema {
  readonly schema: string;
  readonly pool: pg.Pool;
}

export interface SchemaIncarnation extends Incarnation {
  readonly schema: string;
}

const STATEMENT_TIMEOUT_MS = 60_000;

/** @throws Error that names the schemas without a table of incarnations */
export async function openSchemas(databaseUrl: string, names: readonly string[]): Promise<readonly Schema[]> {
  const schemas = names.map((schema) => ({ schema, pool: poolOf(databaseUrl, schema) }));
  try {
    const missing: string[] = [];
    for (const { schema, pool } of schemas) {
      const { rows } = await pool.query<{ is_there: boolean }>(
        `select to_regclass('incarnations') is not null as is_there`,
      );
      if (rows[0]?.is_there !== true) missing.push(schema);
    }
    if (missing.length === 0) return schemas;
    throw new Error(`no table of incarnations in ${missing.join(', ')}: restore and migrate them first.`);
  } catch (error) {
    await Promise.all(schemas.map(({ pool }) => pool.end()));
    throw error;
  }
}

/** Begins an incarnation in each schema, none again for the same restore. */
export async function beginIncarnations(
  schemas: readonly Schema[],
  restore: Restore,
): Promise<readonly SchemaIncarnation[]> {
  const begun: SchemaIncarnation[] = [];
  for (const { schema, pool } of schemas) {
    const incarnation = await inTransaction(pool, (client) => currentIncarnation(client, restore));
    begun.push({ schema, ...incarnation });
  }
  return begun;
}

/**
 * Tells every schema what was published since the restore: under no earlier incarnation than the first of any schema.
 * @returns that incarnation
 */
export async function reportRestores(schemas: readonly Schema[], restoredTo: Date): Promise<number> {
  const firsts: number[] = [];
  for (const { pool } of schemas) firsts.push(await firstIncarnationSince(pool, restoredTo));
  const firstIncarnation = Math.min(...firsts);
  for (const { pool } of schemas) await reportRestore(pool, { restoredTo, firstIncarnation });
  return firstIncarnation;
}

/** Ends the warning of the services (`RestoredWithoutRewind`). */
export async function markAllRewound(schemas: readonly Schema[]): Promise<void> {
  for (const { pool } of schemas) {
    await inTransaction(pool, async (client) => {
      await markRewound(client, await currentIncarnation(client));
    });
  }
}

function poolOf(databaseUrl: string, schema: string): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOf(databaseUrl),
    max: 1,
    application_name: 'restored',
    statement_timeout: STATEMENT_TIMEOUT_MS,
    options: `-c search_path=${schema} -c timezone=UTC`,
  });
  // A connection may break between two statements; the next statement reports it.
  pool.on('error', () => undefined);
  return pool;
}
