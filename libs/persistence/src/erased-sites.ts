import type { ClientBase } from 'pg';

/**
 * For a migration of a service that keeps something of sites. A site that stands in the table is gone for good: nothing
 * of it is written any more, and what was written may be deleted. `erasures_seen()` is called by each transaction that
 * writes something of a site, and `mark_erased()` waits for all of them: whoever called the first before the second
 * returned has committed by then, and whoever calls it later sees the site in the table.
 * `{schema}` and `{role}` are to be replaced.
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

  create function mark_erased(site uuid) returns void
  language plpgsql security definer set search_path = {schema}, pg_temp set lock_timeout = '1s' as $$
  begin
    if exists (select from erased_sites where site_id = site) then return; end if;
    perform pg_advisory_xact_lock(hashtextextended('{schema}.erased_sites', 0));
    insert into erased_sites (site_id) values (site) on conflict do nothing;
  end $$;

  revoke execute on function erasures_seen(), mark_erased(uuid) from public;
  grant execute on function erasures_seen(), mark_erased(uuid) to {role};
  grant select on erased_sites to {role}`;

/**
 * The erased sites as a replica knows them: read once, then only what came since. What is remembered holds for a database
 * as long as a connection to it lives; behind a new connection there may be one that was restored to an earlier point,
 * where the same generations are given again. So each connection is asked once whether it still has what is remembered.
 */
export class ErasedSites {
  private memory = new Memory();
  private readonly compared = new WeakSet<ClientBase>();

  /**
   * The sites for which the caller's transaction must write nothing; perhaps some that were erased after it began.
   * @param generation what `erasures_seen()` said in this very transaction
   */
  async at(client: ClientBase, generation: string): Promise<ReadonlySet<string>> {
    if (!this.compared.has(client)) await this.compare(client);
    const { memory } = this;
    if (BigInt(generation) > memory.generation) await readNewer(client, memory);
    return memory.sites;
  }

  private async compare(client: ClientBase): Promise<void> {
    const { memory } = this;
    const { generation, siteId, erasedAt } = memory;
    if (siteId !== undefined) {
      const { rowCount } = await client.query(
        'select from erased_sites where generation = $1 and site_id = $2 and erased_at = $3::timestamptz',
        [String(generation), siteId, erasedAt],
      );
      // Whoever finds it gone first forgets it for all.
      if (rowCount === 0 && this.memory === memory) this.memory = new Memory();
    }
    this.compared.add(client);
  }
}

/** The sites up to a generation, and what tells this generation from another one with its number. */
class Memory {
  readonly sites = new Set<string>();
  generation = 0n;
  siteId: string | undefined;
  erasedAt: string | undefined;
}

/** Generations are committed in their order, so that whatever is new has a higher one than all that is known. */
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
