import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RecordedAuditFact } from '@truetally/contracts/facts';
import { ManagementReplicas } from '../testing/management-replicas.js';
import { keepRecordedAudit } from './audit-log.store.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

function anEntry(workspaceId: string): RecordedAuditFact {
  return {
    audit_id: randomUUID(),
    workspace_id: workspaceId,
    at: '2026-01-31T09:30:00.123Z',
    actor: 'key:abcd1234',
    action: 'create',
    resource: 'commission_rule',
    resource_id: randomUUID(),
  };
}

describe('audit entries of other services', () => {
  it('audit entries of other services are stored once each, however often they are delivered', async () => {
    const { id } = await replicas.makeWorkspace();
    const entries = [anEntry(id), anEntry(id)];
    await Promise.all([
      keepRecordedAudit(replicas.pool, entries),
      keepRecordedAudit(replicas.pool, [...entries, ...entries]),
    ]);
    await keepRecordedAudit(replicas.pool, entries.toReversed());
    const { rows } = await replicas.owner.query(
      `select audit_id, workspace_id, at, actor, action, resource, resource_id from audit_log
       where workspace_id = $1 and resource = 'commission_rule' order by audit_id`,
      [id],
    );
    const expected = entries.map((entry) => ({ ...entry, at: new Date(entry.at) }));
    expect(rows).toEqual(expected.toSorted((one, other) => (one.audit_id < other.audit_id ? -1 : 1)));
  });

  it('audit entries of a deleted or unknown workspace are not stored, and delay no other', async () => {
    const [living, deleted] = [await replicas.makeWorkspace(), await replicas.makeWorkspace()];
    await replicas.owner.query('update workspaces set deleted_at = now() where workspace_id = $1', [
      deleted.id,
    ]);
    const kept = anEntry(living.id);
    await keepRecordedAudit(replicas.pool, [anEntry(deleted.id), anEntry(randomUUID()), kept]);
    const { rows } = await replicas.owner.query<{ audit_id: string }>(
      `select audit_id from audit_log where resource = 'commission_rule' and workspace_id = any($1::uuid[])`,
      [[living.id, deleted.id]],
    );
    expect(rows).toEqual([{ audit_id: kept.audit_id }]);
  });
});
