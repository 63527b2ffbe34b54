import { TransientError } from '@truetally/messaging';
import { eraseSetAsideNaming } from '@truetally/persistence';
import { SubjectErasure } from '@truetally/service';
import type { Pool } from 'pg';
import { isParked } from './parked-clicks.js';

/**
 * Deletes the references of a person's clicks, which networks know; nothing else here leads to a person. Those that are parked are
 * counted first, as all that was told before the erasure.
 * @throws TransientError as long as one is parked
 */
export function referenceErasure(pool: Pool): SubjectErasure {
  return new SubjectErasure(pool, async (client, siteId, { eventIds }) => {
    if (await isParked(client, eventIds))
      throw new TransientError('A click of the person is not counted yet.');
    const { rows } = await client.query<{ erased: number }>(
      'select erase_references($1, $2)::integer as erased',
      [siteId, eventIds],
    );
    const facts = await eraseSetAsideNaming(client, siteId, eventIds);
    return (rows[0]?.erased ?? 0) + facts;
  });
}
