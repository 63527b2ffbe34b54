import { randomUUID } from 'node:crypto';
import { integrationSealContext } from '@truetally/contracts/management';
import { Keyring, readKeyringFile } from '@truetally/keyring';
import type { Clicks } from './clicks.js';

const INSERT = `
  with w as (
    insert into workspaces (workspace_id, name, hourly_limit, created_at, updated_at)
    values ($1, 'w', 10000, now(), now())
  ), s as (
    insert into sites (site_id, workspace_id, name, domain, allowed_origins, currency, timezone, publisher_mode,
      partner_providers, partner_touch_limit, partner_attribution_model, runtime_hourly_limit, created_at, updated_at)
    values ($2, $1, 's', 'shop.example', '{}', 'EUR', 'UTC', 'off', '{}', 20, 'linear', 1, now(), now())
  )
  insert into integrations (id, workspace_id, site_id, provider, status, key_id, sealed, created_at, updated_at)
  select id, $1, $2, 'awin', 'pending', $4, sealed, now(), now()
  from unnest($3::uuid[], $5::bytea[]) as n (id, sealed)`;

/** Creates integrations of a new site, sealed with the ring's current key. @returns their ids */
export async function addIntegrations(
  { management, keyringFile }: Clicks,
  count: number,
): Promise<readonly string[]> {
  const ring = new Keyring(readKeyringFile(keyringFile));
  const ids = Array.from({ length: count }, () => randomUUID());
  const sealed = ids.map((id) => ring.seal(`token of ${id}`, integrationSealContext(id)).sealed);
  await management.query(INSERT, [randomUUID(), randomUUID(), ids, ring.currentKeyId, sealed]);
  return ids;
}

/** The credentials of every integration, opened with this ring; null if the ring cannot open them. */
export async function readIntegrations(
  { management }: Clicks,
  ring: Keyring,
): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await management.query<{ id: string; key_id: string; sealed: Buffer }>(
    'select id, key_id, sealed from integrations',
  );
  return new Map(
    rows.map(({ id, key_id: keyId, sealed }) => {
      const opened = ring.open({ keyId, sealed }, integrationSealContext(id));
      return [id, opened.ok ? opened.value : null] as const;
    }),
  );
}
