import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';

/** Who changed what (interface, section 9). It names resources and never repeats what was in them. */
export interface AuditEntry {
  readonly workspaceId: string;
  /** The user's subject; absent when the platform itself acts. */
  readonly actor: string | undefined;
  readonly action: 'create' | 'update' | 'delete' | 'suspend' | 'resume' | 'revoke' | 'cancel';
  readonly resource:
    | 'workspace'
    | 'member'
    | 'site'
    | 'api_key'
    | 'campaign'
    | 'media'
    | 'job'
    | 'product'
    | 'catalogue'
    | 'integration';
  readonly resourceId: string;
  readonly atMs: number;
}

export async function appendToAuditLog(client: ClientBase, entry: AuditEntry): Promise<void> {
  await client.query(
    `insert into audit_log (audit_id, workspace_id, at, actor, action, resource, resource_id)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      randomUUID(),
      entry.workspaceId,
      new Date(entry.atMs),
      entry.actor ?? null,
      entry.action,
      entry.resource,
      entry.resourceId,
    ],
  );
}
