import { randomUUID } from 'node:crypto';
import type { PersonSubjects } from '@truetally/contracts/jobs';
import { SubjectErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import type { ClickHouseErasure } from '../clickhouse/clickhouse-erasure.js';
import { sessionKeyOf } from '../domain/keys.js';
import { lockSites } from './fold.store.js';

/**
 * Gives a person's sessions random keys: sums and funnels stay exact, and lead to nobody.
 */
export function sessionErasure(
  pool: Pool,
  elsewhere?: Pick<ClickHouseErasure, 'replaceKeys'>,
): SubjectErasure {
  return new SubjectErasure(pool, (client, siteId, subjects) =>
    forgetSessions(client, siteId, subjects, elsewhere),
  );
}

async function forgetSessions(
  client: ClientBase,
  siteId: string,
  { sessionIds }: PersonSubjects,
  elsewhere: Pick<ClickHouseErasure, 'replaceKeys'> | undefined,
): Promise<number> {
  const replaced = sessionIds.map((sessionId) => ({
    known: sessionKeyOf(siteId, sessionId),
    given: randomUUID(),
  }));
  // Within the transaction: it ends only when the person is nowhere any more.
  let rows = (await elsewhere?.replaceKeys(siteId, replaced)) ?? 0;
  // A fold that has read what is known of a session writes it under the key that it has read.
  await lockSites(client, [{ siteId }]);
  const values = [siteId, replaced.map(({ known }) => known), replaced.map(({ given }) => given)];
  for (const table of ['events', 'touches', 'session_quarters']) {
    const { rowCount } = await client.query(
      `update ${table} set session_key = given.new from unnest($2::uuid[], $3::uuid[]) as given (known, new)
       where site_id = $1 and session_key = given.known`,
      values,
    );
    rows += rowCount ?? 0;
  }
  return rows;
}
