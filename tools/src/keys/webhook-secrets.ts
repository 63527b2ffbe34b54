import { type SealedText, WORKFLOW_RECORD } from '@truetally/contracts/facts';
import {
  type PublishedWorkflow,
  workflowRecordOf,
  type WorkflowSecrets,
  workflowSealContext,
} from '@truetally/contracts/management';
import { TOPICS } from '@truetally/contracts/topics';
import type { Keyring } from '@truetally/keyring';
import { appendToOutbox, type OutgoingFact, tableOf } from '@truetally/persistence';
import type pg from 'pg';
import {
  type BatchPlace,
  BEFORE_EVERY_ID,
  countByKey,
  type ResealedBatch,
  type SealedStore,
} from './sealed-values.js';

/**
 * Secrets of webhooks, in the schema of management. A workflow has several, each of which signs, and outbound has them from
 * `workflows.v1`: so a workflow is told again when one of them was sealed anew. It is the same version of it: its merchant has
 * changed nothing.
 */
export function webhookStore(client: pg.ClientBase): SealedStore {
  return {
    label: 'workflows with secrets of webhooks',
    countByKey: () => countByKey(client, COUNT),
    resealBatch: (keyring, keyId, place) =>
      inTransaction(client, () => reseal(client, keyring, keyId, place)),
    untold: async () => {
      const { rows } = await client.query<{ count: string }>(UNTOLD, [TOPICS.workflows.name]);
      return Number(rows[0]?.count);
    },
  };
}

const WORKFLOWS = tableOf<PublishedWorkflow>('workflows', 'id', {
  id: 'uuid',
  workspace_id: 'uuid',
  site_id: 'uuid',
  trigger: 'json',
  action: 'json',
  enabled: 'boolean',
  version: 'integer',
  updated_at: 'instant',
  key_id: 'text',
  sealed: 'base64',
  former_secrets: 'json',
  effective_from: 'instant',
});
const SECRETS = WORKFLOWS.only('id', 'key_id', 'sealed', 'former_secrets');

/** Workflows by key: one with two secrets of a key counts once. */
const COUNT = `
  select key_id, count(distinct id) as count from (
    select id, key_id from workflows union all
    select id, former ->> 'key_id' from workflows, json_array_elements(former_secrets) as former) as used
  group by key_id`;

/** Locked, so that a merchant's change comes before, and is read here, or after. */
const READ = `
  select ${WORKFLOWS.selection()}, clock_timestamp() as read_at, exists (
    select from sites where sites.site_id = workflows.site_id and sites.deleted_at is null) as lives
  from workflows
  where id > $2 and (key_id = $1 or exists (
    select from json_array_elements(former_secrets) as former where former ->> 'key_id' = $1))
  order by id limit $3 for update`;

/** Also a fact that an operator has to handle: until then, outbound has the one before it. */
const UNTOLD = `
  select (select count(*) from outbox where topic = $1)
    + (select count(*) from outbox_set_aside where topic = $1 and not is_superseded) as count`;

async function reseal(
  client: pg.ClientBase,
  keyring: Keyring,
  keyId: string,
  { after = BEFORE_EVERY_ID, rows: limit }: BatchPlace,
): Promise<ResealedBatch> {
  const { rows } = await client.query<ReadRow>(READ, [keyId, after, limit]);
  const unreadable: string[] = [];
  const facts: OutgoingFact[] = [];
  let resealed = 0;
  for (const row of rows) {
    const before = WORKFLOWS.read(row);
    const { secrets, left } = renew(before, keyring, row.read_at.getTime());
    unreadable.push(...left.map((key) => `${before.id} (${key})`));
    if (secrets === undefined) continue;
    const workflow = { ...before, ...secrets };
    await client.query(SECRETS.update(workflow.id, workflow));
    resealed += 1;
    // The tombstone of a deleted one may be published already.
    if (row.lives) facts.push(factOf(workflow));
  }
  await appendToOutbox(client, facts);
  return { resealed, unreadable, last: rows.at(-1)?.id };
}

interface ReadRow extends pg.QueryResultRow {
  readonly read_at: Date;
  /** Its site is not deleted. */
  readonly lives: boolean;
}

interface Renewed {
  /** Undefined when they stay as they are. */
  readonly secrets: WorkflowSecrets | undefined;
  /** Keys of those that cannot be opened. */
  readonly left: readonly string[];
}

/** Those that sign, under the current key; those that no longer do are dropped, as a change of the workflow drops them. */
function renew(workflow: PublishedWorkflow, keyring: Keyring, nowMs: number): Renewed {
  const context = workflowSealContext(workflow.id);
  const left: string[] = [];
  const renewed = <Text extends SealedText>(text: Text): Text => {
    if (text.key_id === keyring.currentKeyId) return text;
    const given = { keyId: text.key_id, sealed: Buffer.from(text.sealed, 'base64') };
    const opened = keyring.open(given, context);
    if (!opened.ok) {
      left.push(text.key_id);
      return text;
    }
    const { keyId, sealed } = keyring.seal(opened.value, context);
    return { ...text, key_id: keyId, sealed: sealed.toString('base64') };
  };
  const { key_id, sealed, former_secrets: former } = workflow;
  const current = renewed({ key_id, sealed });
  const signing = former.filter(({ until }) => Date.parse(until) > nowMs).map(renewed);
  const isChanged =
    current.sealed !== sealed ||
    signing.length < former.length ||
    signing.some((text, at) => text.sealed !== former[at]?.sealed);
  return { secrets: isChanged ? { ...current, former_secrets: signing } : undefined, left };
}

function factOf(workflow: PublishedWorkflow): OutgoingFact {
  const value = WORKFLOW_RECORD.encode(workflowRecordOf(workflow));
  return { topic: TOPICS.workflows.name, key: workflow.id, value };
}

async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
