import { randomUUID } from 'node:crypto';
import type { ErasePerson } from '@truetally/contracts/jobs';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import { MIGRATIONS } from '../storage/migrations/migrations.js';

/** A separate migrated schema, on the test run's Postgres. */
export function openAnalyticsDatabase(): Promise<ServiceDatabase> {
  return openServiceDatabase({ name: 'analytics', migrations: MIGRATIONS });
}

/** The question that erases the person of these sessions. */
export function erasureOf(siteId: string, sessionIds: readonly string[]): ErasePerson {
  const ids = { name: randomUUID(), jobId: randomUUID(), erasureId: randomUUID() };
  return { ...ids, siteId, userId: null, subjects: { sessionIds, eventIds: [] }, cursor: null };
}
