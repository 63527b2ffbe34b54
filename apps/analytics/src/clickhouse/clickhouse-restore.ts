import type { ClickHouse } from './clickhouse-client.js';
import { QUEUES_AND_VIEWS } from './clickhouse-schema.js';

/**
 * Takes ClickHouse's copy back to the point to which Postgres was restored. Its queues go, which ends their membership in
 * Kafka's group, so that this can be set back; the migration makes them anew. What was received later goes, and comes back
 * by the facts of what is stored again. Marks of erasures become those of Postgres: those of the lost future would leave
 * out facts of sites that exist again. A repetition changes nothing.
 */
export async function takeBackCopy(
  clickHouse: ClickHouse,
  { restoredTo, erasedSites }: { readonly restoredTo: Date; readonly erasedSites: readonly string[] },
): Promise<void> {
  for (const name of QUEUES_AND_VIEWS) await clickHouse.run(`drop table if exists ${name} sync`);
  await clickHouse.run(
    'alter table events delete where received_at >= fromUnixTimestamp64Milli({since:Int64})',
    { since: restoredTo.getTime() },
  );
  await clickHouse.run(
    'alter table replaced_keys delete where erased_at >= fromUnixTimestamp64Milli({since:Int64})',
    { since: restoredTo.getTime() },
  );
  await clickHouse.run('alter table erased_sites delete where site_id not in {sites:Array(UUID)}', {
    sites: erasedSites,
  });
}
