import { eraseSetAsideNaming } from '@truetally/persistence';
import { SubjectErasure } from '@truetally/service';
import type { Pool } from 'pg';

/** Deletes the references of a person's clicks, which networks know; nothing else here leads to a person. */
export function referenceErasure(pool: Pool): SubjectErasure {
  return new SubjectErasure(pool, async (client, siteId, { eventIds }) => {
    const { rows } = await client.query<{ erased: number }>(
      'select erase_references($1, $2)::integer as erased',
      [siteId, eventIds],
    );
    const facts = await eraseSetAsideNaming(client, siteId, eventIds);
    return (rows[0]?.erased ?? 0) + facts;
  });
}
