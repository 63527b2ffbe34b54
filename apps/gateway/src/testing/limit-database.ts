import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import { HourlyUsage1763600000000 } from '../storage/migrations/1763600000000-hourly-usage.js';

/** The gateway's own tables, in a schema of their own. */
export function openLimitDatabase(): Promise<ServiceDatabase> {
  return openServiceDatabase({ name: 'limits', migrations: [HourlyUsage1763600000000] });
}
