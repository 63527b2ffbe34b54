import { clickSealContext } from '@truetally/contracts/attribution';
import { integrationSealContext } from '@truetally/contracts/management';
import { referenceSealContext } from '@truetally/contracts/publisher';
import { type Keyring } from '@truetally/keyring';
import type pg from 'pg';

/** Sealed values, each in a column of a row of its own: how their rows are found, and their seal context. */
export interface SealedValues {
  /** Name in printed lines. */
  readonly label: string;
  /** `key_id` and `count`, of many values by an index of key id and row id alone. */
  readonly countSql: string;
  /** Up to `$3` rows with the key `$1` after the id `$2`: `id`, `sealed`, and the columns of the context. */
  readonly readSql: string;
  /** Replaces the values of rows `$2` by `$3`, with the key `$1`; only those that still are `$4`: a merchant may have given another one. */
  readonly replaceSql: string;
  readonly contextOf: (row: SealedRow) => readonly string[];
}

/** Text columns, and the sealed bytes. */
export interface SealedRow extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly sealed: Buffer;
}

/** In the schema of the attribution ledger. */
export const CLICK_VALUES: SealedValues = {
  label: 'click values',
  countSql: 'select key_id, count(*) as count from click_values group by key_id',
  readSql: `
    select c.touch_row_id as id, t.site_id, t.touch_id, c.sealed
    from click_values c join touches t on t.id = c.touch_row_id
    where c.key_id = $1 and c.touch_row_id > $2
    order by c.touch_row_id limit $3`,
  replaceSql: `
    update click_values c set key_id = $1, sealed = n.sealed
    from unnest($2::uuid[], $3::bytea[], $4::bytea[]) as n (touch_row_id, sealed, former)
    where c.touch_row_id = n.touch_row_id and c.sealed = n.former`,
  contextOf: ({ site_id, touch_id }) => clickSealContext(String(site_id), String(touch_id)),
};

/** In the schema of management. */
export const INTEGRATION_CREDENTIALS: SealedValues = {
  label: 'credentials of integrations',
  countSql: 'select key_id, count(*) as count from integrations group by key_id',
  readSql: 'select id, sealed from integrations where key_id = $1 and id > $2 order by id limit $3',
  replaceSql: `
    update integrations i set key_id = $1, sealed = n.sealed
    from unnest($2::uuid[], $3::bytea[], $4::bytea[]) as n (id, sealed, former)
    where i.id = n.id and i.sealed = n.former`,
  contextOf: ({ id }) => integrationSealContext(id),
};

/** In the schema of publisher analytics. */
export const CLICK_REFERENCES: SealedValues = {
  label: 'click references',
  // Parked ones become references when their site is free: their key is in use until then.
  countSql: `
    select key_id, count(*) as count from (
      select key_id from click_references union all select key_id from parked_clicks) as kept
    where key_id is not null group by key_id`,
  readSql: `
    select event_id as id, site_id, sealed from click_references
    where key_id = $1 and event_id > $2 order by event_id limit $3`,
  replaceSql: `
    update click_references c set key_id = $1, sealed = n.sealed
    from unnest($2::uuid[], $3::bytea[], $4::bytea[]) as n (event_id, sealed, former)
    where c.event_id = n.event_id and c.sealed = n.former`,
  contextOf: ({ id, site_id }) => referenceSealContext(String(site_id), id),
};

/** One service's sealed values, with a connection to its schema. */
export interface SealedStore {
  /** Name in printed lines. */
  readonly label: string;
  countByKey(): Promise<KeyCounts>;
  /**
   * Reseals the next values of one key with the current one. It writes them in one transaction, so that each value
   * has the old or the new key whenever this process ends.
   */
  resealBatch(keyring: Keyring, keyId: string, place: BatchPlace): Promise<ResealedBatch>;
  /**
   * How many facts wait to tell other services what was sealed anew: until then they have it as it was sealed before. Default: nobody
   * else has these values.
   */
  untold?(): Promise<number>;
}

/** Number of values by key. */
export type KeyCounts = ReadonlyMap<string, number>;

/** Up to so many rows after the one with this id; from the first one by default. */
export interface BatchPlace {
  readonly after: string | undefined;
  readonly rows: number;
}

export interface ResealedBatch {
  readonly resealed: number;
  /** Ids of rows that no key opens, or whose context differs; they are not changed. */
  readonly unreadable: readonly string[];
  /** Start of the next batch; undefined at the end. */
  readonly last: string | undefined;
}

/** The start of a table by its ids. */
export const BEFORE_EVERY_ID = '00000000-0000-0000-0000-000000000000';

export function columnStore(client: pg.ClientBase, values: SealedValues): SealedStore {
  return {
    label: values.label,
    countByKey: () => countByKey(client, values.countSql),
    resealBatch: async (keyring, keyId, { after = BEFORE_EVERY_ID, rows: limit }) => {
      const { rows } = await client.query<SealedRow>(values.readSql, [keyId, after, limit]);
      const unreadable: string[] = [];
      const ids: string[] = [];
      const renewed: Buffer[] = [];
      const former: Buffer[] = [];
      for (const row of rows) {
        const context = values.contextOf(row);
        const opened = keyring.open({ keyId, sealed: row.sealed }, context);
        if (opened.ok) {
          ids.push(row.id);
          renewed.push(keyring.seal(opened.value, context).sealed);
          former.push(row.sealed);
        } else unreadable.push(row.id);
      }
      const replacements = [keyring.currentKeyId, ids, renewed, former];
      const replaced =
        ids.length === 0 ? 0 : ((await client.query(values.replaceSql, replacements)).rowCount ?? 0);
      return { resealed: replaced, unreadable, last: rows.at(-1)?.id };
    },
  };
}

/** @param countSql `key_id` and `count` */
export async function countByKey(client: pg.ClientBase, countSql: string): Promise<KeyCounts> {
  const { rows } = await client.query<{ key_id: string; count: string }>(countSql);
  return new Map(rows.map(({ key_id, count }) => [key_id, Number(count)]));
}
