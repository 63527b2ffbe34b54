import { randomUUID } from 'node:crypto';
import { WORKFLOW_RECORD, type WorkflowRecord } from '@truetally/contracts/facts';
import { workflowSealContext } from '@truetally/contracts/management';
import { Keyring, readKeyringFile } from '@truetally/keyring';
import type { Clicks } from './clicks.js';

/** Of the site of any integration. */
const INSERT = `
  insert into workflows (id, workspace_id, site_id, name, trigger, action, enabled, key_id, sealed, former_secrets,
    effective_from, version, created_at, updated_at)
  select $1, workspace_id, site_id, 'w', '{"event_types":["page_view"],"match":"all","conditions":[]}',
    '{"type":"webhook","url":"https://crm.example/"}', true, $2, decode($3, 'base64'), $4, now(), 7, now(), now()
  from integrations limit 1`;

/** As a workflow's row or fact has it. */
export interface SealedSecret {
  readonly key_id: string;
  readonly sealed: string;
}

export function sealSecret(ring: Keyring, workflowId: string, secret: string): SealedSecret {
  const { keyId, sealed } = ring.seal(secret, workflowSealContext(workflowId));
  return { key_id: keyId, sealed: sealed.toString('base64') };
}

/** A workflow of an integration's site, with a secret and former ones, each until a time. @returns its id */
export async function addWorkflow(
  { management, keyringFile }: Clicks,
  secret: string,
  former: readonly (readonly [secret: string, until: string])[] = [],
): Promise<string> {
  const id = randomUUID();
  const ring = new Keyring(readKeyringFile(keyringFile));
  const { key_id, sealed } = sealSecret(ring, id, secret);
  const before = former.map(([text, until]) => ({ ...sealSecret(ring, id, text), until }));
  await management.query(INSERT, [id, key_id, sealed, JSON.stringify(before)]);
  return id;
}

/** Its row, with the secrets in force and before, opened with this ring. */
export async function readWorkflowRow({ management }: Clicks, id: string, ring: Keyring) {
  const { rows } = await management.query<SealedSecret & { former_secrets: SealedSecret[]; kept: object }>(
    `select key_id, encode(sealed, 'base64') as sealed, former_secrets,
       to_jsonb(workflows) - array['key_id', 'sealed', 'former_secrets'] as kept from workflows where id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no workflow ${id}.`);
  return { kept: row.kept, secrets: openAll(ring, id, [row, ...row.former_secrets]) };
}

/** The facts of a workflow that wait in the outbox, with their secrets, opened with this ring. */
export async function factsOfWorkflow({ management }: Clicks, id: string, ring: Keyring) {
  const { rows } = await management.query<{ value: string }>(
    `select value from outbox where topic = 'workflows.v1' and key = $1 order by id`,
    [id],
  );
  return rows.map(({ value }) => {
    const record = WORKFLOW_RECORD.parse(value);
    if (!record.ok) throw new Error(record.error);
    return { record: record.value, secrets: secretsOf(record.value, ring) };
  });
}

function secretsOf(record: WorkflowRecord, ring: Keyring): readonly string[] {
  return openAll(ring, record.workflow_id, [record.secret, ...record.former_secrets]);
}

function openAll(ring: Keyring, id: string, texts: readonly SealedSecret[]): readonly string[] {
  return texts.map(({ key_id: keyId, sealed }) => {
    const opened = ring.open({ keyId, sealed: Buffer.from(sealed, 'base64') }, workflowSealContext(id));
    return opened.ok ? opened.value : opened.error;
  });
}
