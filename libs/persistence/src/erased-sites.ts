import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { type AskedStep, stepOnce } from './inbox.js';

/**
 * For the first migration of a service that stores data of sites. A site in the table is erased for good: none of
 * its data is written any more, and existing data may be deleted. Each transaction that writes data of a site
 * calls `erasures_seen()`, which makes it one of `erasure_writers()`: those that may have started to write before they
 * could see a mark. `announce_erasure()` waits for other marks only, so that generations are committed in order.
 * `{schema}` and `{role}` are placeholders (`runSql`).
 */
export const ERASED_SITES_SQL = `
  create table erased_sites (
    site_id uuid primary key,
    generation bigint generated always as identity unique,
    erased_at timestamptz not null default now()
  );

  create function erasures_seen() returns bigint
  language plpgsql volatile set search_path = {schema}, pg_temp as $$
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended('{schema}.erased_sites', 0));
    return (select coalesce(max(generation), 0) from erased_sites);
  end $$;

  create function announce_erasure(site uuid) returns void
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  begin
    if exists (select from erased_sites where site_id = site) then return; end if;
    perform pg_advisory_xact_lock(hashtextextended('{schema}.erased_sites.marks', 0));
    insert into erased_sites (site_id) values (site) on conflict do nothing;
  end $$;

  create function erasure_writers() returns text[]
  language sql volatile set search_path = {schema}, pg_temp as $$
    select coalesce(array_agg(virtualtransaction), '{}') from pg_locks
    where locktype = 'advisory' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and ((classid::bigint << 32) | objid::bigint) = hashtextextended('{schema}.erased_sites', 0)
  $$;

  revoke execute on function erasures_seen(), announce_erasure(uuid), erasure_writers() from public;
  grant execute on function erasures_seen(), announce_erasure(uuid), erasure_writers() to {role};
  grant select on erased_sites to {role}`;

/** Marks sites that the caller has no data of, or whose data is erased by a job besides. */
export async function markErased(pool: Pool, siteIds: readonly string[]): Promise<void> {
  await pool.query(
    `select announce_erasure(site_id) from unnest($1::uuid[]) as given (site_id)
     where not exists (select from erased_sites where erased_sites.site_id = given.site_id)`,
    [siteIds],
  );
}

/** The cursor after the mark: transactions that started before it must end. */
const WRITERS = 'writers';
const POLL_MS = [1, 2, 5, 10, 25, 50];
/** Then the step fails and is repeated, which waits again. */
const MAX_WAIT_MS = 5_000;

export interface ErasureReport {
  readonly cursor: string | null;
}

/**
 * One step of a site's erasure, idempotent as by `stepOnce`. The first step commits the mark, the second waits for
 * the transactions that may not have seen it and then continues. No step blocks other transactions.
 * @param idle a report of no work
 * @param step erases from its cursor, from null at first
 * @throws Postgres' error, or Error when a transaction does not end; the step may be repeated
 */
export function eraseOnce<R extends ErasureReport>(
  pool: Pool,
  asked: AskedStep,
  { siteId, idle }: { readonly siteId: string; readonly idle: R },
  step: (client: ClientBase, cursor: string | null) => Promise<R>,
): Promise<R> {
  return stepOnce(pool, asked, async (client) => {
    if (asked.cursor === null) {
      await client.query('select announce_erasure($1)', [siteId]);
      return { ...idle, cursor: WRITERS };
    }
    if (asked.cursor !== WRITERS) return step(client, asked.cursor);
    await untilWritersEnded(client);
    return step(client, null);
  });
}

/** Transactions that start from now on see the mark, because it is committed. */
export async function untilWritersEnded(client: Pick<ClientBase, 'query'>): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  let left = await writersOf(client);
  for (let polls = 0; left.size > 0; polls += 1) {
    if (performance.now() > deadline) {
      throw new Error('A transaction lasts that may have begun to write before the erasure.');
    }
    await delay(POLL_MS[polls] ?? POLL_MS.at(-1));
    const now = await writersOf(client);
    left = new Set([...left].filter((writer) => now.has(writer)));
  }
}

async function writersOf(client: Pick<ClientBase, 'query'>): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ writers: string[] }>('select erasure_writers() as writers');
  return new Set(rows[0]?.writers);
}

/**
 * The erased sites as a replica knows them: read in full, then incrementally. The cache is valid for a
 * database as long as a connection to it lives. A new connection may lead to a database that was restored to
 * an earlier point, which reuses generation numbers. So each connection is checked a single time.
 */
export class ErasedSites {
  private memory = new Memory();
  private readonly compared = new WeakSet<ClientBase>();

  /**
   * The sites for which the caller's transaction must write nothing; may include some that were erased after
   * it began.
   * @param generation result of `erasures_seen()` in the same transaction
   */
  async at(client: ClientBase, generation: string): Promise<ReadonlySet<string>> {
    if (!this.compared.has(client)) await this.compare(client);
    const { memory } = this;
    if (BigInt(generation) > memory.generation) await readNewer(client, memory);
    return memory.sites;
  }

  /** The same where nothing has to be read for it. */
  known(client: ClientBase, generation: string): ReadonlySet<string> | undefined {
    const { memory } = this;
    return this.compared.has(client) && BigInt(generation) <= memory.generation ? memory.sites : undefined;
  }

  private async compare(client: ClientBase): Promise<void> {
    const { memory } = this;
    const { generation, siteId, erasedAt } = memory;
    if (siteId !== undefined) {
      const { rowCount } = await client.query(
        'select from erased_sites where generation = $1 and site_id = $2 and erased_at = $3::timestamptz',
        [String(generation), siteId, erasedAt],
      );
      // The first connection that finds it invalid clears it for all.
      if (rowCount === 0 && this.memory === memory) this.memory = new Memory();
    }
    this.compared.add(client);
  }
}

/** The sites up to a generation, and what distinguishes it from another generation with the same number. */
class Memory {
  readonly sites = new Set<string>();
  generation = 0n;
  siteId: string | undefined;
  erasedAt: string | undefined;
}

/** Generations commit in order, so that new ones have higher numbers than all known ones. */
async function readNewer(client: ClientBase, memory: Memory): Promise<void> {
  const { rows } = await client.query<{ site_id: string; generation: string; erased_at: string }>(
    'select site_id, generation, erased_at::text from erased_sites where generation > $1 order by generation',
    [String(memory.generation)],
  );
  for (const row of rows) {
    memory.sites.add(row.site_id);
    const generation = BigInt(row.generation);
    if (generation <= memory.generation) continue;
    memory.generation = generation;
    memory.siteId = row.site_id;
    memory.erasedAt = row.erased_at;
  }
}
