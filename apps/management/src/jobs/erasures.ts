import { type JobStepReport } from '@truetally/contracts/jobs';
import { TOPICS } from '@truetally/contracts/topics';
import {
  deleteOfSite,
  erasePersonKey,
  eraseSetAside,
  type OutgoingFact,
  type RowsOfSites,
} from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { memberGoneFact } from '../domain/facts.js';
import { eraseApiKeysOfSite } from '../storage/api-key.store.js';
import { eraseAuditLogOfWorkspace } from '../storage/audit-log.store.js';
import { eraseCampaignsOfSite } from '../storage/campaign.store.js';
import { forgetPeopleOfErasures } from '../storage/erasure.store.js';
import type { DonePiece } from '../storage/job-leases.js';
import { eraseJobsOfWorkspace } from '../storage/job.store.js';
import { eraseMediaOfWorkspace } from '../storage/media.store.js';
import { eraseMembersOfWorkspace } from '../storage/member.store.js';
import { eraseWorkflowsOfSite } from '../storage/workflow.store.js';

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
/** As the lists of a site, which have an index. */
const NEWEST_FIRST = { key: 'id', order: 'created_at desc, id desc' };

/**
 * Every table with data of sites, in deletion order (references first). A test finds a table with a column
 * `site_id` that is missing here.
 */
export const SITE_ERASURES: readonly Erasure[] = [
  { table: 'campaigns', erase: eraseCampaigns },
  { table: 'api_keys', erase: eraseApiKeys },
  { table: 'workflows', erase: eraseWorkflows },
  ofSites({ table: 'products', ...NEWEST_FIRST }),
  ofSites({ table: 'submissions', ...NEWEST_FIRST }),
  ofSites({ table: 'profile_imports', key: 'job_id' }),
  ofSites({ table: 'profiles', ...NEWEST_FIRST }),
  ofSites({ table: 'feed_items' }),
  ofSites({ table: 'feeds' }),
  ofSites({ table: 'integrations' }),
  { table: 'outbox_set_aside', erase: eraseSetAsideOfSite },
  counted('person_keys', erasePersonKey),
];

/** Every table with data of workspaces but not of sites; the same test covers a column `workspace_id`. */
export const WORKSPACE_ERASURES: readonly Erasure[] = [
  // Their files are deleted soon after, unless another row has the same picture.
  counted('media', eraseMediaOfWorkspace),
  { table: 'members', erase: eraseMembers },
  counted('jobs', eraseJobsOfWorkspace),
  // The proofs stay, and name nobody any more. Behind the jobs, which add to open ones.
  counted('erasures', forgetPeopleOfErasures),
  counted('audit_log', eraseAuditLogOfWorkspace),
  { table: 'outbox_set_aside', erase: eraseSetAsideOfWorkspace },
];

/** For a table whose rows go without a word. */
function ofSites(rows: RowsOfSites): Erasure {
  return counted(rows.table, (client, siteId, limit) => deleteOfSite(client, rows, siteId, limit));
}

/** For a table whose deletion publishes nothing. */
function counted(
  table: string,
  erase: (client: ClientBase, ownerId: string, limit: number) => Promise<number>,
): Erasure {
  return { table, erase: async (...call) => ({ rows: await erase(...call) }) };
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
): Promise<DonePiece | undefined> {
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
  const ids = await eraseApiKeysOfSite(client, siteId, limit);
  return { rows: ids.length, facts: ids.map((id) => tombstone(TOPICS.credentials.name, id)) };
}

async function eraseCampaigns(client: ClientBase, siteId: string, limit: number): Promise<Erased> {
  const ids = await eraseCampaignsOfSite(client, siteId, limit);
  return { rows: ids.length, facts: ids.map((id) => tombstone(TOPICS.campaigns.name, id)) };
}

async function eraseWorkflows(client: ClientBase, siteId: string, limit: number): Promise<Erased> {
  const ids = await eraseWorkflowsOfSite(client, siteId, limit);
  return { rows: ids.length, facts: ids.map((id) => tombstone(TOPICS.workflows.name, id)) };
}

/**
 * Gateways were notified at the deletion; the tombstone is repeated in case the member was republished in
 * between.
 */
async function eraseMembers(client: ClientBase, workspaceId: string, limit: number): Promise<Erased> {
  const names = await eraseMembersOfWorkspace(client, workspaceId, limit);
  return { rows: names.length, facts: names.map(memberGoneFact) };
}

/** Facts that Kafka refused. */
async function eraseSetAsideOfSite(client: ClientBase, siteId: string): Promise<Erased> {
  return { rows: await eraseSetAside(client, 'site_id', siteId) };
}

async function eraseSetAsideOfWorkspace(client: ClientBase, workspaceId: string): Promise<Erased> {
  return { rows: await eraseSetAside(client, 'workspace_id', workspaceId) };
}

/** Deletes a key of a compacted topic. */
export function tombstone(topic: string, key: string): OutgoingFact {
  return { topic, key, value: null };
}
