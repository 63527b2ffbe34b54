import { describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import type { ClickHouse } from './clickhouse-client.js';
import { ClickHouseErasure } from './clickhouse-erasure.js';

const KEY = { known: 'a', given: 'b' };
/** Of Postgres; the clock of this process is years behind. */
const NOW_MS = Date.UTC(2099, 0, 1);

/** An erasure for which the moment itself is read at its second look, and what it does. */
function erasing() {
  const done: string[] = [];
  const moments: unknown[] = [];
  let readMs = NOW_MS;
  const clickHouse = {
    rows: () => Promise.resolve([{ rows: 1 }]),
    run: (sql: string, { moment }: { readonly moment?: number }) => {
      done.push(/replaced_keys|erased_sites|alter table \w+/.exec(sql)?.[0] ?? sql);
      if (moment !== undefined) moments.push(moment);
      return Promise.resolve();
    },
  } as unknown as ClickHouse;
  const pool = {
    query: (sql: string) => {
      if (!sql.includes('fact_progress')) return Promise.resolve({ rows: [{ now: NOW_MS }] });
      readMs = readMs < NOW_MS ? NOW_MS : NOW_MS - 1;
      done.push('read');
      return Promise.resolve({ rows: [{ at: readMs }] });
    },
  } as unknown as Pool;
  return { done, moments, erasure: new ClickHouseErasure(clickHouse, pool) };
}

describe('the erasure of sessions in ClickHouse', () => {
  it('rows get their other keys when everything is read that was on its way while the keys became known', async () => {
    const { done, erasure } = erasing();
    const elsewhere = erasure.ofKeys('site', [KEY]);
    await elsewhere.count();
    done.length = 0;
    await elsewhere.erase();
    expect(done).toEqual(['replaced_keys', 'read', 'read', 'alter table events', 'alter table touches']);
  });

  it('an erasure waits and marks its keys by the time of Postgres, where the clock of its process is behind', async () => {
    const { done, moments, erasure } = erasing();
    const elsewhere = erasure.ofKeys('site', [KEY]);
    await elsewhere.count();
    expect(done).toEqual(['read', 'read']);
    await elsewhere.erase();
    expect(moments).toEqual([NOW_MS]);
    done.length = 0;
    await erasure.ofSite('site').count();
    expect(done).toEqual(['erased_sites', 'read', 'read']);
  });
});
