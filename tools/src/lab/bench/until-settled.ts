import pg from 'pg';
import type { ProductStack } from './product-stack.js';
import { untilAllIsRead } from './until-read.js';

type Settling = Pick<ProductStack, 'brokers' | 'databaseUrl'>;

/** Below, autovacuum leaves a table alone. */
const LEAST_ROWS = 1_000;
const TO_VACUUM = `n_ins_since_vacuum + n_dead_tup > ${LEAST_ROWS}`;
const TO_ANALYZE = `n_mod_since_analyze > ${LEAST_ROWS}`;

/**
 * Resolves when every group has read everything, and Postgres has vacuumed what was stored. By itself it vacuums a minute after a
 * load has begun, all rows since then at once, in the middle of whichever measurement comes then.
 */
export async function untilAllIsDone(stack: Settling): Promise<void> {
  await untilAllIsRead(stack);
  await onTables(stack, 'vacuum', TO_VACUUM);
}

/**
 * The same, and nothing is left that Postgres would do by itself in the next measurement. A table's statistics are taken each time
 * that it has grown by a tenth, from as many rows whatever its size: no cost of an event in a large one. Behind a checkpoint the used
 * files of its log are written again, as in any installation that has run for an hour; a new one is filled and synced while every
 * commit waits.
 */
export async function untilAllIsSettled(stack: Settling): Promise<void> {
  await untilAllIsDone(stack);
  await onTables(stack, 'analyze', TO_ANALYZE);
  await withOwner(stack, async (owner) => void (await owner.query('checkpoint')));
}

async function onTables(stack: Settling, command: 'analyze' | 'vacuum', condition: string): Promise<void> {
  await withOwner(stack, async (owner) => {
    const { rows } = await owner.query<{ name: string }>(
      `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables where ${condition}`,
    );
    for (const { name } of rows) await owner.query(`${command} ${name}`);
  });
}

async function withOwner(
  { databaseUrl }: Settling,
  work: (owner: pg.Client) => Promise<void>,
): Promise<void> {
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    await work(owner);
  } finally {
    await owner.end();
  }
}
