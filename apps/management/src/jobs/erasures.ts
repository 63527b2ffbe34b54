import { type JobStepReport } from '@truetally/contracts/jobs';
import { TOPICS } from '@truetally/contracts/topics';
import type { OutgoingFact } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { memberGoneFact } from '../domain/facts.js';
import { eraseCampaignsOfSite } from '../storage/campaign.store.js';
import type { Piece } from '../storage/job-leases.js';
import { eraseMediaOfWorkspace } from '../storage/media.store.js';
import { eraseProductsOfSite } from '../storage/product.store.js';

/** The outcome of one call: the number of deleted rows, and the facts to publish. */
export interface Erased {
  readonly rows: number;
  readonly facts?: readonly OutgoingFact[];
}

/** Deletes one table's rows of a deleted site or workspace: at most `limit` per call, until none are left. */
export interface Erasure {
  readonly table: string;
  readonly erase: (client: ClientBase, ownerId: string, limit: number) => Promise<Erased>;
}

const ROWS_PER_PIECE = 1_000;

/**
 * Every table with data of sites, in deletion order (references first). A test finds a table with a column
 * `site_id` that is missing here.
 */
export const SITE_ERASURES: readonly Erasure[] = [
  { table: 'campaigns', erase: eraseCampaigns },
  { table: 'api_keys', erase: eraseApiKeys },
  { table: 'products', erase: eraseProducts },
  rowsOf('integrations', 'site_id'),
];

/** Every table with data of workspaces but not of sites; the same test covers a column `workspace_id`. */
export const WORKSPACE_ERASURES: readonly Erasure[] = [
  { table: 'media', erase: eraseMedia },
  { table: 'members', erase: eraseMembers },
  { table: 'jobs', erase: eraseJobs },
  { table: 'audit_log', erase: eraseAuditLog },
];

/** For a table whose rows the service may delete without publishing anything. */
export function rowsOf(table: string, ownerColumn: 'site_id' | 'workspace_id'): Erasure {
  return {
    table,
    erase: async (client, ownerId, limit) => {
      const { rowCount } = await client.query(
        `delete from ${table} where ctid = any (array(select ctid from ${table} where ${ownerColumn} = $1 limit $2))`,
        [ownerId, limit],
      );
      return { rows: rowCount ?? 0 };
    },
  };
}

/**
 * One piece of an erasure: deletes some rows of the first tables that still have any. Each piece checks every
 * table again, so that no remaining row is missed.
 * @returns undefined when no rows are left
 */
export async function eraseSome(
  client: ClientBase,
  erasures: readonly Erasure[],
  ownerId: string,
  rowsPerPiece = ROWS_PER_PIECE,
): Promise<Piece | undefined> {
  const facts: OutgoingFact[] = [];
  let rows = 0;
  for (const { erase } of erasures) {
    if (rows === rowsPerPiece) break;
    const erased = await erase(client, ownerId, rowsPerPiece - rows);
    rows += erased.rows;
    facts.push(...(erased.facts ?? []));
  }
  if (rows === 0) return undefined;
  return { report: reportOf(rows), facts };
}

/** Rows are found when they are deleted, so that both numbers are equal. */
function reportOf(rows: number): JobStepReport {
  return { cursor: 'more', found: rows, done: rows, stored: 0, failed: 0, errors: [] };
}

async function eraseApiKeys(client: ClientBase, siteId: string, limit: number): Promise<Erased> {
  const { rows } = await client.query<{ key_id: string }>(
    'select erase_api_keys as key_id from erase_api_keys($1, $2)',
    [siteId, limit],
  );
  return { rows: rows.length, facts: rows.map((row) => tombstone(TOPICS.credentials.name, row.key_id)) };
}

async function eraseCampaigns(client: ClientBase, siteId: string, limit: number): Promise<Erased> {
  const ids = await eraseCampaignsOfSite(client, siteId, limit);
  return { rows: ids.length, facts: ids.map((id) => tombstone(TOPICS.campaigns.name, id)) };
}

async function eraseProducts(client: ClientBase, siteId: string, limit: number): Promise<Erased> {
  return { rows: await eraseProductsOfSite(client, siteId, limit) };
}

/**
 * Gateways were notified at the deletion; the tombstone is repeated in case the member was republished in
 * between.
 */
async function eraseMembers(client: ClientBase, workspaceId: string, limit: number): Promise<Erased> {
  const { rows } = await client.query<{ subject: string | null; email: string | null }>(
    `delete from members where member_id in (
       select member_id from members join workspaces using (workspace_id)
       where members.workspace_id = $1 and deleted_at is not null limit $2)
     returning subject, email`,
    [workspaceId, limit],
  );
  const facts = rows.map(({ subject: sub, email }) =>
    memberGoneFact({ workspace_id: workspaceId, sub, email }),
  );
  return { rows: rows.length, facts };
}

/** Their files are deleted soon after, unless another row has the same picture. */
async function eraseMedia(client: ClientBase, workspaceId: string, limit: number): Promise<Erased> {
  return { rows: await eraseMediaOfWorkspace(client, workspaceId, limit) };
}

/** All but the erasing job itself, which stays visible to the user who deleted the workspace. */
async function eraseJobs(client: ClientBase, workspaceId: string, limit: number): Promise<Erased> {
  const { rowCount } = await client.query(
    `delete from jobs where job_id = any (array(
       select job_id from jobs where workspace_id = $1 and type <> 'workspace.delete' limit $2))`,
    [workspaceId, limit],
  );
  return { rows: rowCount ?? 0 };
}

async function eraseAuditLog(client: ClientBase, workspaceId: string, limit: number): Promise<Erased> {
  const { rowCount } = await client.query('select from erase_audit_log($1, $2)', [workspaceId, limit]);
  return { rows: rowCount ?? 0 };
}

/** Deletes a key of a compacted topic. */
export function tombstone(topic: string, key: string): OutgoingFact {
  return { topic, key, value: null };
}
