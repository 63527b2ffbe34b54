import { fingerprintHex, uuidFromFingerprintHex } from '@truetally/kernel';
import type pg from 'pg';

const ROWS_AT_ONCE = 20_000;

/** A touch for each of the sessions that a load names, in either of its notations. */
export async function touchSessions(
  owner: pg.Client,
  { siteId, idPrefix, most }: { readonly siteId: string; readonly idPrefix: string; readonly most: number },
): Promise<void> {
  const numbers = Array.from({ length: most }, (_, n) => n);
  const ids = new Set(numbers.flatMap((n) => [n.toString(16), n.toString(36)]));
  const keys = [...ids].map((id) =>
    uuidFromFingerprintHex(fingerprintHex(['session', siteId, `${idPrefix}-${id}`])),
  );
  for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
    await owner.query(
      `insert into touches (touch_key, session_key, site_id, provider, occurred_at)
       select gen_random_uuid(), key, $1, 'awin', now() from unnest($2::uuid[]) as key`,
      [siteId, keys.slice(from, from + ROWS_AT_ONCE)],
    );
  }
}
