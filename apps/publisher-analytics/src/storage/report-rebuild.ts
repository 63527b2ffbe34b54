import { inTransaction } from '@truetally/persistence';
import type { ClientBase, Pool, QueryConfig } from 'pg';
import { recompute, type RecomputeSizes } from './recompute.js';
import { addToReports } from './report-writes.js';
import type { SiteScopes } from './site-scope.js';

/** A site with many clicks takes minutes, during which its clicks wait. A change of time zone is rare. */
const STATEMENT_TIMEOUT_MS = 3_600_000;
/** The driver waits longer than Postgres, which says why it gave up. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 60_000;
/** Idle timeout while rows are added up; a disconnected process still releases the site. */
const SILENCE_MS = 120_000;

/** Keeps a site's sums by the days of its time zone, also after a change of the zone. */
export class ReportRebuild {
  constructor(
    private readonly pool: Pool,
    private readonly scopes: SiteScopes,
    private readonly sizes: RecomputeSizes = {},
  ) {}

  /**
   * Recomputes a site's sums if they are in another zone; does nothing for a site without facts.
   * @returns whether they were
   */
  moveTo(siteId: string, timeZone: string): Promise<boolean> {
    return inTransaction(this.pool, async (connection) => {
      const client = waitingForLong(connection);
      const moved = `select from site_calendars where site_id = $1 and timezone <> $2`;
      const values = [siteId, timeZone];
      if ((await client.query(moved, values)).rowCount === 0) return false;
      await client.query(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
      await client.query(`set local idle_in_transaction_session_timeout = ${SILENCE_MS}`);
      const { erased } = await this.scopes.openForAll(client, siteId);
      // Another replica may have been faster.
      if (erased.has(siteId) || (await client.query(moved, values)).rowCount === 0) return false;
      await client.query('update site_calendars set timezone = $2 where site_id = $1', values);
      await client.query('delete from report_totals where site_id = $1', [siteId]);
      await client.query('delete from report_items where site_id = $1', [siteId]);
      const calendar = this.scopes.calendar(timeZone);
      await recompute(client, siteId, calendar, (part) => addToReports(client, part), this.sizes);
      return true;
    });
  }
}

/** The same connection, whose statements may each take longer than those of other transactions. */
function waitingForLong(connection: ClientBase): ClientBase {
  // The driver supports `query_timeout` per query; its types only per connection.
  const query = (text: string, values?: unknown[]) => {
    const asked: QueryConfig & { readonly query_timeout: number } = {
      text,
      values: values ?? [],
      query_timeout: QUERY_TIMEOUT_MS,
    };
    return connection.query(asked);
  };
  return Object.create(connection, { query: { value: query } }) as ClientBase;
}
