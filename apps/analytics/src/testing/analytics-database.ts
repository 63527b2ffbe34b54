import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import { MIGRATIONS } from '../storage/migrations/migrations.js';

/** A separate migrated schema, on the test run's Postgres. */
export function openAnalyticsDatabase(): Promise<ServiceDatabase> {
  return openServiceDatabase({ name: 'analytics', migrations: MIGRATIONS });
}
