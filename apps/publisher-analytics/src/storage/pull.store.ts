import type { ClientBase, Pool } from 'pg';

const MINUTE = "interval '1 minute'";

/** A call that may be made now, with the number of parts stored so far; or when to ask for one again. */
export type ReservedCall = { readonly parts: bigint } | { readonly waitMs: number };

/** How far each integration has been pulled, and its recent calls to its network. */
export class PullStore {
  constructor(private readonly pool: Pool) {}

  /**
   * The end of the completed pulls, in epoch milliseconds; null before the first.
   * @param version of the integration's settings: pulls with others may have been of another account
   */
  async syncedThrough(integrationId: string, siteId: string, version: number): Promise<number | null> {
    const { rows } = await this.pool.query<{ synced_through: Date | null }>(
      `with added as (
         insert into pull_states (integration_id, site_id) values ($1, $2) on conflict do nothing)
       select synced_through from pull_states where integration_id = $1 and version = $3`,
      [integrationId, siteId, version],
    );
    return rows[0]?.synced_through?.getTime() ?? null;
  }

  /** Reserves one of an account's calls per minute, over all replicas. */
  async reserveCall(integrationId: string, callsPerMinute: number): Promise<ReservedCall> {
    const reserved = await this.pool.query<{ parts: string }>(
      `update pull_states set calls = array(
         select call from unnest(calls) as call where call > clock_timestamp() - ${MINUTE}) || clock_timestamp()
       where integration_id = $1
         and (select count(*) from unnest(calls) as call where call > clock_timestamp() - ${MINUTE}) < $2
       returning parts::text`,
      [integrationId, callsPerMinute],
    );
    const [call] = reserved.rows;
    if (call !== undefined) return { parts: BigInt(call.parts) };
    const { rows } = await this.pool.query<{ wait_ms: number }>(
      `select greatest(1, extract(epoch from min(call) + ${MINUTE} - clock_timestamp()) * 1000)::float8 as wait_ms
       from pull_states, unnest(calls) as call
       where integration_id = $1 and call > clock_timestamp() - ${MINUTE}`,
      [integrationId],
    );
    return { waitMs: rows[0]?.wait_ms ?? 1 };
  }

  /**
   * In the transaction that stores a part of an answer: an answer that was asked for before another one was stored may
   * be older than it, and must not be.
   * @param parts how many were stored when the answer was asked for, with those of the answer itself
   * @returns whether no other one was stored since
   */
  async countPart(client: ClientBase, integrationId: string, parts: bigint): Promise<boolean> {
    const { rowCount } = await client.query(
      'update pull_states set parts = parts + 1 where integration_id = $1 and parts = $2',
      [integrationId, String(parts)],
    );
    return rowCount === 1;
  }

  /** In the transaction that stores the last page. */
  async markSynced(
    client: ClientBase,
    integrationId: string,
    { untilMs, version }: { readonly untilMs: number; readonly version: number },
  ): Promise<void> {
    await client.query(
      `update pull_states set version = $3,
         synced_through = case when version = $3 then greatest(synced_through, $2) else $2 end
       where integration_id = $1 and (version is null or version <= $3)`,
      [integrationId, new Date(untilMs), version],
    );
  }
}
