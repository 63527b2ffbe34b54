import type { ClientBase, Pool } from 'pg';

const MINUTE = "interval '1 minute'";

/** How far each integration has been pulled, and its recent calls to its network. */
export class PullStore {
  constructor(private readonly pool: Pool) {}

  /** The end of the completed pulls, in epoch milliseconds; null before the first. */
  async syncedThrough(integrationId: string, siteId: string): Promise<number | null> {
    const { rows } = await this.pool.query<{ synced_through: Date | null }>(
      `with added as (
         insert into pull_states (integration_id, site_id) values ($1, $2) on conflict do nothing)
       select synced_through from pull_states where integration_id = $1`,
      [integrationId, siteId],
    );
    return rows[0]?.synced_through?.getTime() ?? null;
  }

  /**
   * Reserves one of an account's calls per minute, over all replicas.
   * @returns how long to wait for one, in milliseconds; 0 when one was reserved
   */
  async reserveCall(integrationId: string, callsPerMinute: number): Promise<number> {
    const { rowCount } = await this.pool.query(
      `update pull_states set calls = array(
         select call from unnest(calls) as call where call > clock_timestamp() - ${MINUTE}) || clock_timestamp()
       where integration_id = $1
         and (select count(*) from unnest(calls) as call where call > clock_timestamp() - ${MINUTE}) < $2`,
      [integrationId, callsPerMinute],
    );
    if (rowCount === 1) return 0;
    const { rows } = await this.pool.query<{ wait_ms: number }>(
      `select greatest(1, extract(epoch from min(call) + ${MINUTE} - clock_timestamp()) * 1000)::float8 as wait_ms
       from pull_states, unnest(calls) as call
       where integration_id = $1 and call > clock_timestamp() - ${MINUTE}`,
      [integrationId],
    );
    return rows[0]?.wait_ms ?? 1;
  }

  /** In the transaction that stores the last page. */
  async markSynced(client: ClientBase, integrationId: string, throughMs: number): Promise<void> {
    await client.query(
      `update pull_states set synced_through = greatest(synced_through, $2) where integration_id = $1`,
      [integrationId, new Date(throughMs)],
    );
  }
}
