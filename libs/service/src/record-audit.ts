import { randomUUID } from 'node:crypto';
import { RECORDED_AUDIT_FACT, type RecordedAuditFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { appendToOutbox } from '@truetally/persistence';
import type { ClientBase } from 'pg';

/** Who changed what (interface page, section 9). It names resources, never their content. */
export interface AuditEntry {
  readonly workspaceId: string;
  /** A user's subject, or `key:<prefix>` (`auditActor`); absent for the platform itself. */
  readonly actor: string | undefined;
  /** A verb: `create`, `update`, `delete`, … */
  readonly action: string;
  /** A kind of resource in `snake_case`: `site`, `api_key`, … */
  readonly resource: string;
  readonly resourceId: string;
  readonly atMs: number;
}

/**
 * Writes an entry of the workspace's audit log, which management stores: a fact in the outbox of the caller's
 * transaction, so that the change and its entry are committed together. Call it last, because other writers
 * of facts wait from here to the commit; wake the relay after the commit.
 */
export function recordAudit(client: ClientBase, entry: AuditEntry): Promise<void> {
  const fact: RecordedAuditFact = {
    audit_id: randomUUID(),
    workspace_id: entry.workspaceId,
    at: new Date(entry.atMs).toISOString(),
    actor: entry.actor ?? null,
    action: entry.action,
    resource: entry.resource,
    resource_id: entry.resourceId,
  };
  return appendToOutbox(client, [
    {
      topic: TOPICS.auditRecorded.name,
      key: fact.workspace_id,
      value: RECORDED_AUDIT_FACT.encode(fact),
      headers: { 'content-type': 'application/json', 'fact-id': fact.audit_id },
    },
  ]);
}
