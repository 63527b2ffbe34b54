import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CampaignResource, MemberResource, SiteResource } from '@truetally/contracts/management';
import { eventually, request, uniqueName } from '@truetally/testing';
import { isKeyKnown, launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import pg from 'pg';
import { Merchant } from '../testing/merchant.js';

const ORIGIN = 'https://shop.example';
const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: [ORIGIN] };

let product: LaunchedProduct;
let merchant: Merchant;
let owner: pg.Client;
let backup: string;

beforeAll(async () => {
  product = await launchProduct({ services: ['management', 'gateway', 'attribution-ledger'] });
  merchant = await Merchant.join(product);
  owner = new pg.Client({ connectionString: product.installation.databaseUrl });
  await owner.connect();
  backup = uniqueName('backup').replaceAll('-', '_');
});

afterAll(async () => {
  await owner.query(`drop schema if exists ${backup} cascade`);
  await owner.end();
  await product.stop();
});

const SERVICES = ['management', 'attribution-ledger'] as const;

/** The tables of both services; a partition is a part of its table. */
async function tables(): Promise<
  readonly { readonly from: string; readonly copy: string; readonly columns: string }[]
> {
  const { rows } = await owner.query<{ from: string; copy: string; columns: string }>(
    `select format('%I.%I', nspname, relname) as from, format('%I.%I', $2::text, nspname || '_' || relname) as copy,
       (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = any($1) and relkind in ('r', 'p') and not relispartition and relname <> 'migrations'`,
    [SERVICES.map((service) => product.schema(service)), backup],
  );
  return rows;
}

async function backUp(): Promise<void> {
  await owner.query(`create schema ${backup}`);
  for (const { from, copy, columns } of await tables())
    await owner.query(`create table ${copy} as select ${columns} from ${from}`);
}

/** All rows as they were, under the same cluster: only the topics show that it was restored. */
async function restore(): Promise<void> {
  await owner.query('begin');
  // Neither triggers nor foreign keys are asked, as by a physical copy.
  await owner.query('set local session_replication_role = replica');
  const all = await tables();
  for (const { from } of all) await owner.query(`delete from ${from}`);
  for (const { from, copy, columns } of all)
    await owner.query(
      `insert into ${from} (${columns}) overriding system value select ${columns} from ${copy}`,
    );
  await owner.query('commit');
}

async function stopServices(): Promise<void> {
  for (const service of SERVICES)
    for (const running of [...product.processes(service)]) {
      await running.stop();
      product.forget(running);
    }
}

async function settingsOf(siteId: string): Promise<unknown> {
  const { rows } = await owner.query<{ attribution_model: string }>(
    `select attribution_model from ${product.schema('attribution-ledger')}.site_settings where site_id = $1`,
    [siteId],
  );
  return rows[0]?.attribution_model;
}

async function overlaysAt(baseUrl: string, siteId: string): Promise<readonly string[]> {
  const issued = await request<{ token: string }>(`${baseUrl}/runtime/tokens`, {
    json: { site_id: siteId },
    headers: { origin: ORIGIN },
  });
  const shown = await request<{ items: readonly { name: string }[] }>(`${baseUrl}/public/overlays`, {
    headers: { authorization: `Bearer ${issued.body.data?.token ?? ''}`, origin: ORIGIN },
  });
  return (shown.body.data?.items ?? []).map(({ name }) => name);
}

/** Whether this gateway lets the person create sites, which analysts may not. */
async function mayCreate(baseUrl: string, person: Merchant): Promise<boolean> {
  const headers = { authorization: `Bearer ${person.token}`, 'x-workspace-id': person.workspaceId };
  const { status } = await request(`${baseUrl}/sites`, { json: {}, headers });
  return status !== 403;
}

describe('Postgres restored to an earlier point', () => {
  it('decides again what every gateway and the ledger know', async () => {
    const site = (await merchant.post<SiteResource>('sites', SITE)).body.data as SiteResource;
    const scope = { workspace_id: site.workspace_id, site_id: site.id };
    const colleague = await merchant.invite('admin');
    const content = { layout: 'banner', title: 'Sale' };
    const campaign = (
      await merchant.post<CampaignResource>('campaigns', {
        site_id: site.id,
        type: 'overlay',
        name: 'Sale',
        status: 'active',
        content,
      })
    ).body.data as CampaignResource;
    const kept = await product.createApiKey(site);
    await eventually(async () => (await settingsOf(site.id)) === 'linear');
    await backUp();

    await product.asks.updateApiKey({ ...scope, key_id: kept.id, name: 'Second' });
    await product.asks.updateApiKey({ ...scope, key_id: kept.id, name: 'Third' });
    const lost = await product.createApiKey(site);
    const partner = { providers: ['awin'], attribution_model: 'last_touch', lookback_days: 30 };
    expect((await merchant.patch(`sites/${site.id}`, { partner })).status).toBe(200);
    expect((await merchant.delete(`campaigns/${campaign.id}`)).status).toBe(200);
    const members = `workspaces/${site.workspace_id}/members`;
    const listed = await merchant.get<{ items: readonly MemberResource[] }>(members);
    const member = listed.body.data?.items.find(({ sub }) => sub === colleague.sub);
    expect((await merchant.patch(`${members}/${member?.id ?? ''}`, { role: 'analyst' })).status).toBe(200);
    const running = product.gateway;
    await eventually(async () => !(await mayCreate(running.baseUrl, colleague)));
    await eventually(async () => (await settingsOf(site.id)) === 'last_touch');

    await stopServices();
    await restore();
    for (const service of SERVICES) await product.add(service);
    const started = await product.addGateway();
    for (const { baseUrl } of [running, started]) {
      await eventually(async () => !(await isKeyKnown(baseUrl, lost.key)), {
        message: 'the lost key to end',
      });
      await eventually(() => mayCreate(baseUrl, colleague), { message: 'the restored role' });
      await eventually(async () => (await overlaysAt(baseUrl, site.id)).includes('Sale'), {
        message: 'the restored campaign',
      });
      expect(await isKeyKnown(baseUrl, kept.key)).toBe(true);
    }
    await eventually(async () => (await settingsOf(site.id)) === 'linear', { message: 'the restored model' });

    await product.asks.revokeApiKey({ ...scope, key_id: kept.id });
    const later = await product.addGateway();
    for (const { baseUrl } of [running, started, later]) {
      await eventually(async () => !(await isKeyKnown(baseUrl, kept.key)), { message: 'the revocation' });
    }
  });
});
