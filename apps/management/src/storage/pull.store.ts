import type { IntegrationAccess, RecordSync } from '@truetally/contracts/publisher';
import type { Queryable } from '@truetally/resource';
import { deleteOlder } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { INTEGRATION_TABLE } from './integration.store.js';

/** How long repeated signed messages are recognised: far longer than their time is accepted. */
const KEEP_MESSAGES = '1 day';

/** An integration that is due for a pull. */
export interface DueIntegration {
  readonly id: string;
  readonly siteId: string;
  readonly workspaceId: string;
}

/**
 * Takes due integrations of sites in active publisher mode, and sets their next time: concurrent callers get
 * different ones. An integration with a running pull is skipped until its next time.
 */
export async function takeDueIntegrations(
  client: ClientBase,
  intervalSeconds: number,
  limit: number,
): Promise<readonly DueIntegration[]> {
  const { rows } = await client.query<{ id: string; site_id: string; workspace_id: string; busy: boolean }>(
    `with due as (
       select i.id from integrations i
       join sites s on s.site_id = i.site_id join workspaces w on w.workspace_id = i.workspace_id
       where i.next_pull_at <= clock_timestamp() and s.deleted_at is null and w.deleted_at is null
         and s.publisher_mode = 'active' and not w.is_suspended
       order by i.next_pull_at limit $2 for update of i skip locked)
     update integrations i set next_pull_at = clock_timestamp() + make_interval(secs => $1)
     from due where due.id = i.id
     returning i.id, i.site_id, i.workspace_id, exists (
       select from jobs where jobs.workspace_id = i.workspace_id and finished_at is null
         and type = 'settlements.pull' and params->'integration_ids' ? i.id::text) as busy`,
    [intervalSeconds, limit],
  );
  return rows
    .filter(({ busy }) => !busy)
    .map((row) => ({ id: row.id, siteId: row.site_id, workspaceId: row.workspace_id }));
}

/** The integrations of a site, or the named one. */
export async function integrationsToPull(
  client: ClientBase,
  siteId: string,
  integrationId: string | null,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    'select id from integrations where site_id = $1 and ($2::uuid is null or id = $2) order by id',
    [siteId, integrationId],
  );
  return rows.map((row) => row.id);
}

const ACCESS = INTEGRATION_TABLE.only('site_id', 'provider', 'base_url', 'key_id', 'sealed');

/** An integration for a pull, for services only. */
export async function findIntegrationAccess(
  client: Queryable,
  id: string,
): Promise<IntegrationAccess | undefined> {
  const { rows } = await client.query(`select ${ACCESS.selection()} from integrations where id = $1`, [id]);
  return rows.map(ACCESS.read).map(({ key_id, sealed, ...access }) => ({
    ...access,
    credentials: { key_id, sealed },
  }))[0];
}

/** Records the outcome of a pull. An older one does not replace a newer one. */
export async function storeSync(
  client: Queryable,
  { integration_id: id, outcome, error, at }: RecordSync,
): Promise<void> {
  if (outcome === 'synced') {
    await client.query(
      `update integrations set status = 'connected', last_error = null,
         last_sync_at = greatest(coalesce(last_sync_at, $2), $2)
       where id = $1`,
      [id, new Date(at)],
    );
    return;
  }
  await client.query(
    `update integrations set last_error = $2, status = case when $3 then 'failing' else status end
     where id = $1 and (last_sync_at is null or last_sync_at <= $4)`,
    [id, error, outcome === 'refused', new Date(at)],
  );
}

/** @returns whether it is new */
export async function takeWorkerMessage(client: ClientBase, messageId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'insert into worker_messages (message_id) values ($1) on conflict do nothing',
    [messageId],
  );
  return rowCount === 1;
}

/** Deletes a bounded number of expired messages. */
export function forgetWorkerMessages(client: Queryable): Promise<boolean> {
  return deleteOlder(client, {
    table: 'worker_messages',
    key: 'message_id',
    time: 'received_at',
    keep: KEEP_MESSAGES,
  });
}
