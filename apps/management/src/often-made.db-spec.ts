import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Quotas } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { forgetEndedKeys } from './api-keys/forget-ended-keys.js';
import { logged } from './audit-log/logged.js';
import { updateSite } from './sites/update-site.js';
import {
  accepted,
  commandOf,
  keyBody,
  ManagementReplicas,
  NOTHING_KNOWN,
  OWNER,
  republishFacts,
} from './testing/management-replicas.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

const setQuotas = (workspaceId: string, quotas: object): Promise<Reply<unknown>> =>
  replicas.send.administerWorkspace({ workspace_id: workspaceId, quotas });

async function workspaceWith(quotas: Partial<Quotas>): Promise<string> {
  const { id } = await replicas.makeWorkspace();
  accepted(await setQuotas(id, quotas));
  return id;
}

/** The quota that a refusal names, or `ok`. */
const outcomeOf = (reply: Reply<unknown>): string =>
  'ok' in reply ? 'ok' : `${reply.error.code} ${Object.keys(reply.error.details).join()}`;

const product = (name: string) => ({
  product_id: name,
  title: name,
  url: `https://shop.example/${name}`,
  price: '1.00',
  currency: 'EUR',
  availability: 'in_stock',
});

describe('what is made often, and what gateways hold of it', () => {
  it('quotas of what is made often refuse more than was there a minute ago, and take no quota of what is there already', async () => {
    const id = await workspaceWith({ products: 3 });
    const site = await replicas.makeSite(id);
    const put = (...names: readonly string[]) =>
      replicas.send.putProducts({
        workspace_id: id,
        body: { site_id: site.id, products: names.map(product) },
        actor: OWNER,
      });
    const one = (name: string) =>
      replicas.send.createProduct({
        workspace_id: id,
        body: { site_id: site.id, ...product(name) },
        actor: OWNER,
      });
    const aMinuteLater = () =>
      replicas.owner.query(`update often_made set counted_at = counted_at - interval '61 seconds'`);
    expect(outcomeOf(await put('a', 'b', 'c', 'd'))).toBe('CONFLICT products');
    expect(outcomeOf(await put('a', 'b', 'c'))).toBe('ok');
    await aMinuteLater();
    expect(outcomeOf(await one('d'))).toBe('CONFLICT products');
    expect(outcomeOf(await put('a', 'd'))).toBe('CONFLICT products');
    expect(outcomeOf(await put('a', 'b', 'c'))).toBe('ok');
    await setQuotas(id, { products: 4 });
    expect(outcomeOf(await one('d'))).toBe('ok');
  });

  it('a full audit log refuses what makes or changes something, and nothing that disables or takes away', async () => {
    const id = await workspaceWith({});
    const site = await replicas.makeSite(id);
    const key = await replicas.makeKey(site);
    await setQuotas(id, { audit_entries: 0 });
    const update = async (fields: object): Promise<string> => {
      const command = commandOf({ workspace_id: id, site_id: site.id, actor: OWNER, ...fields });
      return outcomeOf(await replicas.next().command(command, randomUUID(), logged(updateSite)));
    };
    expect(await update({ name: 'New' })).toBe('CONFLICT audit_entries');
    expect(await update({ name: 'New', publisher_mode: 'off' })).toBe('CONFLICT audit_entries');
    expect(await update({ publisher_mode: 'active' })).toBe('CONFLICT audit_entries');
    expect(await update({ publisher_mode: 'off' })).toBe('ok');
    const revoke = replicas.send.revokeApiKey({ ...keyBody(site), key_id: key.id });
    expect(outcomeOf(await revoke)).toBe('ok');
    await setQuotas(id, { audit_entries: 1 });
    expect(await update({ name: 'New' })).toBe('CONFLICT audit_entries');
    await replicas.owner.query(`update audit_log set at = at - interval '91 days' where workspace_id = $1`, [
      id,
    ]);
    await replicas.owner.query('truncate often_made');
    expect(await update({ name: 'New' })).toBe('ok');
  });

  it('a workspace with as many jobs as it may have begins no further imports', async () => {
    const id = await workspaceWith({ jobs: 0 });
    const site = await replicas.makeSite(id);
    const body = { upload_id: randomUUID(), rows: 1 };
    const integration = randomUUID();
    await replicas.owner.query(
      `insert into integrations (id, workspace_id, site_id, provider, status, key_id, sealed, created_at, updated_at)
       values ($1, $2, $3, 'awin', 'pending', 'k', '\\x00', now(), now())`,
      [integration, id, site.id],
    );
    const begin = () =>
      replicas.send.beginSettlementsImport({ workspace_id: id, id: integration, body, actor: OWNER });
    expect(outcomeOf(await begin())).toBe('CONFLICT jobs');
    await setQuotas(id, { jobs: null });
    expect(outcomeOf(await begin())).toBe('ok');
  });

  it('keys that ended more than a day ago leave every gateway, once, and those in force stay', async () => {
    const id = await workspaceWith({});
    const site = await replicas.makeSite(id);
    const [ended, fresh, living] = [
      await replicas.makeKey(site),
      await replicas.makeKey(site),
      await replicas.makeKey(site),
    ];
    for (const key of [ended, fresh]) await replicas.send.revokeApiKey({ ...keyBody(site), key_id: key.id });
    await replicas.owner.query(
      `update api_keys set revoked_at = revoked_at - interval '25 hours' where key_id = $1`,
      [ended.id],
    );
    await replicas.settle();
    expect(await forgetEndedKeys(replicas.pool)).toBe(true);
    expect(await forgetEndedKeys(replicas.pool)).toBe(false);
    replicas.relays[0].wake();
    await replicas.allPublished();
    const gone = replicas.published.filter(({ value }) => value === null).map(({ key }) => key);
    expect(gone.filter((key) => [ended.id, fresh.id, living.id].includes(key))).toEqual([ended.id]);
    await republishFacts(replicas.pool, replicas.relays[0], NOTHING_KNOWN, true);
    await replicas.allPublished();
    const told = replicas.published.filter(
      ({ topic, value }) => topic === 'credentials.v1' && value !== null,
    );
    const keys = told.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining([fresh.id, living.id]));
    expect(keys).not.toContain(ended.id);
  });
});
