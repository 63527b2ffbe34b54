import { type JobStepReport } from '@truetally/contracts/jobs';
import { TOPICS } from '@truetally/contracts/topics';
import type { OutgoingFact } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { memberGoneFact } from '../domain/facts.js';
import { eraseCampaignsOfSite } from '../storage/campaign.store.js';
import type { Piece } from '../storage/job.leases.js';
import { eraseMediaOfWorkspace } from '../storage/media.store.js';
import { eraseProductsOfSite } from '../storage/product.store.js';

/** What became of one call: how many rows went, and what has to be told of them. */
export interface Erased {
  readonly rows: number;
  readonly facts?: readonly OutgoingFact[];
}

/** How what one table holds of a deleted site or workspace goes: at most `limit` rows per call, until none are left. */
export interface Erasure {
  readonly table: string;
  readonly erase: (client: ClientBase, ownerId: string, limit: number) => Promise<Erased>;
}

const ROWS_PER_PIECE = 1_000;

/**
 * Every table that belongs to sites, in the order in which its rows may go (references first). A table with a column
 * `site_id` that is missing here is found by a test.
 */
export const SITE_ERASURES: readonly Erasure[] = [
  { table: 'campaigns', erase: eraseCampaigns },
  { table: 'api_keys', erase: eraseApiKeys },
  { table: 'products', erase: eraseProducts },
  rowsOf('integrations', 'site_id'),
];

/** Every table that belongs to workspaces and not to one of their sites; the same holds for a column `workspace_id`. */
export const WORKSPACE_ERASURES: readonly Erasure[] = [
  { table: 'media', erase: eraseMedia },
  { table: 'members', erase: eraseMembers },
  { table: 'jobs', erase: eraseJobs },
  { table: 'audit_log', erase: eraseAuditLog },
];

/** For a table whose rows the service may delete, and of which nobody else has to hear. */
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
 * A piece of erasing: the first tables that still hold anything lose some of it. Each piece looks at every table again, so
 * that it does not matter in which of them a row was left.
 * @returns undefined when nothing was left in any of them
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

/** Rows are found where they are erased, so that both numbers are the same. */
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

/** Gateways were told at the deletion; they are told again, in case a member was republished in between. */
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

/** Their files go soon after, when nobody else has the same picture. */
async function eraseMedia(client: ClientBase, workspaceId: string, limit: number): Promise<Erased> {
  return { rows: await eraseMediaOfWorkspace(client, workspaceId, limit) };
}

/** All but the one that erases, which whoever deleted the workspace goes on seeing. */
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

/** Says that a key of a compacted topic is gone. */
export function tombstone(topic: string, key: string): OutgoingFact {
  return { topic, key, value: null };
}
