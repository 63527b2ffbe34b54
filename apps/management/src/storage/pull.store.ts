import { type IntegrationProvider, PRODUCT_FEED } from '@truetally/contracts/management';
import type { IntegrationAccess, RecordSync } from '@truetally/contracts/publisher';
import type { Queryable } from '@truetally/resource';
import { deleteOlder } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { INTEGRATION_TABLE } from './integration.store.js';

/** Between two pulls of an integration whose pulls fail: each failure in a row doubles the usual time. */
const LONGEST_PAUSE_SECONDS = 86_400;
/** Until a network whose settings were changed during a pull is asked for again, as often as that still runs. */
const CHANGED_PAUSE_SECONDS = 60;
/** How long repeated signed messages are recognised: far longer than their time is accepted. */
const KEEP_MESSAGES = '1 day';

/** Time between two pulls of an integration, by what it is of. */
export interface PullIntervals {
  readonly networkSeconds: number;
  readonly feedSeconds: number;
}

/** An integration that is due for a pull. */
export interface DueIntegration {
  readonly id: string;
  readonly provider: IntegrationProvider;
  readonly siteId: string;
  readonly workspaceId: string;
}

interface DueRow {
  readonly id: string;
  readonly provider: IntegrationProvider;
  readonly site_id: string;
  readonly workspace_id: string;
  readonly busy: boolean;
}

const DUE = `
  from integrations i
  join sites s on s.site_id = i.site_id join workspaces w on w.workspace_id = i.workspace_id
  where i.next_pull_at <= clock_timestamp() and s.deleted_at is null and w.deleted_at is null
    and (s.publisher_mode = 'active' or i.provider = '${PRODUCT_FEED}') and not w.is_suspended`;

/** Whether one is due: that costs a third of a transaction that takes none. @throws Postgres' error */
export async function isAnyPullDue(client: Queryable): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>({
    name: 'is-any-pull-due',
    text: `select exists (select ${DUE}) as found`,
  });
  return rows[0]?.found === true;
}

/**
 * Takes due integrations (those with networks of sites in active publisher mode), and sets their next time: concurrent
 * callers get different ones. An integration with a running pull is skipped until its next time.
 */
export async function takeDueIntegrations(
  client: ClientBase,
  { networkSeconds, feedSeconds }: PullIntervals,
  limit: number,
): Promise<readonly DueIntegration[]> {
  // A running pull of a network goes on by the settings that it began with: those that it has since are tried soon after it.
  // Named: it is asked every two seconds, and its plan costs more than its run.
  const { rows } = await client.query<DueRow>({
    name: 'take-due-integrations',
    text: `with due as (
       select i.id ${DUE}
       order by i.next_pull_at limit $3 for update of i skip locked)
     update integrations i set next_pull_at = clock_timestamp() + make_interval(secs => case
       when busy and i.status = 'pending' and i.provider <> '${PRODUCT_FEED}' then ${CHANGED_PAUSE_SECONDS}
       else greatest(usual.seconds, least(usual.seconds * 2 ^ i.failures, ${LONGEST_PAUSE_SECONDS})) end)
     from due cross join lateral (
       select case when i2.provider = '${PRODUCT_FEED}' then $2::float8 else $1::float8 end as seconds, exists (
         select from jobs where jobs.workspace_id = i2.workspace_id and finished_at is null
           and type in ('settlements.pull', 'products.sync') and params->'integration_ids' ? i2.id::text) as busy
       from integrations i2 where i2.id = due.id) usual
     where due.id = i.id
     returning i.id, i.provider, i.site_id, i.workspace_id, busy`,
    values: [networkSeconds, feedSeconds, limit],
  });
  return rows
    .filter(({ busy }) => !busy)
    .map((row) => ({
      id: row.id,
      provider: row.provider,
      siteId: row.site_id,
      workspaceId: row.workspace_id,
    }));
}

/** The integrations of a site with one of these providers, or the named one if it has. */
export async function integrationsToPull(
  client: ClientBase,
  siteId: string,
  integrationId: string | null,
  providers: readonly IntegrationProvider[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from integrations
     where site_id = $1 and ($2::uuid is null or id = $2) and provider = any($3) order by id`,
    [siteId, integrationId, providers],
  );
  return rows.map((row) => row.id);
}

/** A reading that was asked for now stands for the next one that is due. */
export async function postponePulls(
  client: ClientBase,
  ids: readonly string[],
  feedSeconds: number,
): Promise<void> {
  await client.query(
    `update integrations set next_pull_at = greatest(next_pull_at, clock_timestamp() + make_interval(secs => $2))
     where id = any($1)`,
    [ids, feedSeconds],
  );
}

const ACCESS = INTEGRATION_TABLE.only('site_id', 'provider', 'base_url', 'key_id', 'sealed', 'version');

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

/** A pull by former settings, or a reading of a feed, says nothing of those that it has. */
const ofItsSettings = (told: string): string => `coalesce(${told} = version, true) and not exists (
  select from feeds where feeds.integration_id = integrations.id and feeds.run_version <> integrations.version)`;

/** Records the outcome of a pull. An older one does not replace a newer one. */
export async function storeSync(
  client: Queryable,
  { integration_id: id, version, outcome, error, at }: RecordSync,
): Promise<void> {
  if (outcome === 'synced') {
    await client.query(
      `update integrations set status = 'connected', last_error = null, failures = 0,
         last_sync_at = greatest(coalesce(last_sync_at, $2), $2)
       where id = $1 and ${ofItsSettings('$3::integer')}`,
      [id, new Date(at), version],
    );
    return;
  }
  await client.query(
    `update integrations set last_error = $2, status = case when $3 then 'failing' else status end,
       failures = least(failures + $3::integer, 20)
     where id = $1 and (last_sync_at is null or last_sync_at <= $4) and ${ofItsSettings('$5::integer')}`,
    [id, error, outcome === 'refused', new Date(at), version],
  );
}

export async function isTakenWorkerMessage(client: Queryable, messageId: string): Promise<boolean> {
  const { rowCount } = await client.query('select from worker_messages where message_id = $1', [messageId]);
  return rowCount === 1;
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
