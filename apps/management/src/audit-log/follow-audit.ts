import { RECORDED_AUDIT_FACT, type RecordedAuditFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { subscribe, type Subscription, UnreadableError } from '@truetally/messaging';
import { type ServiceContext, whileAvailable } from '@truetally/service';
import { keepRecordedAudit } from '../storage/audit-log.store.js';

/** Stores audit entries of other services, each once. */
export function followAudit({
  messaging,
  pool,
}: Pick<ServiceContext, 'messaging' | 'pool'>): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.auditRecorded.name],
    group: 'management.follow-audit',
    handler: (facts) => {
      const entries = facts.map(({ value }) => entryOf(value));
      return whileAvailable(() => keepRecordedAudit(pool, entries));
    },
  });
}

function entryOf(value: string | null): RecordedAuditFact {
  const entry = RECORDED_AUDIT_FACT.parse(value ?? '');
  if (!entry.ok) throw new UnreadableError(`Not an audit entry: ${entry.error}.`);
  return entry.value;
}
