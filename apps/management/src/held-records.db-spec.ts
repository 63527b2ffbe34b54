import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SiteResource } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { HELD_RECORDS_BYTES } from './storage/held-records.store.js';
import { accepted, keyBody, ManagementReplicas, OWNER, siteBody } from './testing/management-replicas.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

/** The quota that a refusal names, or `ok`. */
const outcomeOf = (reply: Reply<unknown>): string =>
  'ok' in reply ? 'ok' : `${reply.error.code} ${Object.keys(reply.error.details).join()}`;

const heldOf = async (workspaceId: string): Promise<number> => {
  const { rows } = await replicas.owner.query<{ bytes: number }>(
    'select bytes::float8 as bytes from held_records where workspace_id = $1',
    [workspaceId],
  );
  return rows[0]?.bytes ?? 0;
};
const held = (workspaceId: string, bytes: number) =>
  replicas.owner.query(
    `insert into held_records as held values ($1, $2) on conflict (workspace_id) do update set bytes = excluded.bytes`,
    [workspaceId, bytes],
  );
const invite = (workspaceId: string, sub: string) =>
  replicas.send.createMember({ workspace_id: workspaceId, sub, role: 'analyst' });

describe('bounds of what all gateways hold of keys, members and sites (docs/limits.md)', () => {
  it('what a workspace has counts with every change, and what gateways forget counts no more', async () => {
    const { id } = await replicas.makeWorkspace();
    const empty = await heldOf(id);
    const site = await replicas.makeSite(id);
    const withSite = await heldOf(id);
    expect(withSite).toBeGreaterThan(empty + 1_200);
    const origins = ['https://shop.example', 'https://a-second-shop.example'];
    const changed = { workspace_id: id, site_id: site.id, allowed_origins: origins, actor: OWNER };
    accepted(await replicas.send.updateSite(changed));
    expect((await heldOf(id)) - withSite).toBe(160 + 2 * 'https://a-second-shop.example'.length);
    accepted(await replicas.send.updateSite({ ...changed, allowed_origins: origins.slice(0, 1) }));
    const key = await replicas.makeKey(site);
    expect((await heldOf(id)) - withSite).toBe(736);
    await replicas.owner.query('update api_keys set is_known = false where key_id = $1', [key.id]);
    accepted(await invite(id, 'auth0|guest'));
    expect((await heldOf(id)) - withSite).toBe(640 + 2 * 'auth0|guest'.length);
    await replicas.owner.query(`delete from members where subject = 'auth0|guest' and workspace_id = $1`, [
      id,
    ]);
    await replicas.owner.query('update sites set deleted_at = now() where site_id = $1', [site.id]);
    expect(await heldOf(id)).toBe(empty);
  });

  it.each([
    ['workspace_record_bytes', 'workspace'],
    ['user_record_bytes', 'user'],
    ['installation_record_bytes', 'installation'],
  ] as const)(
    '%s: what is new is refused and named, a rotation is not, and what takes less goes on',
    async (quota, whose) => {
      const [mine, other] = [await replicas.makeWorkspace(), await replicas.makeWorkspace()];
      const site: SiteResource = await replicas.makeSite(mine.id);
      const key = await replicas.makeKey(site);
      const createdBy = whose === 'user' ? 'auth0|holder' : 'auth0|somebody';
      await replicas.owner.query(
        'update workspaces set created_by = case when workspace_id = $1 or $4 then $3 else created_by end where workspace_id in ($1, $2)',
        [mine.id, other.id, createdBy, whose === 'user'],
      );
      const { rows } = await replicas.owner.query<{ all: number }>(
        'select sum(bytes)::float8 as all from held_records',
      );
      const holder = whose === 'workspace' ? mine : other;
      const before = await heldOf(holder.id);
      const there = {
        workspace: before,
        user: (await heldOf(mine.id)) + before,
        installation: rows[0]?.all ?? 0,
      }[whose];
      await held(holder.id, before + HELD_RECORDS_BYTES[whose] - there);
      const change = (fields: object) =>
        replicas.send.updateSite({ workspace_id: mine.id, site_id: site.id, actor: OWNER, ...fields });
      const more = [...site.allowed_origins, 'https://more.example'];
      expect(outcomeOf(await replicas.send.createSite(siteBody(mine.id)))).toBe(`CONFLICT ${quota}`);
      expect(outcomeOf(await replicas.send.createApiKey(keyBody(site)))).toBe(`CONFLICT ${quota}`);
      expect(outcomeOf(await invite(mine.id, 'auth0|late'))).toBe(`CONFLICT ${quota}`);
      expect(outcomeOf(await change({ allowed_origins: more }))).toBe(`CONFLICT ${quota}`);
      expect(outcomeOf(await change({ name: 'Renamed' }))).toBe('ok');
      const rotation = { ...keyBody(site), key_id: key.id, fields: { overlap_seconds: 0 } };
      expect(outcomeOf(await replicas.send.rotateApiKey(rotation))).toBe('ok');
      await held(holder.id, before);
      expect(outcomeOf(await replicas.send.createSite(siteBody(mine.id)))).toBe('ok');
    },
  );
});
