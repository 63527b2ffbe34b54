import { clickSealContext } from '@truetally/contracts';
import { type Keyring } from '@truetally/keyring';
import type pg from 'pg';

/** How many click values there are under each key. */
export type KeyCounts = ReadonlyMap<string, number>;

export interface ResealedBatch {
  readonly resealed: number;
  /** Rows that no key of the ring opens, or that are not what was sealed: left as they are. */
  readonly unreadable: readonly string[];
  /** Where the next batch begins; undefined at the end. */
  readonly last: string | undefined;
}

interface ClickRow {
  readonly touch_row_id: string;
  readonly site_id: string;
  readonly touch_id: string;
  readonly sealed: Buffer;
}

const FIRST = '00000000-0000-0000-0000-000000000000';
const COUNT = 'select key_id, count(*) as count from click_values group by key_id';
const READ = `
  select c.touch_row_id, t.site_id, t.touch_id, c.sealed
  from click_values c join touches t on t.id = c.touch_row_id
  where c.key_id = $1 and c.touch_row_id > $2
  order by c.touch_row_id limit $3`;
/** Only what is still under the key that it was read under. */
const REPLACE = `
  update click_values c set key_id = $1, sealed = n.sealed
  from unnest($2::uuid[], $3::bytea[]) as n (touch_row_id, sealed)
  where c.touch_row_id = n.touch_row_id and c.key_id = $4`;

/** By an index of (key_id, touch_row_id) alone. */
export async function countByKey(client: pg.ClientBase): Promise<KeyCounts> {
  const { rows } = await client.query<{ key_id: string; count: string }>(COUNT);
  return new Map(rows.map(({ key_id, count }) => [key_id, Number(count)]));
}

/**
 * Seals the next values under one key anew with the current one: one statement, so that each value is under the old
 * key or the new one whenever this process ends.
 */
export async function resealBatch(
  client: pg.ClientBase,
  keyring: Keyring,
  keyId: string,
  { after = FIRST, rows: limit }: { readonly after?: string | undefined; readonly rows: number },
): Promise<ResealedBatch> {
  const { rows } = await client.query<ClickRow>(READ, [keyId, after, limit]);
  const unreadable: string[] = [];
  const ids: string[] = [];
  const values: Buffer[] = [];
  for (const { touch_row_id, site_id, touch_id, sealed } of rows) {
    const context = clickSealContext(site_id, touch_id);
    const opened = keyring.open({ keyId, sealed }, context);
    if (opened.ok) {
      ids.push(touch_row_id);
      values.push(keyring.seal(opened.value, context).sealed);
    } else unreadable.push(touch_row_id);
  }
  const replaced =
    ids.length === 0
      ? 0
      : ((await client.query(REPLACE, [keyring.currentKeyId, ids, values, keyId])).rowCount ?? 0);
  return { resealed: replaced, unreadable, last: rows.at(-1)?.touch_row_id };
}
